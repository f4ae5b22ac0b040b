"""Runs of the programs in this directory, each in a process with CPU devices of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path


@cache
def errors(file: str, chip: str, devices: int, programs: tuple[str, ...]) -> dict[str, str | None]:
    """Run programs, one after another in one process, and return the error of each."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name(file)), *programs],
        env={**os.environ, "SDYKIT_CHIP": chip, "JAX_NUM_CPU_DEVICES": str(devices)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def run(programs: Mapping[str, Callable[[], None]]) -> None:
    """Run the programs that the command line names; print the error, if any, of each."""
    errors = {}
    for name in sys.argv[1:] or programs:
        try:
            programs[name]()
            errors[name] = None
        except Exception:
            errors[name] = traceback.format_exc()
    print(json.dumps(errors))
