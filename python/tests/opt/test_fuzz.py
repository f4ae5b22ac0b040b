"""Mutated texts, bytecode and flags: whatever comes in, a message and exit code 0 or 1."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CASES = 150


@pytest.mark.parametrize("seed", range(4))
def test_fuzz(seed: int, tmp_path: Path):
    done = subprocess.run(
        [sys.executable, str(HERE / "fuzz_driver.py"), str(seed), str(CASES)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(HERE.parents[1])},
        capture_output=True,
        text=True,
        check=True,
    )
    result = json.loads(done.stdout)
    assert result["bad"] == []
    assert sum(result["codes"].values()) == CASES
    # The cases are worth something only if many get past the parser.
    assert result["codes"].get("0", 0) > CASES // 10
