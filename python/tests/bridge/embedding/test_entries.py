"""Large buffers of several devices: only the used part is gathered, and results stay the same."""

from __future__ import annotations

import pytest

from support.bridge.ffi_programs import run_python

FOUR = {"XLA_FLAGS": "--xla_force_host_platform_device_count=4"}


@pytest.mark.parametrize("check", ["check_parts", "check_programs"])
def test_gathered_entries_are_those_of_all_devices(check: str) -> None:
    run_python(
        f"from support.embedding import entries_on_devices\nentries_on_devices.{check}()", **FOUR
    )
