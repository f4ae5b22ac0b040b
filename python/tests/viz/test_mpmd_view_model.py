"""The data of the picture of MPMD programs, read from programs of JAX."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from sdykit.viz.mpmd_view.model import Marks, Port, Program, Source, Step
from support.mpmd.view_programs import EXPORT, REAL, exported, programs_of, real


def main_of(name: str, pipeline: str | None = None) -> Program:
    return programs_of(real(name), pipeline)[0]


def fragments(program: Program) -> list[Step]:
    return [step for step in program.steps if step.kind == "fragment"]


def marked(ports: tuple[Port, ...]) -> dict[int, Marks]:
    return {at: port.marks for at, port in enumerate(ports) if port.marks != Marks()}


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("pipeline", [None, EXPORT, f"{EXPORT}{{compat=jaxlib}}"])
def test_each_fragment_and_transfer_is_a_step(name: str, pipeline: str | None) -> None:
    if pipeline is not None and name == "decoder" and "jaxlib" in pipeline:
        pipeline = pipeline.replace("}", " fail-on-inferred-fragments=false}")
    text = exported(real(name)) if pipeline else real(name)
    (program,) = programs_of(real(name), pipeline)
    kinds = Counter(step.kind for step in program.steps)
    calls = len(re.findall(r"^    %.* = mpmd\.fragment(?:_call)?<", text, re.MULTILINE))
    transfers = len(re.findall(r" = mpmd\.transfer ", text))
    assert kinds == {"fragment": calls, "transfer": transfers}
    assert calls > 5
    assert transfers > 4


def test_lanes_are_the_meshes_each_cpu_mesh_after_its_own() -> None:
    lanes = main_of("offloaded_mlp").lanes
    assert [(lane.name, lane.cpu) for lane in lanes] == [
        ("m1", False),
        ("m1/cpu", True),
        ("m2", False),
        ("m2/cpu", True),
    ]
    assert {lane.axes for lane in lanes} == {(("data", 2), ("model", 2))}


def test_fragments_before_the_export_have_origins_stages_and_bodies() -> None:
    first, second = fragments(main_of("mlp"))[:2]
    assert (first.op, first.label, first.lanes) == ("mpmd.fragment", "f1", ("m1",))
    assert first.origins == (("f1", 0),)
    assert first.call_counter == 0
    assert first.callee is first.reserved is first.stage is None
    assert first.body is not None
    assert first.body.ops == 16
    assert dict(first.body.frequent)["stablehlo.slice"] == 4
    assert [port.source for port in first.inputs] == [Source(None, at) for at in (4, 0, 1)]
    assert marked(first.inputs) == {}
    assert second.inputs[3].source == Source(1, 0)
    assert second.place == "-:25:12"


def test_fragment_calls_have_the_marks_of_their_functions() -> None:
    program = main_of("offloaded_mlp", EXPORT)
    loaded = next(step for step in program.steps if step.callee == "load2.f2")
    assert (loaded.op, loaded.label) == ("mpmd.fragment_call", "load2.f2")
    assert loaded.origins == (("load2", 0), ("f2", 0))
    assert marked(loaded.inputs) == {
        0: Marks(memory_kind="pinned_host"),
        1: Marks(memory_kind="pinned_host"),
        3: Marks(aliases=5),
    }
    assert loaded.reserved == 0
    assert loaded.reserved_attribute == "xla_tpu_user_reserved_hbm_bytes"
    backward = next(step for step in program.steps if step.callee == "f2(1)")
    assert backward.transposes == (1,)
    assert marked(backward.inputs) == {1: Marks(aliases=2)} | dict.fromkeys(
        (2, 3, 5), Marks(donated=True)
    )
    assert {step.reserved for step in program.steps if step.callee == "f1"} == {1536}


def test_marks_are_the_same_before_and_after_lowering_to_calls() -> None:
    passes = (
        "mpmd-mark-offloaded-input-output,mpmd-mark-aliasing-and-donation,"
        "mpmd-mark-fragment-reserved-memory"
    )
    for name in REAL:
        inline = fragments(main_of(name, passes))
        calls = fragments(main_of(name, f"{passes},mpmd-lower-to-fragment-calls"))
        assert [marked(step.inputs) for step in inline] == [marked(step.inputs) for step in calls]
        assert [marked(step.outputs) for step in inline] == [marked(step.outputs) for step in calls]
        assert [step.body for step in inline] == [step.body for step in calls]
        # All calls of a function reserve the maximum over its fragments.
        assert all(
            a.reserved <= b.reserved
            for a, b in zip(inline, calls, strict=True)
            if a.reserved is not None and b.reserved is not None
        )


def test_the_attribute_of_jaxlib_for_reserved_bytes_is_read() -> None:
    program = main_of("mlp", f"{EXPORT}{{compat=jaxlib}}")
    assert {step.reserved_attribute for step in fragments(program)} == {"reserved_hbm_bytes"}
    assert max(step.reserved or 0 for step in fragments(program)) > 0


def test_types_have_shardings_local_shapes_and_bytes() -> None:
    program = main_of("offloaded_mlp")
    kind = program.arguments[0].type
    assert kind.text.startswith('!mpmd.mesh_tensor<"m1", tensor<16x8xf32>, sharding=<@mesh')
    assert (kind.lane, kind.tensor, kind.local) == ("m1", "tensor<16x8xf32>", "tensor<8x8xf32>")
    assert (kind.sharding, kind.bytes) == ('<@mesh, [{"model"}, {}]>', 256)
    assert kind.memory_kind == "pinned_host"
    assert program.arguments[2].type.memory_kind is None


def test_transfers_go_from_lane_to_lane() -> None:
    program = main_of("offloaded_mlp")
    moves = Counter(step.lanes for step in program.steps if step.kind == "transfer")
    assert moves == {
        ("m1", "m1"): 8,
        ("m1/cpu", "m1"): 3,
        ("m1", "m2"): 3,
        ("m2/cpu", "m2"): 3,
        ("m2", "m1"): 3,
    }


def test_arguments_and_results_have_names_marks_and_sources() -> None:
    program = programs_of(real("mlp_debuginfo"))[0]
    assert [port.label for port in program.arguments][:2] == [
        "params['f1']['down']",
        "params['f1']['up']",
    ]
    assert [port.name for port in program.arguments][:2] == ["%arg0", "%arg1"]
    assert program.arguments[0].marks == Marks(donated=True)
    for port in program.results:
        assert port.source is not None
        assert port.source.step is not None
        assert program.steps[port.source.step].outputs[port.source.index].name == port.name


def test_inferred_fragments_name_the_passes_that_made_them() -> None:
    made = [step for step in fragments(main_of("decoder")) if not step.origins]
    assert [(step.label, step.inferred_by) for step in made] == [("inferred", ("uniquify",))]
