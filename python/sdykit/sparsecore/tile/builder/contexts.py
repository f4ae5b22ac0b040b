"""MLIR contexts to build tile programs in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sdykit.mlir import ir, make_context

_free: list[ir.Context] = []
"""Contexts that nobody uses: making one takes milliseconds. They are not kept by thread, as XLA's
threads end their Python state after each call."""


@contextmanager
def tile_context() -> Iterator[ir.Context]:
    """Lend a context to one caller, who must not keep anything of it."""
    try:
        context = _free.pop()
    except IndexError:
        context = make_context()
    yield context
    _free.append(context)
