"""Checks of loads and stores while a kernel runs, and what memory is before it is written.

They are added to kernels whose accesses are checked: others run without.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.lowering.emitter import Emitter
from sdykit.sparsecore.mosaic.lowering.independence import Touch
from sdykit.sparsecore.mosaic.lowering.numbers import Number, times
from sdykit.sparsecore.mosaic.lowering.view import View
from sdykit.sparsecore.mosaic.reports import Action

_OWN = ("vmem", "smem")
"""The spaces whose memory is a subcore's own."""


def touch(e: Emitter, view: View, offset: Number, count: Number | None, action: Action) -> None:
    """Add the check of a load or store, if accesses are checked.

    Args:
        e: the emitter that ops are added with.
        view: a memref; what subcores share only transfers touch, and `tpu.log_buffer`.
        offset: the position of the first element in the view's buffer.
        count: how many adjacent elements; None: one.
        action: what is done with them.
    """
    if e.poison is None or e.current is None or view.space not in _OWN:
        return
    if e.is_adding:
        if action == Action.READ:
            return
        action = Action.ADD
    bits, count = max(view.bits, 8), 1 if count is None else count
    place = e.kernel.places.of(e.current)
    where = [times(e.b, offset, bits), times(e.b, count, bits)]
    e.touches.append(Touch(view.buffer, offset, count, action))
    e.call("sc_touch", [view.buffer, *where, int(action), place])


def touch_word(e: Emitter, view: View, offset: Number, action: Action) -> None:
    """Add the check of a load or store of a word to which others may add, if accesses are checked."""
    if e.poison is not None and e.current is not None:
        word = e.b.part_of(view.buffer, e.b.at(offset), e.b.at(1))
        e.call("sc_touch_word", [word, int(action), e.kernel.places.of(e.current)])


@contextmanager
def adding(e: Emitter) -> Iterator[None]:
    """Add loads and stores that together are additions."""
    e.is_adding = True
    yield
    e.is_adding = False


def fill(e: Emitter, view: View, *, once: bool = False) -> None:
    """Make a whole buffer what it is before it is written, if accesses are checked."""
    if e.poison is not None:
        element = view.element if view.bits < 8 else view.stored
        size, pattern = max(view.bits, 8) // 8, e.poison.pattern(element)
        count = math.prod(ir.MemRefType(view.buffer.type).shape)
        e.call("sc_fill", [view.buffer, count * size, pattern, size, int(once)])
