"""Transfers. If subcores never wait for each other, they are copies where they are enqueued."""

from __future__ import annotations

from typing import Any

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.lowering import remote
from sdykit.sparsecore.mosaic.lowering.copies import copy
from sdykit.sparsecore.mosaic.lowering.elements import load, locate
from sdykit.sparsecore.mosaic.lowering.emitter import Emitter
from sdykit.sparsecore.mosaic.lowering.numbers import Number, plus, product
from sdykit.sparsecore.mosaic.lowering.registry import lowers
from sdykit.sparsecore.mosaic.lowering.semaphores import byte_count, wait_for
from sdykit.sparsecore.mosaic.lowering.view import View
from sdykit.sparsecore.mosaic.lowering.views import slice_of
from sdykit.sparsecore.mosaic.reports import OffsetOutOfBounds, WriteToInput
from sdykit.sparsecore.mosaic.types import is_memref

_AHEAD = 16
"""How many rows before it is copied a row is prefetched."""
_PREFETCHED_LINES = 8
_LINE_BYTES = 64


@lowers("tpu.enqueue_dma")
def _enqueue(e: Emitter, op: ir.Operation) -> None:
    opview: Any = op.opview
    source, target = e.view(opview.source), e.view(opview.target)
    if not check_writable(e, op, target):
        return
    if e.is_together:
        remote.enqueue(e, op, source, target)
        return
    if opview.source_semaphore is not None:
        raise e.not_lowered(op, "with two semaphores")
    copy(e, op, source, target)
    place = e.kernel.places.of(op)
    e.counts.add(e.view(opview.target_semaphore), byte_count(e, target), place)


def check_writable(e: Emitter, op: ir.Operation, target: View) -> bool:
    """Add a failure if a transfer writes an input of the call; return whether it may write.

    It may if a result is aliased with the input.
    """
    number = e.inputs.get(target.buffer)
    if number is None:
        return True
    never = e.b.constant("0", "i1")
    e.fail_unless(never, WriteToInput.kind, e.agent, e.kernel.places.of(op), number)
    return False


@lowers("tpu.wait_dma2")
def _wait(e: Emitter, op: ir.Operation) -> None:
    opview: Any = op.opview
    wait_for(e, op, e.view(opview.semaphore), byte_count(e, e.view(opview.dst)))


@lowers("tpu.wait_indirect_dma")
def _wait_indirect(e: Emitter, op: ir.Operation) -> None:
    opview: Any = op.opview
    source, target = e.view(opview.src), e.view(opview.dst)
    moved = target if is_gather(source, target) else source
    wait_for(e, op, e.view(opview.semaphore), byte_count(e, moved))


def is_gather(source: View, target: View) -> bool:
    """Return whether an indirect transfer reads rows by offsets; otherwise it writes them so."""
    return target.space == "vmem" and source.space != "vmem"


@lowers("tpu.enqueue_indirect_dma")
def _enqueue_indirect(e: Emitter, op: ir.Operation) -> None:
    opview: Any = op.opview
    source, target = e.view(opview.source), e.view(opview.target)
    if not check_writable(e, op, target):
        return
    gathers = is_gather(source, target)
    indexed, dense = (source, target) if gathers else (target, source)
    adds = opview.add is not None and bool(opview.add.value)
    offsets = Offsets(e, op, opview.offsets)
    dense = _rows(dense, offsets.count)
    if e.is_together:
        sides = (indexed, dense) if gathers else (dense, indexed)
        rows = tuple(_row(e, op, each, 0) for each in sides)
        remote.enqueue_indirect(
            e,
            op,
            sides,
            (rows[0], rows[1]),
            offsets=offsets.in_memory(),
            count=offsets.count,
            is_gather=gathers,
        )
        return
    skipped = None if opview.offset_filter is None else e.value(opview.offset_filter)
    _prefetch_first(e, indexed, offsets, enabled=gathers)

    def row(position: ir.Value) -> tuple[()]:
        offset = offsets.at(position)
        if gathers:
            _prefetch_ahead(e, indexed, offsets, position)

        def move() -> tuple[()]:
            _check_offset(e, op, offset, position, indexed.sizes[0])
            there = _row(e, op, indexed, e.b.to_index(offset))
            here = _row(e, op, dense, position)
            copy(e, op, *((there, here) if gathers else (here, there)), add=adds)
            return ()

        if skipped is None:
            move()
        else:
            e.b.choose(e.b.compare("ne", offset, skipped), move)
        return ()

    e.b.loop(0, offsets.count, row)
    e.counts.add(e.view(opview.semaphore), byte_count(e, dense), e.kernel.places.of(op))


