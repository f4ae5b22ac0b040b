"""Counts that are computed from the figures of a batch, and those of the program that runs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sdykit.sparsecore.counts import Statistics, count
from sdykit.sparsecore.tile.counters import Counters, make_counters
from sdykit.sparsecore.tile.spec import TileSpec
from support.tile.tile_cases import COMPILE, run_once


def check_counts(
    spec: TileSpec, given: Mapping[str, np.ndarray], statistics: Statistics
) -> Counters:
    """Compare the counts of a batch with those of a run of the chip reading; return them."""
    tile = COMPILE(spec)
    found, is_kept = run_once(tile, given)
    assert is_kept
    assert not found["status"].any()
    ran = make_counters(spec, tile.source.text, {0: (1, found["counters"].ravel().tolist())})[0]
    computed = count(spec, statistics)
    assert computed.names == ran.names
    assert len(computed.loops) == len(ran.loops)
    for ours, theirs in zip(computed.loops, ran.loops, strict=True):
        assert ours.axes == theirs.axes
        for at, name in enumerate(ran.names):
            assert np.array_equal(ours.counts[..., at], theirs.counts[..., at]), name
    assert any(loops.counts.any() for loops in ran.loops)
    return computed
