"""Reading any MPMD program for its picture: loops, other ops, ticks, mistakes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings

from sdykit.errors import PassFailure
from sdykit.viz.mpmd_view.model import Lane, Loop, Marks, Program, Source, Step
from support.amounts import examples
from support.mpmd.programs import programs
from support.mpmd.view_programs import EXPORT, ODD, failure, parsed, programs_of

MAIN = programs_of(ODD)[1]


def step(label: str) -> Step:
    return next(each for each in MAIN.steps if each.label == label)


def sources(each: Step) -> list[Source | None]:
    return [port.source for port in each.inputs]


def test_all_functions_with_a_topology_are_read() -> None:
    found = programs_of(ODD)
    assert [(program.name, program.public) for program in found] == [
        ("part", False),
        ("main", True),
    ]
    assert found[0].steps == ()
    assert found[0].results[0].source == Source(None, 0)


def test_values_on_no_mesh_have_a_lane() -> None:
    assert MAIN.lanes == (
        Lane(""),
        Lane("<img src=x onerror=fail()>", (("<i>", 4),)),
        Lane("m1", (("x", 2),)),
        Lane("m1/cpu", (("x", 2),), cpu=True),
    )
    assert "" not in [lane.name for lane in programs_of(ODD)[0].lanes]


def test_values_pass_through_loops() -> None:
    looped = step("<b>loop</b>.g(1)")
    assert MAIN.loops == (Loop(2, 3, "for, 12 times"),)
    assert sources(looped) == [Source(0, 0), Source(1, 0)]
    assert sources(step("call @part")) == [Source(2, 0)]


def test_all_attributes_of_a_fragment_are_read() -> None:
    looped = step("<b>loop</b>.g(1)")
    assert (looped.stage, looped.call_counter, looped.remat) == (3, 7, True)
    assert (looped.reserved, looped.reserved_attribute) == (3_000_000_000, "reserved_hbm_bytes")
    assert looped.transposes == (0, 1)
    assert [port.marks for port in looped.inputs] == [
        Marks(donated=True, layout="auto"),
        Marks(aliases=0, others=(("my.mark", '"x&y"'),)),
    ]
    assert looped.outputs[0].marks == Marks(layout="{0,1}", memory_kind="pinned_host")
    assert looped.others == ()


def test_other_ops_are_in_the_lanes_of_their_values() -> None:
    found = {
        each.label: (each.kind, each.lanes) for each in MAIN.steps if each.callee or not each.body
    }
    assert found == {
        "transfer": ("transfer", ("<img src=x onerror=fail()>", "m1/cpu")),
        "call @part": ("other", ("m1",)),
        "unassign": ("transfer", ("m1", "")),
        "stablehlo.add": ("other", ("",)),
        "broadcast": ("other", ("",)),
        "reduce": ("other", ("",)),
        "assign": ("transfer", ("", "<img src=x onerror=fail()>")),
    }
    assert step("assign").others == (("origin", '"why"'),)
    assert MAIN.steps[1].others == (("note", '"</script><script>fail()</script>"'),)


def test_ops_with_regions_have_captured_values_as_inputs() -> None:
    text = """\
