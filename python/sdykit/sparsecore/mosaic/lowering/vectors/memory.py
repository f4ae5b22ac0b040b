"""Lowerings of loads and stores by mask, and of gathers and scatters within a subcore's memory."""

from __future__ import annotations

from typing import Any

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.lowering.checked_accesses import touch
from sdykit.sparsecore.mosaic.lowering.emitter import Emitter
from sdykit.sparsecore.mosaic.lowering.failures import check_block
from sdykit.sparsecore.mosaic.lowering.numbers import Number, dot, plus
from sdykit.sparsecore.mosaic.lowering.registry import lowers
from sdykit.sparsecore.mosaic.lowering.vectors.arithmetic import element_name
from sdykit.sparsecore.mosaic.lowering.vectors.lanes import (
    DYNAMIC,
    as_bits,
    count_of,
    each,
    element,
    element_of,
    flattened,
    has_all,
    is_float,
    reshaped,
    vector,
)
from sdykit.sparsecore.mosaic.lowering.vectors.scans import first_lane, mask_count
from sdykit.sparsecore.mosaic.lowering.view import View
from sdykit.sparsecore.mosaic.reports import Access, Action, IndexOutOfBounds
from sdykit.sparsecore.tile.builder.lanes import lanes_of
from sdykit.sparsecore.tile.builder.ops import Builder


@lowers("tpu.vector_load masked")
def _expanding_load(e: Emitter, op: ir.Operation) -> None:
    opview: Any = op.opview
    view, mask = e.view(opview.base), flattened(e.b, e.value(opview.mask))
    place = _start(e, op, view, mask, Access.LOAD)
    _touch_block(e, view, place, mask, Action.READ)
    found = _expanded(e, view, place, mask)
    e.set(op.results[0], reshaped(e.b, found, op.results[0].type))


@lowers("tpu.vector_store masked")
def _compressing_store(e: Emitter, op: ir.Operation) -> None:
    opview: Any = op.opview
    view, mask = e.view(opview.base), flattened(e.b, e.value(opview.mask))
    value = flattened(e.b, e.value(opview.valueToStore))
    place = _start(e, op, view, mask, Access.STORE)
    _touch_block(e, view, place, mask, Action.ADD if _adds(opview) else Action.WRITE)
    if _adds(opview):
        value = _sum(e.b, _expanded(e, view, place, mask), value)
    e.b.op("vector.compressstore", [view.buffer, place, mask, _stored(e.b, value, view)])


def _start(e: Emitter, op: ir.Operation, view: View, mask: ir.Value, access: Access) -> ir.Value:
    """Check what a load or store by mask touches, and return the position of the first element."""
    opview: Any = op.opview
    _check_plain(e, op, view)
    if view.strides[-1] != 1 or any(stride != 1 for stride in opview.strides):
        raise e.not_lowered(op, "with strides")
    indices = e.numbers(list(opview.indices))
    count = e.b.to_index(mask_count(e.b, mask))
    sizes: list[Number] = [*[1] * (len(indices) - 1), count]
    check_block(e, (op, access), view, indices, sizes)
    return e.b.at(plus(e.b, view.offset, dot(e.b, indices, view.strides)))


def _check_plain(e: Emitter, op: ir.Operation, view: View) -> None:
    """Check that elements are in memory as the kernel sees them.

    Raises:
        NotLowered: they are parts of others, or narrower than a byte.
    """
    if view.parts is not None or view.bits < 8:
        raise e.not_lowered(op, f"of {view.element} in memory of another type")


def _adds(opview: Any) -> bool:
    return opview.add is not None and opview.add.value


def _sum(b: Builder, left: ir.Value, right: ir.Value) -> ir.Value:
    """Return the sum of two numbers, or vectors of them."""
    return b.floats(
        "arith.addf" if is_float(element_name(left.type)) else "arith.addi", left, right
    )


def _stored(b: Builder, values: ir.Value, view: View) -> ir.Value:
    """Return elements of a view as memory holds them."""
    to = vector(b, lanes_of(values), view.stored)
    return values if values.type == to else b.convert("arith.bitcast", values, to)


def _seen(b: Builder, values: ir.Value, view: View) -> ir.Value:
    """Return elements of memory as the kernel sees them."""
    to = vector(b, lanes_of(values), view.element)
    return values if values.type == to else b.convert("arith.bitcast", values, to)


def _touch_block(e: Emitter, view: View, place: ir.Value, mask: ir.Value, action: Action) -> None:
    """Add the check of an access to as many adjacent elements as a mask has lanes."""
    if e.poison is not None:
        touch(e, view, place, e.b.to_index(mask_count(e.b, mask)), action)


def _undefined(e: Emitter, view: View, lanes: int) -> ir.Value:
    """Return what lanes hold that are not loaded: 0, if accesses are not checked."""
    type_ = vector(e.b, lanes, view.stored)
    if e.poison is None:
        return each(e.b, 0.0 if is_float(view.stored) else 0, type_)
    return e.b.op(
        "arith.constant", [], [type_], value=str(e.poison.vector(lanes, view.stored))
    ).result


def _expanded(e: Emitter, view: View, place: ir.Value, mask: ir.Value) -> ir.Value:
    """Return adjacent elements in the lanes of a mask; others are undefined."""
    b = e.b
    zeros = _undefined(e, view, lanes_of(mask))
    operands = [view.buffer, place, mask, zeros]
    return _seen(b, b.op("vector.expandload", operands, [zeros.type]).result, view)


