"""Row-wise Adagrad, and rules of users that reduce over a row, in a layer."""

from __future__ import annotations

import pytest

from support.bridge.ffi_programs import run_python
from support.embedding import row_wise


def test_row_wise_rules_equal_the_reference_on_one_device() -> None:
    row_wise.check(1)


@pytest.mark.parametrize("devices", [2, 4])
def test_row_wise_rules_equal_the_reference_on_several_devices(devices: int) -> None:
    flags = f"--xla_force_host_platform_device_count={devices}"
    program = f"from support.embedding import row_wise\nrow_wise.check({devices})"
    run_python(program, XLA_FLAGS=flags)
