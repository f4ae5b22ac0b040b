"""Mutated HLO texts and MLIR: a message and exit code 0 or 1, and what is printed reads back."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.opt.fuzz_runs import run_fuzz

PROGRAMS = {"fuzz_hlo.py": (250, 5), "fuzz_mlir.py": (120, 8)}
"""Cases, and which part of them at least must end with 0, and which with 1."""


@pytest.mark.parametrize(
    ("program", "seed"),
    [*(("fuzz_hlo.py", seed) for seed in range(4)), *(("fuzz_mlir.py", seed) for seed in range(2))],
)
def test_fuzz(program: str, seed: int, tmp_path: Path):
    cases, part = PROGRAMS[program]
    codes = run_fuzz(f"hlo/{program}", seed, cases, tmp_path)
    # The cases are worth something only if many get past readers and verifiers, and many do not.
    assert codes.get(0, 0) > cases // part
    assert codes.get(1, 0) > cases // part
