"""MLIR contexts to build tile programs in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sdykit.mlir import ir, make_context

_free: list[ir.Context] = []
"""To make one takes milliseconds. They are kept here and not by threads: the threads of XLA end
their Python state with each call."""


@contextmanager
def tile_context() -> Iterator[ir.Context]:
    """Lend a context to one user, who keeps nothing of it."""
    try:
        context = _free.pop()
    except IndexError:
        context = make_context()
    yield context
    _free.append(context)
