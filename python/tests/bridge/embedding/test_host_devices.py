"""Threads for several CPU devices."""

from __future__ import annotations

import pytest

from support.bridge.ffi_programs import run_python

SHOWS = """
import os
from sdykit.sparsecore import lookup
print(os.environ.get("NPROC"))
"""
DEVICES = "--xla_force_host_platform_device_count"


@pytest.mark.parametrize(
    ("flags", "given", "expected"),
    [
        ("", "", ""),
        (f"{DEVICES}=1", "", ""),
        (f"{DEVICES}=8", "", "16"),
        (f"{DEVICES}=8", "4", "16"),
        (f"{DEVICES}=8", "32", "32"),
        (f"{DEVICES}=2 --xla_cpu_enable_fast_math=false {DEVICES}=64", "", "128"),
    ],
)
def test_the_number_of_threads_is_set_before_jax_starts(
    flags: str, given: str, expected: str
) -> None:
    assert run_python(SHOWS, XLA_FLAGS=flags, NPROC=given) == f"{expected}\n"


def test_devices_of_the_option_of_jax_have_threads() -> None:
    program = 'import jax\njax.config.update("jax_num_cpu_devices", 64)\n' + SHOWS
    assert run_python(program, XLA_FLAGS="", NPROC="") == "128\n"


def test_nothing_changes_after_the_backend_has_started() -> None:
    program = "import jax\njax.devices()\n" + SHOWS
    # The plugin would see to it before.
    found = run_python(program, XLA_FLAGS=f"{DEVICES}=64", NPROC="", SDYKIT_PLUGIN="off")
    assert found == "\n"


def test_too_few_threads_after_the_start_are_warned_of() -> None:
    program = """
    import os, warnings, jax
    mesh = jax.make_mesh((64,), ("x",))
    import sdykit.sparsecore as sc
    features = [sc.FeatureSpec("f", sc.TableSpec("t", 8, 8), 256)]
    with warnings.catch_warnings(record=True) as found:
        sc.Embedding(features, mesh=mesh)
    (only,) = found
    text = str(only.message)
    assert text == (
        f"NPROC is not set and there are {os.cpu_count()} cores for 64 CPU devices; expected "
        "NPROC=128 or more: XLA's collectives may end in a time-out. Import sdykit.sparsecore "
        "after the number of devices is set and before JAX makes them, or set NPROC"
    ), text
    with warnings.catch_warnings(record=True) as found:
        sc.Embedding(features)
    assert not found
    """
    lines = "\n".join(line.removeprefix("    ") for line in program.splitlines())
    found = run_python(lines, XLA_FLAGS=f"{DEVICES}=64", NPROC="", SDYKIT_PLUGIN="off")
    assert found == ""
