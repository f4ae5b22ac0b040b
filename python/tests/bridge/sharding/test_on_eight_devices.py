"""Runs the tests of the files `runs_*.py` in processes of their own, each with 8 CPU devices.

To see one: JAX_NUM_CPU_DEVICES=8 NPROC=16 python -m pytest python/tests/bridge/sharding/runs_groups.py
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FILES = sorted(Path(__file__).parent.glob("runs_*.py"))


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_runs(path: Path) -> None:
    env = {**os.environ, "JAX_NUM_CPU_DEVICES": "8", "NPROC": "16"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(path)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
