"""Mutated HLO text and MLIR: hlo-opt ends with 0 or 1 and an error, and its output reads back."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.opt.fuzz_runs import run_fuzz

PROGRAMS = {"fuzz_hlo.py": (250, 5), "fuzz_mlir.py": (120, 8)}
"""The number of cases, and n if one in n of them must end with 0, and one in n with 1."""


@pytest.mark.parametrize(
    ("program", "seed"),
    [*(("fuzz_hlo.py", seed) for seed in range(4)), *(("fuzz_mlir.py", seed) for seed in range(2))],
)
def test_mutated_inputs_end_with_a_result_or_an_error(program: str, seed: int, tmp_path: Path):
    cases, part = PROGRAMS[program]
    codes = run_fuzz(f"hlo/{program}", seed, cases, tmp_path)
    # The cases test something only if readers and verifiers accept many and refuse many.
    assert codes.get(0, 0) > cases // part
    assert codes.get(1, 0) > cases // part