func.func @main(%a: tensor<f32>, %b: tensor<i1>) -> tensor<f32> attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>>} {
  %c = stablehlo.constant dense<1.0> : tensor<1024xf32>
  %0 = "stablehlo.if"(%b) ({
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %a : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}
"""
    (program,) = programs_of(text)
    constant, choice = program.steps
    assert sources(choice) == [Source(None, 1), Source(None, 0)]
    assert constant.others == (("value", "dense<...> : tensor<1024xf32>"),)


def test_named_computations_have_their_name() -> None:
    text = """\
func.func @main(%a: tensor<f32>) -> tensor<f32> attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>>} {
  %0 = mpmd.named_computation<"f"(1)> (%a) (%b: tensor<f32>) {
    mpmd.return %b : tensor<f32>
  } : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
"""
    (named,) = programs_of(text)[0].steps
    assert (named.kind, named.label, named.lanes) == ("other", "f(1)", ("",))


def test_ticks_let_meshes_run_side_by_side() -> None:
    def fragment(name: str, mesh: str, value: str) -> str:
        kind = f'!mpmd.mesh_tensor<"{mesh}", tensor<f32>>'
        return (
            f'  %{name} = mpmd.fragment<mesh="{mesh}", origin=["{name}"]> (%{value})'
            f" (%x: tensor<f32>) {{ mpmd.return %x : tensor<f32> }} : ({kind}) -> {kind}\n"
        )

    def transfer(name: str, value: str) -> str:
        kinds = [f'!mpmd.mesh_tensor<"{mesh}", tensor<f32>>' for mesh in ("m", "n")]
        return f"  %{name} = mpmd.transfer %{value} : ({kinds[0]}) -> {kinds[1]}\n"

    text = (
        'func.func @main(%a: !mpmd.mesh_tensor<"m", tensor<f32>>, %b: !mpmd.mesh_tensor<"m", '
        'tensor<f32>>) attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>, <"n" : '
        '<["x"=2]>>>} {\n'
        + fragment("a1", "m", "a")
        + transfer("t1", "a1")
        + fragment("b1", "m", "b")
        + fragment("a2", "n", "t1")
        + transfer("t2", "b1")
        + fragment("b2", "n", "t2")
        + transfer("late", "a")
        + "  return\n}\n"
    )
    (program,) = programs_of(text)
    labels = ["a1", "t1", "b1", "a2", "t2", "b2", "late"]
    ticks = dict(zip(labels, [each.tick for each in program.steps], strict=True))
    assert ticks == {"a1": 1, "t1": 1, "b1": 2, "a2": 2, "t2": 2, "b2": 3, "late": 3}


def fragments(found: list[Program]) -> int:
    return sum(each.kind == "fragment" for program in found for each in program.steps)


def check(program: Program) -> None:
    """Check what the page relies on: values come from before, lanes exist, ticks rise."""
    lanes = {lane.name for lane in program.lanes}
    busy: dict[str, int] = {}
    for number, each in enumerate(program.steps):
        assert set(each.lanes) <= lanes
        for port in (*each.inputs, *each.outputs):
            assert port.type.lane in lanes | {""}
        for source in (port.source for port in each.inputs if port.source):
            if source.step is None:
                assert source.index < len(program.arguments)
                continue
            made = program.steps[source.step]
            assert source.step < number
            assert source.index < len(made.outputs)
            late = made.tick < each.tick or "transfer" in (made.kind, each.kind)
            assert made.tick <= each.tick
            assert late
        if each.kind != "transfer":
            assert all(busy.get(lane, 0) < each.tick for lane in each.lanes)
            busy |= dict.fromkeys(each.lanes, each.tick)


@given(text=programs(oracle=False))
@settings(max_examples=examples(150), derandomize=True, deadline=None)
def test_random_programs_can_be_read_before_and_after_the_export(text: str) -> None:
    for program in programs_of(text):
        check(program)
    try:
        module = str(parsed(text, EXPORT))
    except PassFailure:
        return  # A program with conflicting marks.
    before, after = programs_of(text), programs_of(module)
    for program in after:
        check(program)
    calls = len(re.findall(r"mpmd\.fragment_call<", module))
    assert fragments(before) == fragments(after) == calls


TOPOLOGY = 'attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>>}'
FRAGMENT = """\
!v = !mpmd.mesh_tensor<"m", tensor<8xf32>>
func.func @main(%a: !v) -> !v attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>>} {
  %0 = mpmd.fragment<mesh="m", origin=["f"]> (%a) {MARKS} (%b: tensor<8xf32>) {
    mpmd.return %b : tensor<8xf32>
  } : (!v) -> !v
  return %0 : !v
}
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "",
            "-:0:0: error: expected an MPMD program, a function with a body and the attribute"
            " 'topology'; the module has no functions",
        ),
        (
            "\n func.func @f() { return }\n func.func @g() { return }",
            "-:2:2: error: expected an MPMD program, a function with a body and the attribute"
            " 'topology'; the module has only @f, @g",
        ),
        (
            "".join(f"func.func @f{at}() {{ return }}\n" for at in range(6)),
            "-:1:1: error: expected an MPMD program, a function with a body and the attribute"
            " 'topology'; the module has only @f0, @f1, @f2, @f3, @f4, ...",
        ),
        (
            "func.func @f() attributes {topology = 3} { return }",
            "-:1:1: error: 'func.func' op topology must be a #mpmd.topology, found 3 : i64",
        ),
        (
            f'func.func @f() {TOPOLOGY} {{\n  mpmd.fragment<mesh="q", origin=["f"]> () () {{\n'
            "    mpmd.return\n  } : () -> ()\n  return\n}",
            "-:2:3: error: 'mpmd.fragment' op is on mesh \"q\", which the topology lacks; it"
            ' has "m"',
        ),
        (
            f"func.func @f() {TOPOLOGY} {{\n  cf.br ^bb1\n^bb1:\n  return\n}}",
            "-:1:1: error: 'func.func' op must have one block to be an MPMD program, found 2",
        ),
        (
            FRAGMENT.replace("MARKS", "arg_attrs = 3"),
            "-:3:8: error: 'mpmd.fragment' op arg_attrs must be an array of length 1, with a"
            " dictionary for each argument; found 3 : i64",
        ),
        (
            FRAGMENT.replace("MARKS", "arg_attrs = [{tf.aliasing_output = true}]"),
            "-:3:8: error: 'mpmd.fragment' op tf.aliasing_output of argument #0 must be the"
            " number of a result, found true",
        ),
        (
            FRAGMENT.replace("MARKS", "res_attrs = [{mhlo.layout_mode = 1}]"),
            "-:3:8: error: 'mpmd.fragment' op mhlo.layout_mode of result #0 must be a string,"
            " found 1 : i64",
        ),
    ],
)
def test_modules_that_cannot_be_drawn_are_errors(text: str, message: str) -> None:
    assert failure(text) == message
