"""The validators and the sinking of tokens, compared with the oracle, and on random programs."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from sdykit.core import Diagnostic, Severity, capture, ops_named
from sdykit.errors import PassFailure
from sdykit.mlir import ir
from support.mpmd.checks import context, main_ops, random_modules, run
from support.mpmd.oracle import MpmdOracle
from support.mpmd.oracle_compare import ours

SINK = "mpmd-sink-create-token-into-fragments"
VALIDATORS = (
    "mpmd-validate-no-reshards",
    "mpmd-validate-no-backward-deps",
    "mpmd-validate-no-inferred-fragments{fail-on-inferred-fragments=false}",
    "mpmd-validate-no-param-transfers",
)

# Whether the first mesh is earlier than the second.
MESHES = (
    ("m1", "m2", True),
    ("m2", "m1", False),
    ("m9", "m10", True),
    ("m10", "m9", False),
    ("b1", "a2", True),
    ("a2", "b1", False),
    ("x01", "y1", False),
    ("y1", "x01", False),
    ("3", "10", True),
    ("a-2", "a1", False),
    ("m10a", "m9a", True),
    ("m9a", "m10a", False),
    ("a", "m1", True),
    ("m1", "a", False),
    ("m1/cpu", "m2/cpu", True),
    ("B", "a", True),
)

INFERRED_BY = (
    ("uniquify", "warning"),
    ("infer_mesh_wrap_meshless_ops", "warning"),
    ("infer_mesh_wrap_resultless_ops", "warning"),
    ("infer_mesh_convert_reduce_ops", "warning"),
    ("extract_reshards", "warning"),
    ("introduce_transfers", "warning"),
    ("extract_reshards_2", "error"),
    ("infer_mesh_wrap", "error"),
    ("Uniquify", "error"),
)

PARAM = "params['transformer']['w']"
LOCATIONS = (
    (f'"{PARAM}"', 1),
    (f'"{PARAM}"("a.py":1:2)', 1),
    (f'"opt_state {PARAM}"', 1),
    ("\"params['other']\"", 0),
    (f'fused["{PARAM}", "a.py":1:2]', 0),
    (f'callsite("{PARAM}" at "a.py":1:2)', 0),
    (f'"x"("{PARAM}")', 0),
    ("unknown", 0),
)


# A program with each kind of error.
WRONG = """
func.func public @main(%arg0: !mpmd.mesh_tensor<"m2", tensor<8xf32>> loc("x"))
    -> !mpmd.mesh_tensor<"m1", tensor<8xf32>>
    attributes {topology = #mpmd.topology<<"m1" : <["x"=2]>>, <"m2" : <["x"=2]>>>} {
  %0 = mpmd.fragment<mesh="m2", origin=["f"]> (%arg0) (%arg1: tensor<8xf32>) {
    mpmd.return %arg1 : tensor<8xf32>
  } : (!mpmd.mesh_tensor<"m2", tensor<8xf32>>) -> !mpmd.mesh_tensor<"m2", tensor<8xf32>> loc("x")
  %1 = mpmd.transfer %0
      : (!mpmd.mesh_tensor<"m2", tensor<8xf32>>) -> !mpmd.mesh_tensor<"m1", tensor<8xf32>>
  %2 = mpmd.fragment<mesh="m1", origin=["f"]> (%1) (%arg1: tensor<8xf32>) {
    mpmd.return %arg1 : tensor<8xf32>
  } : (!mpmd.mesh_tensor<"m1", tensor<8xf32>>) -> !mpmd.mesh_tensor<"m1", tensor<8xf32>>
  %3 = mpmd.transfer %arg0
      : (!mpmd.mesh_tensor<"m2", tensor<8xf32>>) -> !mpmd.mesh_tensor<"m1", tensor<8xf32>>
  %4 = mpmd.fragment<mesh="m1", origin=[]> (%2) (%arg1: tensor<8xf32>) {
    %c = stablehlo.add %arg1, %arg1 : tensor<8xf32>
    mpmd.return %c : tensor<8xf32>
  } : (!mpmd.mesh_tensor<"m1", tensor<8xf32>>) -> !mpmd.mesh_tensor<"m1", tensor<8xf32>>
  %5 = mpmd.fragment<mesh="m1", origin=[]> (%4) {mpmd.inferred_by = ["some"]}
      (%arg1: tensor<8xf32>) {
    %c = stablehlo.multiply %arg1, %arg1 : tensor<8xf32>
    mpmd.return %c : tensor<8xf32>
  } : (!mpmd.mesh_tensor<"m1", tensor<8xf32>>) -> !mpmd.mesh_tensor<"m1", tensor<8xf32>>
  return %5 : !mpmd.mesh_tensor<"m1", tensor<8xf32>>
}
"""


def tensor(mesh: str) -> str:
    return f'!mpmd.mesh_tensor<"{mesh}", tensor<8xf32>>'


def fragment(mesh: str, operand: str, origin: str, factor: int, *, by: str = "") -> str:
    """Return a fragment that multiplies, so that clean-ups keep it."""
    attributes = f'{{mpmd.inferred_by = ["{by}"]}}' if by else ""
    return f"""mpmd.fragment<mesh="{mesh}", origin=[{origin}]> ({operand}) {attributes}
        (%arg1: tensor<8xf32>) {{
      %c = stablehlo.constant dense<{factor}.0> : tensor<8xf32>
      %p = stablehlo.multiply %arg1, %c : tensor<8xf32>
      mpmd.return %p : tensor<8xf32>
    }} : ({tensor(mesh)}) -> {tensor(mesh)}"""


def program(source: str, target: str, middle: str, place: str = '"a.py":3:4') -> str:
    """Return a program with its argument on one mesh, and its result on another."""
    meshes = ", ".join(f'<"{name}" : <["x"=2]>>' for name in dict.fromkeys((source, target)))
    return f"""
