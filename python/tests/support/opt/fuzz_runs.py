"""Runs a program that feeds a driver with mutated texts, as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from support import SUPPORT, TESTS


def run_fuzz(program: str, seed: int, cases: int, folder: Path) -> dict[int, int]:
    """Run cases drawn from a seed, and check that none ended as no user should see.

    Args:
        program: below `python/tests/support`. It takes the seed and the number of cases, and prints a
            JSON object: how often each exit code came, and the cases that ended badly.
        folder: for its files; inputs of such cases are left there.

    Returns:
        How often each exit code came.
    """
    done = subprocess.run(
        [sys.executable, str(SUPPORT / program), str(seed), str(cases)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (TESTS.parent, TESTS)))},
        capture_output=True,
        text=True,
        check=True,
    )
    result = json.loads(done.stdout)
    assert result["bad"] == []
    codes = {int(code): count for code, count in result["codes"].items()}
    assert sum(codes.values()) == cases
    return codes
