"""The library's lookup on several devices, each time in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from support import SUPPORT

pytest.importorskip("jax_tpu_embedding", reason="jax-tpu-embedding is not installed")

PROGRAM = SUPPORT / "jax_tpu_embedding/lookups_on_devices.py"


@pytest.mark.parametrize(
    ("devices", "chip", "cores", "execute"),
    [(4, "v5p", 4, "cpu"), (8, "v6e", 2, "cpu"), (8, "v6e", 2, "chip")],
)
def test_lookups_on_several_devices_have_the_bits_of_the_reference(
    devices: int, chip: str, cores: int, execute: str
) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "NPROC"}
    done = subprocess.run(
        [
            sys.executable,
            str(PROGRAM),
            f"--devices={devices}",
            f"--chip={chip}",
            f"--execute={execute}",
        ],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{devices} devices x {cores} SparseCores\n"