@lowers("tpu.vector_load_idx")
def _gather(e: Emitter, op: ir.Operation) -> None:
    opview: Any = op.opview
    view, b = e.view(opview.base), e.b
    offset, lanes, mask = _places(e, op, view, Access.GATHER)
    _touch_lanes(e, view, (offset, lanes, mask), Action.READ)
    zeros = _undefined(e, view, lanes_of(lanes))
    found = b.op("vector.gather", [view.buffer, offset, lanes, mask, zeros], [zeros.type]).result
    e.set(op.results[0], reshaped(b, _seen(b, found, view), op.results[0].type))


@lowers("tpu.vector_store_idx")
def _scatter(e: Emitter, op: ir.Operation) -> None:
    opview: Any = op.opview
    view, b = e.view(opview.base), e.b
    values = flattened(b, e.value(opview.valueToStore))
    offset, lanes, mask = _places(e, op, view, Access.SCATTER)
    action = Action.ADD if _adds(opview) else Action.WRITE
    _touch_lanes(e, view, (offset, lanes, mask), action)
    if _adds(opview):
        for lane in range(lanes_of(lanes)):
            place = b.add(offset, b.to_index(element(b, lanes, lane)))
            _add_lane(b, view, place, element(b, values, lane), _lane_of(b, mask, lane))
        return
    # Of lanes with the same place, the last one is the last to write.
    b.op("vector.scatter", [view.buffer, offset, lanes, mask, _stored(b, values, view)])


def _touch_lanes(
    e: Emitter, view: View, places: tuple[ir.Value, ir.Value, ir.Value], action: Action
) -> None:
    """Add the checks of the lanes in a mask; `places` is what `_places` returns."""
    offset, lanes, mask = places
    for lane in range(lanes_of(lanes) if e.poison is not None else 0):

        def check(lane: int = lane) -> tuple[()]:
            touch(e, view, e.b.add(offset, e.b.to_index(element(e.b, lanes, lane))), None, action)
            return ()

        condition = _lane_of(e.b, mask, lane)
        if condition is None:
            check()
        else:
            e.b.choose(condition, check)


def _lane_of(b: Builder, mask: ir.Value, lane: int) -> ir.Value | None:
    """Return whether a lane is in a mask; None if that is certain."""
    return None if has_all(mask) else element(b, mask, lane)


def _add_lane(
    b: Builder, view: View, place: ir.Value, value: ir.Value, condition: ir.Value | None
) -> None:
    """Add a number to an element of memory, if a condition holds."""

    def add() -> tuple[()]:
        before = b.load(view.buffer, place)
        if before.type != value.type:
            before = b.convert("arith.bitcast", before, value.type)
        total = _sum(b, before, value)
        if view.stored != str(total.type):
            total = b.convert("arith.bitcast", total, view.stored)
        b.store(total, view.buffer, place)
        return ()

    if condition is None:
        add()
    else:
        b.choose(condition, add)


def _places(
    e: Emitter, op: ir.Operation, view: View, access: Access
) -> tuple[ir.Value, ir.Value, ir.Value]:
    """Check the indices of a gather or scatter.

    Returns:
        The position of the view's first element, the distance of each lane's element from it, a
        vector of i32, and the mask.
    """
    opview: Any = op.opview
    b, indices = e.b, [flattened(e.b, index) for index in e.values(list(opview.indices))]
    _check_plain(e, op, view)
    if element_of(indices[0]) != "i32":
        raise e.not_lowered(op, f"by '{indices[0].type}'")
    lanes = vector(b, count_of(indices[0]), "i1")
    given = None if opview.mask is None else flattened(b, e.value(opview.mask))
    mask = each(b, "true", lanes) if given is None else given
    for dimension, index in enumerate(indices):
        _check_inside(e, (op, access, dimension), view, index, mask)
    distances = [
        _times(b, index, stride) for index, stride in zip(indices, view.strides, strict=True)
    ]
    total = distances[0]
    for distance in distances[1:]:
        total = b.integers("arith.addi", total, distance)
    return b.at(view.offset), total, mask


def _times(b: Builder, index: ir.Value, stride: Number) -> ir.Value:
    """Return indices times a stride; both are small, since a subcore's memory is."""
    return index if stride == 1 else b.integers("arith.muli", index, _each(b, stride, index.type))


def _each(b: Builder, number: Number, type_: ir.Type) -> ir.Value:
    """Return a vector of i32 with the same number in each lane."""
    if isinstance(number, int):
        return each(b, number, type_)
    return b.splat(b.to_integer(number, "i32"), type_)


def _check_inside(
    e: Emitter,
    what: tuple[ir.Operation, Access, int],
    view: View,
    index: ir.Value,
    mask: ir.Value,
) -> None:
    """Add the check that the indices of the lanes in a mask are less than the size of a dimension."""
    b, (op, access, dimension) = e.b, what
    size = view.sizes[dimension]
    outside = b.compare("uge", index, _each(b, size, index.type))
    if not has_all(mask):
        outside = b.integers("arith.andi", outside, mask)
    bits = as_bits(b, outside)
    holds = b.compare("eq", bits, b.constant("0", bits.type))

    def fail() -> tuple[()]:
        lane = b.to_index(first_lane(b, outside))
        wrong = b.op("vector.extract", [index, lane], [b.type("i32")], static_position=DYNAMIC)
        place, rank = e.kernel.places.of(op), len(view.sizes)
        where = (e.agent, place, int(access), lane, dimension, rank)
        e.fail(IndexOutOfBounds.kind, *where, b.to_index(wrong.result), size)
        return ()

    b.choose(holds, tuple, fail)
