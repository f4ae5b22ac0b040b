"""The distinct ids of a device, beside numpy's."""

from __future__ import annotations

import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.bridge.embedding.exchange.route import make_route
from sdykit.sparsecore.specs import INT32_MAX

sc.lookup  # noqa: B018  # Sets NPROC, and starts no backend.


# So many rows that ids are sorted in one, two and three passes.
@pytest.mark.parametrize("vocabulary", [1, 2, 1000, 1 << 11, 1 << 18, 5_000_000, INT32_MAX])
@pytest.mark.parametrize("size", [1, 7, 3000])
def test_ids_are_sorted_and_numbered(vocabulary: int, size: int) -> None:
    rng = np.random.default_rng(size)
    # Some are negative, and some are no rows.
    ids = rng.integers(-3, min(vocabulary + 3, INT32_MAX), size, dtype=np.int32, endpoint=True)
    ids[::2] = ids[0]
    found = make_route(ids, vocabulary)  # pyright: ignore[reportArgumentType]
    keys = np.where((ids >= 0) & (ids < vocabulary), ids, vocabulary)
    order = np.argsort(keys, kind="stable")
    distinct, numbers = np.unique(keys, return_inverse=True)
    starts = np.searchsorted(keys[order], distinct)
    pads = np.full(size - len(distinct), INT32_MAX)
    known = np.where(distinct == vocabulary, INT32_MAX, distinct)
    np.testing.assert_array_equal(found.entries, order)
    np.testing.assert_array_equal(found.ids, [*known, *pads])
    np.testing.assert_array_equal(found.numbers, np.where(keys == vocabulary, -1, numbers))
    np.testing.assert_array_equal(found.starts, [*starts, *np.full(len(pads) + 1, size)])
