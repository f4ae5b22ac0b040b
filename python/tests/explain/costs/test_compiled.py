"""Collectives beside those of XLA's own program: how they are matched, and what cannot be compiled."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from examples.models import control_flow, mixture_of_experts, transformer
from examples.models.program import Program
from sdykit.bridge.compiled_program import compiled_hlo
from sdykit.errors import SdykitError
from sdykit.explain import Explanation, explain_text
from sdykit.explain.costs.answers import compiled_text
from sdykit.explain.costs.comparing import difference_counts, kind_rows, places
from sdykit.explain.costs.totals import by_kind


def compiled(program: Program) -> Explanation:
    text = program.text(debuginfo=True)
    return explain_text(text, "model.mlir", to="collectives", compiled=True)


@pytest.mark.parametrize(
    "program",
    [transformer.program(transformer.Config(layers=1)), mixture_of_experts.program()],
    ids=["transformer", "mixture_of_experts"],
)
def test_equal_programs_are_equal_line_by_line(program: Program) -> None:
    explanation = compiled(program)
    costs = explanation.costs
    assert costs is not None
    assert costs.compiled is not None
    found = places(explanation)
    assert sum(len(place.ours) for place in found) == len(costs.collectives)
    assert sum(len(place.compiled) for place in found) == len(costs.compiled)
    assert all(place.line is not None for place in found)
    assert difference_counts(explanation, found) == {}
    assert all(ours == theirs for _, ours, theirs in kind_rows(costs))
    # The same groups too, so the same bytes.
    sums = {kind: each.bytes for kind, each in by_kind(costs.collectives).items()}
    for kind, size in sums.items():
        assert sum(each.bytes * each.runs for each in costs.compiled if each.kind == kind) == size
    text = compiled_text(explanation)
    assert text.endswith(f"  equal at {len(found)} of {len(found)} lines of the program\n")


def test_differences_are_told_with_their_lines() -> None:
    text = compiled_text(compiled(control_flow.program()))
    file = "examples/models/control_flow.py"
    assert "  equal at 3 of 9 lines of the program\n" in text
    assert f"  {file}:62: collective_permute of 32 bytes and all_gather of 32 bytes here, " in text
    assert "here, nothing in the compiled program\n" in text
    assert f"  {file}:46: other kinds: " in text
    assert (
        f"  {file}:48: other bytes: all_reduce of 4 bytes here, 2 all_reduce of 8 bytes in the "
        "compiled program (2 times)\n"
    ) in text


def test_what_xla_rejects_is_an_error() -> None:
    with pytest.raises(
        SdykitError,
        match=r"XLA does not compile the program: .*error: custom op .nonsense. is unknown",
    ) as caught:
        compiled_hlo("nonsense", 2)
    assert "\n" not in str(caught.value)


MESHES = """
sdy.mesh @a = <["x"=2]>
sdy.mesh @b = <["x"=4]>
func.func @main(%x: tensor<8xf32>{}) -> tensor<8xf32> {{
  return %x : tensor<8xf32>
}}
"""


def test_a_program_for_meshes_of_several_sizes_is_refused() -> None:
    with pytest.raises(SdykitError, match="has meshes of 2 and 4 devices; expected one mesh"):
        explain_text(MESHES.format(""), "m", to="collectives", compiled=True)


def test_a_program_without_a_mesh_is_refused() -> None:
    text = "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n  return %x : tensor<8xf32>\n}"
    with pytest.raises(SdykitError, match="m has no mesh; expected one mesh"):
        explain_text(text, "m", to="collectives", compiled=True)


def test_an_end_of_xlas_process_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "python"
    python.write_text(
        "#!/bin/sh\n"
        "echo 'F1123 spmd.cc:12 Check failed: a == b (1 vs. 2)' >&2\n"
        "echo 'I1123 client.cc:1 the end' >&2\n"
        "kill -ABRT $$\n"
    )
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    with pytest.raises(
        SdykitError, match=r"XLA ended its process: .*Check failed: a == b \(1 vs. 2\)"
    ):
        compiled_hlo("", 2)