module @jit_step {{
  func.func public @main(%arg0: {tensor(source)} loc({place})) -> {tensor(target)}
      attributes {{topology = #mpmd.topology<{meshes}>}} {{
    {middle}
    return %result : {tensor(target)}
  }}
}}
"""


@pytest.mark.parametrize(("source", "target", "forward"), MESHES)
def test_a_dependency_on_a_later_mesh_is_reported_as_by_the_oracle(
    partitioner: MpmdOracle, source: str, target: str, forward: bool
) -> None:
    text = program(
        source,
        target,
        f"""%0 = {fragment(source, "%arg0", '"f"', 2)}
    %1 = mpmd.transfer %0 : ({tensor(source)}) -> {tensor(target)}
    %result = {fragment(target, "%1", '"g"', 3)}""",
    )
    expected = partitioner(text)
    assert ours(text).warnings == expected.warnings
    assert ("backward dependency" in str(expected.warnings)) is not forward


@pytest.mark.parametrize(("name", "severity"), INFERRED_BY)
def test_the_pass_that_inferred_a_fragment_decides_between_error_and_warning(
    partitioner: MpmdOracle, name: str, severity: str
) -> None:
    text = program("m1", "m1", f"%result = {fragment('m1', '%arg0', '', 2, by=name)}")
    expected, found = partitioner(text), ours(text)
    assert (found.errors, found.warnings) == (expected.errors, expected.warnings)
    lines = expected.errors if severity == "error" else expected.warnings
    assert [f"(inferred by {name})" in line for line in lines] == [True]


@pytest.mark.parametrize(("place", "count"), LOCATIONS)
def test_only_own_location_names_mark_a_parameter(
    partitioner: MpmdOracle, place: str, count: int
) -> None:
    text = program(
        "m1",
        "m2",
        f"""%0 = mpmd.transfer %arg0 : ({tensor("m1")}) -> {tensor("m2")}
    %result = {fragment("m2", "%0", '"f"', 2)}""",
        place,
    )
    expected = partitioner(text)
    assert ours(text).warnings == expected.warnings
    assert len(expected.warnings) == count


def test_a_fragment_that_only_reshards_is_reported_with_shardings_and_locations(
    partitioner: MpmdOracle,
) -> None:
    plain = tensor("m1")
    sharded = plain.replace("32>", '32>, sharding=<@mesh, [{"x"}]>')
    body = f"""%result = mpmd.fragment<mesh="m1", origin=[]> (%arg0)
        {{mpmd.inferred_by = ["extract_reshards"]}} (%arg1: tensor<8xf32>) {{
      mpmd.return %arg1 : tensor<8xf32>
    }} : ({sharded}) -> {plain}"""
    text = program("m1", "m1", body, '"x"').replace(f"%arg0: {plain}", f"%arg0: {sharded}")
    text = text.replace("  func.func", '  sdy.mesh @mesh = <["x"=2]>\n  func.func')
    expected = partitioner(text)
    assert ours(text).warnings == expected.warnings
    assert expected.warnings[-1].endswith(
        ' Operands: #sdy.sharding<@mesh, [{"x"}]> <8xf32> loc("x"). Results: Replicated <8xf32>'
    )


def test_validators_do_not_change_the_module() -> None:
    counts = Counter[tuple[str, str]]()
    for module in random_modules():
        for pipeline in (*VALIDATORS[2:], "mpmd-lower-to-fragment-calls", *VALIDATORS[:2]):
            before = str(module)
            for diagnostic in diagnostics(module, pipeline):
                counts[diagnostic.message.partition(" ")[0], diagnostic.severity.value] += 1
            assert pipeline not in VALIDATORS or str(module) == before
    assert counts["Inferred", "warning"] > 100
    assert counts["Detected", "warning"] > 100


def diagnostics(module: ir.Module, pipeline: str) -> list[Diagnostic]:
    """Run a pass, and return its diagnostics."""
    found: list[Diagnostic] = []
    with capture(module.context, found.append):
        try:
            run(module, pipeline)
        except PassFailure:
            assert any(each.severity is Severity.ERROR for each in found)
    return found


@pytest.mark.parametrize(
    ("pipeline", "count"),
    [
        ("mpmd-validate-no-param-transfers{fail-on-param-transfers=true param-pattern=x}", 2),
        ("mpmd-validate-no-inferred-fragments", 2),
        ("mpmd-lower-to-fragment-calls,mpmd-validate-no-reshards", 2),
        (
            "mpmd-lower-to-fragment-calls,"
            "mpmd-validate-no-backward-deps{fail-on-backward-deps=true}",
            1,
        ),
    ],
)
def test_all_errors_are_emitted_and_no_later_pass_runs(pipeline: str, count: int) -> None:
    module = ir.Module.parse(WRONG, context())
    found: list[Diagnostic] = []
    with capture(module.context, found.append), pytest.raises(PassFailure):
        run(module, f"{pipeline},{SINK}")
    assert [each.severity for each in found] == [Severity.ERROR] * count


def test_no_fragment_takes_or_returns_a_token_after_sinking() -> None:
    sunk = 0
    for module in random_modules():
        before = Counter(op.name for op in main_ops(module))
        tokens = len(ops_named(module.operation, "stablehlo.create_token"))
        operands = sum(map(is_token, fragment_values(module, results=False)))
        others = [str(v.type) for v in fragment_values(module) if not is_token(v)]
        run(module, SINK)
        assert not any(map(is_token, fragment_values(module)))
        assert [str(v.type) for v in fragment_values(module)] == others
        assert Counter(op.name for op in main_ops(module)) == before
        created = len(ops_named(module.operation, "stablehlo.create_token"))
        assert created == tokens + operands
        once = str(module)
        run(module, SINK)
        assert str(module) == once
        sunk += operands
    assert sunk > 100


def fragment_values(module: ir.Module, *, results: bool = True) -> list[ir.Value]:
    """List the operands of all fragments, and their results if wanted."""
    return [
        value
        for op in ops_named(module.operation, "mpmd.fragment")
        for value in (*op.operands, *(op.results if results else ()))
    ]


def is_token(value: ir.Value) -> bool:
    return re.fullmatch(r"!stablehlo\.token", str(value.type)) is not None
