"""The oracle itself: its results for modules that it exports, rejects, or aborts on."""

from __future__ import annotations

import pytest

from support import oracle
from support.mpmd.oracle import UNTIL_EXPORT, MpmdOracle, Request

TENSOR = '!mpmd.mesh_tensor<"m1", tensor<4x8xf32>>'
PROGRAM = f"""
module @jit_step {{
  func.func public @main(%arg0: {TENSOR} {{mhlo.layout_mode = "default"}}) -> {TENSOR}
      attributes {{topology = #mpmd.topology<<"m1" : <["x"=2]>>>}} {{
    %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0, %arg0)
        (%arg1: tensor<4x8xf32>, %arg2: tensor<4x8xf32>) {{
      %1 = stablehlo.add %arg1, %arg2 : tensor<4x8xf32>
      %2 = stablehlo.add %arg1, %arg2 : tensor<4x8xf32>
      %3 = stablehlo.multiply %1, %2 : tensor<4x8xf32>
      mpmd.return %3 : tensor<4x8xf32>
    }} : ({TENSOR}, {TENSOR}) -> {TENSOR}
    return %0 : {TENSOR}
  }}
}}
"""
INFERRED = PROGRAM.replace('origin=["f"]', "origin=[]")


def test_a_program_is_exported(partitioner: MpmdOracle) -> None:
    exported = partitioner(PROGRAM)
    assert exported.text is not None
    assert "mpmd.fragment_call" in exported.text
    assert "@p0_f.step" in exported.text
    assert exported.log == [
        "Module jit_step on mesh m1 will execute the following XLA programs:",
        "\t- p0_f.step from program with origins [f].",
    ]
    assert exported.errors == exported.warnings == []
    assert exported.crash == ""


def test_until_export_returns_the_cleaned_program_without_calls(partitioner: MpmdOracle) -> None:
    cleaned = partitioner(PROGRAM, UNTIL_EXPORT)
    assert cleaned.text is not None
    text = str(oracle.parse(cleaned.text))
    assert (
        '(%arg0: !mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {mhlo.layout_mode = "default"})' in text
    )
    assert 'mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) (%arg1: tensor<4x8xf32>) {' in text
    assert text.count("stablehlo.add") == 1


def test_until_export_keeps_memory_kinds(partitioner: MpmdOracle) -> None:
    marked = PROGRAM.replace("{mhlo.layout_mode", '{mhlo.memory_kind = "device", mhlo.layout_mode')
    cleaned = partitioner(marked, UNTIL_EXPORT)
    assert cleaned.text is not None
    assert 'mhlo.layout_mode = "default", mhlo.memory_kind = "device"}' in cleaned.text
    assert "probe" not in cleaned.text


def test_until_export_is_an_error_without_arguments_and_results(partitioner: MpmdOracle) -> None:
    empty = """func.func public @main()
      attributes {topology = #mpmd.topology<<"m1" : <["x"=2]>>>} { return }"""
    assert partitioner(empty).text is not None
    assert partitioner(empty, UNTIL_EXPORT).errors == [
        "no argument and no result could be marked to stop here"
    ]


def test_an_error_of_the_partitioner_is_returned(partitioner: MpmdOracle) -> None:
    rejected = partitioner(INFERRED)
    assert rejected.text is None
    assert rejected.errors == [
        "-:5:10: error: Internal error: inferred fragment missing 'mpmd.inferred_by' attribute"
    ]


def test_a_warning_of_the_partitioner_is_returned(partitioner: MpmdOracle) -> None:
    listed = INFERRED.replace("(%arg0, %arg0)", '(%arg0, %arg0) {mpmd.inferred_by = ["uniquify"]}')
    exported = partitioner(listed)
    assert exported.text is not None
    assert exported.warnings == [
        "-:5:10: warning: Inferred fragment has not been merged (inferred by uniquify)"
    ]


@pytest.mark.parametrize(
    "bad",
    [
        Request(options={"mpmd_pipeline_schedule": "none of these"}),
        Request(meshes=(("m2", (("x", 2),)),)),
    ],
    ids=["schedule", "meshes"],
)
def test_an_abort_is_returned_and_the_process_restarts(
    partitioner: MpmdOracle, bad: Request
) -> None:
    crashed = partitioner(PROGRAM, bad)
    assert crashed.text is None
    assert "LLVM ERROR" in crashed.crash
    assert partitioner(PROGRAM).text is not None


def test_other_options_do_not_change_the_export(partitioner: MpmdOracle) -> None:
    options = {
        "mpmd_infer_transfers": True,
        "mpmd_infer_cross_mesh_reductions": True,
        "mpmd_fragment_remat": True,
        "mpmd_split_bwd_fragments": True,
        "mpmd_assume_homogeneous_devices": True,
        "mpmd_pipeline_schedule": "1F1B",
        "fail-on-inferred-fragments": False,
    }
    assert partitioner(PROGRAM, Request(options=options)) == partitioner(PROGRAM)
