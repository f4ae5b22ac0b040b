"""Counters in a tile program: an op adds to the row of its subcore, before it runs. Times of scopes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.counting import DMAS, INDIRECT_ROWS, ONCE, Counting
from sdykit.sparsecore.mosaic.lowering.emitter import Emitter
from sdykit.sparsecore.mosaic.lowering.numbers import Number, product, times
from sdykit.sparsecore.mosaic.lowering.semaphores import byte_count, bytes_of
from sdykit.sparsecore.mosaic.lowering.transfers import Offsets, is_gather
from sdykit.sparsecore.mosaic.scopes import START, Scopes


def counter_of(counting: Counting, counters: ir.Value) -> Callable[[Emitter, ir.Operation], None]:
    """Return what counts an op.

    Args:
        counting: the counters of the kernel.
        counters: the argument of the entry function that has them, `memref<subcores x counters x i64>`.
    """

    def count(e: Emitter, op: ir.Operation) -> None:
        if not counting.is_counted(op):
            return
        kind = ONCE.get(op.name)
        if kind is not None:
            add(e, counting.column(op, kind), 1)
            return
        opview: Any = op.opview
        moved: Number
        if op.name == "tpu.enqueue_dma":
            moved = byte_count(e, e.view(opview.target))
        else:
            rows, moved = _rows(e, op)
            add(e, counting.column(op, INDIRECT_ROWS), rows)
        add(e, counting.column(op, DMAS), 1)
        for column in counting.byte_columns(op):
            add(e, column, moved)

    def add(e: Emitter, column: int, amount: Number) -> None:
        old = e.b.load(counters, e.agent, column)
        new = e.b.op("arith.addi", [old, e.b.to_integer(e.b.at(amount), "i64")], [old.type])
        e.b.store(new.result, counters, e.agent, column)

    return count


def timer_of(scopes: Scopes, times: ir.Value) -> Callable[[Emitter, ir.Operation], None]:
    """Return what notes when scopes begin and end, at the ops that start and stop them.

    Args:
        scopes: the scopes of the kernel.
        times: the argument of the entry function for it, `memref<subcores x words x i64>`.
    """

    def note(e: Emitter, op: ir.Operation) -> None:
        first = scopes.first_word(op)
        if first is None:
            return
        row = e.b.mul(e.agent, scopes.shape[1])
        function = "sc_scope_begin" if op.name == START else "sc_scope_end"
        e.call(function, [times, e.b.add(row, first)])

    return note


def _rows(e: Emitter, op: ir.Operation) -> tuple[Number, Number]:
    """Return how many rows an indirect transfer moves, and the bytes of all of them."""
    opview: Any = op.opview
    source, target = e.view(opview.source), e.view(opview.target)
    indexed = source if is_gather(source, target) else target
    offsets = Offsets(e, op, opview.offsets)
    rows = offsets.count
    if opview.offset_filter is not None:
        skipped = e.value(opview.offset_filter)

        def row(position: ir.Value, so_far: ir.Value) -> tuple[ir.Value]:
            moved = e.b.compare("ne", offsets.at(position), skipped)
            return (e.b.add(so_far, e.b.convert("arith.index_castui", moved, e.b.index)),)

        (rows,) = e.b.loop(0, rows, row, [e.b.at(0)])
    return rows, bytes_of(e, times(e.b, rows, product(e.b, indexed.sizes[1:])), indexed.element)
