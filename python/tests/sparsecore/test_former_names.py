"""Public modules that moved into folders keep their former names."""

from __future__ import annotations

import importlib

import pytest

MOVED = {
    "flags": ("config", ("resolve", "split_arguments")),
    "limit_counter": ("limits", ("LimitCounter", "StackObserved", "compute_limits")),
    "limits_file": ("limits", ("read_limits", "write_limits")),
    "limits_setup": ("limits", ("with_limits",)),
    "chip.memory": ("memory", ("HbmStack", "check_hbm_stack", "check_hbm_tables", "hbm_stack")),
    "rounding": ("optimizers.rounding", ("power", "row_sum")),
    "statistics": ("limits", ("RunningStatistics", "StackTotals")),
    "statistics_files": ("limits", ("load_statistics", "save_statistics")),
}


@pytest.mark.parametrize("former", MOVED)
def test_a_former_name_has_what_the_present_one_has(former: str) -> None:
    present, names = MOVED[former]
    old = importlib.import_module(f"sdykit.sparsecore.{former}")
    new = importlib.import_module(f"sdykit.sparsecore.{present}")
    assert {name: getattr(old, name) for name in names} == {
        name: getattr(new, name) for name in names
    }
