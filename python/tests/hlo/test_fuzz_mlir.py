"""Mutated MLIR, and mutated HLO text as MLIR: a message and exit code 0 or 1, nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CASES = 120


@pytest.mark.parametrize("seed", range(2))
def test_fuzz(seed: int, tmp_path: Path):
    tests = HERE.parent
    done = subprocess.run(
        [sys.executable, str(HERE / "fuzz_mlir.py"), str(seed), str(CASES)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (tests.parent, tests)))},
        capture_output=True,
        text=True,
        check=True,
    )
    result = json.loads(done.stdout)
    assert result["bad"] == []
    assert sum(result["codes"].values()) == CASES
    # The cases are worth something only if many get through, and many do not.
    assert result["codes"].get("0", 0) > CASES // 8
    assert result["codes"].get("1", 0) > CASES // 8