class Offsets:
    """The offsets of an indirect transfer, in VMEM or in a vector.

    Args:
        e: the emitter that ops are added with.
        op: the transfer.
        value: the operand that has them.
    """

    def __init__(self, e: Emitter, op: ir.Operation, value: ir.Value) -> None:
        self._e, self._view, self._vector = e, None, None
        if is_memref(value.type):
            self._view = e.view(value)
            long = [at for at, size in enumerate(self._view.sizes) if size != 1]
            if len(long) > 1:
                raise e.not_lowered(op, f"with offsets of sizes {self._view.sizes}")
            self._dimension = long[0] if long else len(self._view.sizes) - 1
            self.count: Number = product(e.b, self._view.sizes)
        else:
            self._vector = e.value(value)
            self.count = ir.VectorType(value.type).shape[-1]

    def in_memory(self) -> View:
        """Return the offsets as a view of rank 1; those of a vector are stored."""
        if self._view is None:
            assert self._vector is not None
            assert isinstance(self.count, int)
            buffer = self._e.b.spmem([self.count], "i32")
            self._e.b.store_vector(self._vector, buffer, [0])
            return View(buffer, 0, (self.count,), (1,), "i32", "vmem", 32)
        view, at = self._view, self._dimension
        return view.at(view.offset, (self.count,), (view.strides[at],))

    def at(self, position: ir.Value) -> ir.Value:
        """Return the offset at a position, an i32."""
        e = self._e
        if self._view is not None:
            indices: list[Number] = [0] * len(self._view.sizes)
            indices[self._dimension] = position
            return load(e, self._view, indices, None)
        assert self._vector is not None
        dynamic = f"array<i64: {ir.ShapedType.get_dynamic_size()}>"
        operands, types = [self._vector, position], [e.b.type("i32")]
        return e.b.op("vector.extract", operands, types, static_position=dynamic).result


def _rows(dense: View, count: Number) -> View:
    """Return the side in VMEM with a first dimension that counts the offsets."""
    while len(dense.sizes) > 1 and dense.sizes[0] == 1 and count != 1:
        dense = dense.at(dense.offset, dense.sizes[1:], dense.strides[1:])
    return dense


def _row(e: Emitter, op: ir.Operation, view: View, index: Number) -> View:
    """Return one row of a view."""
    starts: list[Number] = [index, *[0] * (len(view.sizes) - 1)]
    return slice_of(e, op, view, starts, (1, *view.sizes[1:]))


def _check_offset(
    e: Emitter, op: ir.Operation, offset: ir.Value, position: ir.Value, rows: Number
) -> None:
    wide = e.b.to_index(offset)
    place = e.kernel.places.of(op)
    numbers = (e.agent, place, wide, position, rows)
    e.fail_unless(e.b.compare("ult", wide, rows), OffsetOutOfBounds.kind, *numbers)


def _prefetch_first(e: Emitter, indexed: View, offsets: Offsets, *, enabled: bool) -> None:
    """Prefetch the first rows that a gather reads."""
    count = offsets.count
    if not enabled or not isinstance(count, int):
        return

    def body(position: ir.Value) -> tuple[()]:
        _prefetch_row(e, indexed, offsets.at(position))
        return ()

    e.b.loop(0, min(_AHEAD, count), body)


def _prefetch_ahead(e: Emitter, indexed: View, offsets: Offsets, position: ir.Value) -> None:
    """Prefetch a row that a gather will read; the last one again when there are no more."""
    count = offsets.count
    if isinstance(count, int):
        later = e.b.minimum(plus(e.b, position, _AHEAD), count - 1)
        _prefetch_row(e, indexed, offsets.at(later))


def _prefetch_row(e: Emitter, indexed: View, offset: ir.Value) -> None:
    """Prefetch the beginning of a row; nothing happens if there is no such row."""
    start, _ = locate(e, indexed, [e.b.to_index(offset), *[0] * (len(indexed.sizes) - 1)])
    row = product(e.b, indexed.sizes[1:])
    per_line = _LINE_BYTES * 8 // max(indexed.bits, 8)
    lines = -(-row // per_line) if isinstance(row, int) else 1
    for line in range(min(lines, _PREFETCHED_LINES)):
        e.b.prefetch(indexed.buffer, plus(e.b, start, line * per_line))
