"""Mutated texts, bytecode and flags: whatever comes in, a message and exit code 0 or 1."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.opt.fuzz_runs import run_fuzz

CASES = 150


@pytest.mark.parametrize("seed", range(4))
def test_random_inputs_never_crash_the_driver(seed: int, tmp_path: Path):
    codes = run_fuzz("opt/fuzz_driver.py", seed, CASES, tmp_path)
    # The cases are worth something only if many get past the parser.
    assert codes.get(0, 0) > CASES // 10
