"""Bounds checks are in a program if its spec asks for them; `run_tile` runs every program so."""

from __future__ import annotations

from sdykit.sparsecore.tile.spec import LookupSpec
from support.tile.tile_cases import COMPILE


def test_without_check_bounds_no_access_is_guarded() -> None:
    text = COMPILE(LookupSpec(dim=4, samples_per_core=4)).source.text
    assert "out of the bounds" not in text
    checked = COMPILE(LookupSpec(dim=4, samples_per_core=4, check_bounds=True)).source.text
    assert "out of the bounds" in checked
