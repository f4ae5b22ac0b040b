"""When the scopes of kernels began and ended in a recording."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from sdykit.sparsecore.mosaic.kernel import read_kernel
from sdykit.sparsecore.mosaic.scopes import Scopes, executions
from sdykit.sparsecore.mosaic.spec import MosaicSpec
from sdykit.sparsecore.run import ScopeSpans


def scope_spans(recorded: Iterable[tuple[int, MosaicSpec, bytes]], begin: int) -> ScopeSpans:
    """Return the spans of the scopes of some calls.

    Args:
        recorded: the number of each call, its kernel, and the words that it noted, int64.
        begin: when the recording began, in nanoseconds.
    """
    rows = []
    for call, spec, data in recorded:
        names, subcores = _scopes(spec.module, spec.name)
        words = np.frombuffer(data, np.int64).reshape(len(subcores), -1)
        for each in executions(names, words):
            times = [(at - begin) / 1e9 for at in (each.start, each.end)]
            more = each.left_out, each.left_out_nanoseconds / 1e9
            rows.append((call, *subcores[each.agent], each.scope, *times, *more))
    columns = zip(*rows, strict=True) if rows else [()] * len(ScopeSpans.kinds())
    kinds: Mapping[str, Any] = {"U": np.str_, "f": np.float64, "iu": np.int64}
    return ScopeSpans(
        **{
            name: np.array(column, kinds[kind])
            for (name, (kind, _)), column in zip(ScopeSpans.kinds().items(), columns, strict=True)
        }
    )


@lru_cache(maxsize=256)
def _scopes(module: str, name: str) -> tuple[tuple[str, ...], tuple[tuple[int, int], ...]]:
    """Return the scopes of a kernel, and the SparseCore and tile of each subcore; -1: it has none."""
    kernel = read_kernel(module, name)
    tiles = [-1 if each.subcore is None else each.subcore for each in kernel.agents]
    cores = [each.core for each in kernel.agents]
    return Scopes(kernel).names, tuple(zip(cores, tiles, strict=True))
