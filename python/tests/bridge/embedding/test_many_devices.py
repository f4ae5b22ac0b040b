"""Several CPU devices, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from support import SUPPORT

PROGRAM = SUPPORT / "embedding/many_devices.py"
RUNS = 5


@pytest.mark.parametrize(
    ("devices", "execute"), [*((count, "cpu") for count in (1, 2, 4, 8)), (2, "chip"), (8, "chip")]
)
def test_results_are_bit_for_bit_those_of_the_reference(devices: int, execute: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "NPROC"}
    done = subprocess.run(
        [
            sys.executable,
            str(PROGRAM),
            f"--devices={devices}",
            f"--runs={RUNS}",
            f"--execute={execute}",
        ],
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{RUNS} runs on {devices} devices\n"
