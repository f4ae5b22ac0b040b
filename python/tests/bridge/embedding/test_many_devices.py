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
    ("devices", "execute", "transport"),
    [
        *((count, "cpu", "memory") for count in (1, 2, 4, 8)),
        (4, "cpu", "collectives"),
        *((count, "chip", "collectives") for count in (2, 8)),
    ],
)
def test_results_are_bit_for_bit_those_of_the_reference(
    devices: int, execute: str, transport: str
) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "NPROC"}
    done = subprocess.run(
        [
            sys.executable,
            str(PROGRAM),
            f"--devices={devices}",
            f"--runs={RUNS}",
            f"--execute={execute}",
            f"--transport={transport}",
        ],
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{RUNS} runs on {devices} devices\n"
