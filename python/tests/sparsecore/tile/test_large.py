"""Tables of more than 2^31 elements, of which few rows are read, and large activations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sdykit.sparsecore.codegen import run
from sdykit.sparsecore.tile.compile import compile_tile
from sdykit.sparsecore.tile.spec import LookupSpec

DIM, ROWS = 128, 2**24 + 64


@pytest.mark.parametrize("check_bounds", [False, True])
def test_a_lookup_reads_elements_that_int32_cannot_count(*, check_bounds: bool) -> None:
    rng = np.random.default_rng(11)
    some: dict[str, Any] = {"gains": False, "check_bounds": check_bounds}
    spec = LookupSpec(dim=DIM, samples_per_core=1, dtype="int8", layout="ids", **some)
    ids = np.array([[ROWS - 1, 0], [2**24, 1], [2**24 - 1, -1], [ROWS // 2, 5]], np.int32)
    table = np.zeros((ROWS, DIM), np.int8)
    touched = ids[ids >= 0]
    table[touched] = rng.integers(-128, 128, (len(touched), DIM))
    found = np.full((4, DIM), np.nan, np.float32)
    tile = compile_tile(spec, cache=None)
    status = np.zeros(8, np.int64)
    run(tile.code, [ids, table, found, status])
    assert not status.any()
    expected = [table[row[row >= 0]].astype(np.float32).sum(axis=0) for row in ids]
    assert table.size > 2**31
    assert np.array_equal(found, expected)


def aligned(shape: tuple[int, ...]) -> np.ndarray:
    """Return an array of float32 at the start of a cache line, as those of XLA are."""
    whole = np.full(int(np.prod(shape)) + 16, np.nan, np.float32)
    first = -(whole.ctypes.data // 4) % 16
    return whole[first : first + int(np.prod(shape))].reshape(shape)


@pytest.mark.parametrize("check_bounds", [False, True])
def test_large_activations_are_stored_past_the_caches(*, check_bounds: bool) -> None:
    rng = np.random.default_rng(12)
    some: dict[str, Any] = {"gains": False, "check_bounds": check_bounds}
    spec = LookupSpec(dim=64, samples_per_core=2**14, layout="ids", **some)
    tile = compile_tile(spec, cache=None)
    assert "nontemporal" in tile.source.text
    ids = rng.integers(-10, 1000, (2**16, 1)).astype(np.int32)
    table = rng.standard_normal((1000, 64)).astype(np.float32)
    found = aligned((2**16, 64))
    status = np.zeros(8, np.int64)
    run(tile.code, [ids, table, found, status], threads=2)
    assert not status.any()
    assert np.array_equal(found, np.where(ids < 0, np.float32(0), table[ids[:, 0]]))


def test_the_arguments_have_their_memory_traffic() -> None:
    spec = LookupSpec(dim=32, samples_per_core=8, layout="ids", num_devices=2)
    text = compile_tile(spec, cache=None).source.text
    assert "nontemporal" not in text
    assert 'sparsecore.name = "ids", sparsecore.work = 68 : i64' in text
    assert 'sparsecore.name = "activations", sparsecore.work = 4 : i64' in text
