"""Programs that run once for the devices of a process, which pass arrays anywhere in its memory."""

from __future__ import annotations

import subprocess
import sys

from support import SUPPORT


def test_programs_access_nothing_outside_of_the_arrays_of_devices() -> None:
    """In a process of its own, which an access to a protected page ends."""
    command = [sys.executable, str(SUPPORT / "tile/guarded_arrays.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
