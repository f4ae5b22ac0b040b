"""Counters in the reference machine: what an op adds to the counters of its subcore, before it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.counting import DMAS, INDIRECT_ROWS, ONCE, Counting
from sdykit.sparsecore.mosaic.reference.subcore import Subcore
from sdykit.sparsecore.mosaic.reference.transfers import operands
from sdykit.sparsecore.mosaic.reference.views import View
from sdykit.sparsecore.mosaic.scopes import START, Scopes
from sdykit.sparsecore.mosaic.types import bits_of, memref_of


def timer_of(scopes: Scopes, op: ir.Operation) -> Callable[..., None] | None:
    """Return what notes when a scope begins or ends; None: the op starts or stops none."""
    first, begins = scopes.first_word(op), op.name == START
    if first is None:
        return None
    return lambda me: me.machine.scope(me.number, first, begins=begins)


def counter_of(counting: Counting, op: ir.Operation) -> Callable[..., None]:
    """Return what counts an op: a function of the subcore and the values of its operands."""
    kind = ONCE.get(op.name)
    if kind is not None:
        column = counting.column(op, kind)
        return lambda me, *values: me.machine.count(me.number, column, 1)
    to_bytes, dmas = counting.byte_columns(op), counting.column(op, DMAS)
    moved = _direct(op) if op.name == "tpu.enqueue_dma" else _indirect(counting, op)

    def count(me: Subcore, *values: Any) -> None:
        me.machine.count(me.number, dmas, 1)
        size = moved(me, *values)
        for column in to_bytes:
            me.machine.count(me.number, column, size)

    return count


def _direct(op: ir.Operation) -> Callable[..., int]:
    pick = operands(op.opview, "target")
    return lambda me, *values: pick(values)[0].size_in_bytes


def _indirect(counting: Counting, op: ir.Operation) -> Callable[..., int]:
    """Return what counts the rows of an indirect transfer, and returns the bytes of all of them."""
    opview: Any = op.opview
    is_gather = memref_of(opview.target.type).space == "vmem"
    pick = operands(opview, "source" if is_gather else "target", "offsets", "offset_filter")
    column = counting.column(op, INDIRECT_ROWS)

    def count(me: Subcore, *values: Any) -> int:
        indexed, offsets, ignored = pick(values)
        numbers = offsets.read() if isinstance(offsets, View) else offsets
        rows = sum(int(row) != ignored for row in numbers.reshape(-1))
        me.machine.count(me.number, column, rows)
        elements = rows
        for size in indexed.shape[1:]:
            elements *= size
        return elements * bits_of(indexed.element) // 8

    return count
