"""Transfers of subcores that may wait for each other: calls of the runtime."""

from __future__ import annotations

from typing import Any

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.lowering.agents import OWN, find_agent
from sdykit.sparsecore.mosaic.lowering.emitter import Emitter
from sdykit.sparsecore.mosaic.lowering.numbers import Number
from sdykit.sparsecore.mosaic.lowering.pieces import Pieces, pieces_of
from sdykit.sparsecore.mosaic.lowering.semaphores import byte_count
from sdykit.sparsecore.mosaic.lowering.vectors.lanes import is_float
from sdykit.sparsecore.mosaic.lowering.view import View
from sdykit.sparsecore.mosaic.types import bits_of

_COPY = 0
_ADDITIONS = {"f32": 2, "f64": 2, "bf16": 3}
"""Operations of `sc_dma` that add floats, by the element."""
_ADD_INTEGERS = 1
NONE = -1


def enqueue(e: Emitter, op: ir.Operation, source: View, target: View) -> None:
    """Add the call for a `tpu.enqueue_dma`."""
    opview: Any = op.opview
    semaphore = e.view(opview.target_semaphore)
    sent = opview.source_semaphore
    agent = find_agent(e, op, opview.target)
    numbers = [
        e.kernel.places.of(op),
        semaphore.offset,
        find_agent(e, op, opview.target_semaphore),
        byte_count(e, target),
        NONE if sent is None else e.view(sent).offset,
        0 if sent is None else byte_count(e, source),
        agent if target.space != "hbm" else OWN,
        _COPY,
    ]
    pieces = pieces_of(e, op, source, target)
    memory = [source.buffer, target.buffer]
    e.call("sc_dma", [*memory, *numbers, *_of(pieces), *pieces.dimensions])


def enqueue_indirect(
    e: Emitter,
    op: ir.Operation,
    sides: tuple[View, View],
    rows: tuple[View, View],
    *,
    offsets: View,
    count: Number,
    is_gather: bool,
) -> None:
    """Add the call for a `tpu.enqueue_indirect_dma`.

    Args:
        e: the emitter that ops are added with.
        op: the transfer.
        sides: source and target, with a first dimension of rows.
        rows: the first row of each.
        offsets: where the offsets are, of rank 1.
        count: how many there are.
        is_gather: whether they index the source.
    """
    opview: Any = op.opview
    source, target = sides
    indexed, dense = sides if is_gather else sides[::-1]
    adds = opview.add is not None and bool(opview.add.value)
    skipped = opview.offset_filter
    operation = _operation(e, op, target) if adds else _COPY
    pieces = pieces_of(e, op, *rows)
    numbers = [
        e.kernel.places.of(op),
        e.view(opview.semaphore).offset,
        OWN,
        byte_count(e, dense),
        NONE,
        0,
        OWN,
        operation,
        *_of(pieces),
        count,
        indexed.sizes[0],
        offsets.offset,
        offsets.strides[0],
        int(not is_gather),
        int(skipped is not None),
        0 if skipped is None else e.number(skipped),
        *(_row_bits(e, each) for each in sides),
        *(number for each in sides for number in _row_parts(each)),
    ]
    memory = [source.buffer, target.buffer, offsets.buffer]
    e.call("sc_indirect", [*memory, *numbers, *pieces.dimensions])


def _operation(e: Emitter, op: ir.Operation, target: View) -> int:
    """Return the number of the operation that adds to a target."""
    if target.element in _ADDITIONS:
        return _ADDITIONS[target.element]
    if is_float(target.element) or bits_of(target.element) < 8:
        raise e.not_lowered(op, f"that adds {target.element}")
    return _ADD_INTEGERS


def _of(pieces: Pieces) -> list[Number]:
    return [pieces.bits, pieces.stored_bits, *pieces.offsets]


def _row_parts(view: View) -> tuple[int, int]:
    """Return how many rows are in one of wider elements, and the bits between them."""
    parts = view.parts
    if parts is None or parts.is_wide or parts.row != 0:
        return 1, 0
    return parts.count, bits_of(view.element)


def _row_bits(e: Emitter, view: View) -> Number:
    stride, bits = view.strides[0], max(view.bits, 8)
    return stride * bits if isinstance(stride, int) else e.b.mul(stride, bits)
