"""Loads and stores: a subcore and its own memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.reference.memory import Array
from sdykit.sparsecore.mosaic.reference.memrefs import Do
from sdykit.sparsecore.mosaic.reference.sites import Sites
from sdykit.sparsecore.mosaic.reference.subcore import Subcore
from sdykit.sparsecore.mosaic.reference.tables import Table
from sdykit.sparsecore.mosaic.reference.values import error_of, type_of
from sdykit.sparsecore.mosaic.reference.views import View
from sdykit.sparsecore.mosaic.reports import Access, Action, IndexOutOfBounds

OPS: Table[Callable[[ir.OpView, Sites], Do]] = Table("Loads and stores")

Lanes = tuple[tuple[Array, ...], Array]
"""An index vector for each dimension, and the mask."""


@OPS("tpu.vector_load")
def vector_load(op: Any, sites: Sites) -> Do:
    """The block at the indices, of the vector's shape; leading dimensions it lacks are 1.

    `masked`: expanding. The j-th true lane takes the j-th element; only as many are read as lanes
    are true, and other lanes are undefined.
    """
    _check_strides(op)
    place, type_, is_masked = sites.place(op), type_of(op.results[0]), op.mask is not None
    shape = type_.shape or ()

    def run(me: Subcore, memref: View, *operands: Any) -> Array:
        if not is_masked:
            return me.load(place, memref, operands, _sizes(operands, shape)).reshape(shape)
        *indices, mask = operands
        count = (int(mask.sum()),)
        result = me.machine.undefined(shape, type_.dtype)
        result[mask] = me.load(place, memref, indices, _sizes(indices, count)).reshape(-1)
        return result

    return run


@OPS("tpu.vector_store")
def vector_store(op: Any, sites: Sites) -> Do:
    """Writes the vector to the block at the indices; `add` adds to it.

    `masked`: compressing. The j-th true lane goes to the j-th place.
    """
    _check_strides(op)
    place, is_masked = sites.place(op), op.mask is not None
    action = Action.ADD if op.add.value else Action.WRITE

    def run(me: Subcore, values: Array, memref: View, *operands: Any) -> None:
        indices = operands
        if is_masked:
            *indices, mask = operands
            values = values[mask]
        sizes = _sizes(indices, values.shape)
        block = me.slice(place, Access.STORE, memref, indices, sizes)
        me.touch(place, block, action)
        if action == Action.ADD:
            values = block.read() + values.reshape(block.shape)
        block.write(values)

    return run


@OPS("tpu.vector_load_idx")
def vector_load_idx(op: Any, sites: Sites) -> Do:
    """Lane by lane the element at the lane's indices.

    Lanes that are not in the mask are undefined, and their indices are not looked at.
    """
    place, type_, is_masked = sites.place(op), type_of(op.results[0]), op.mask is not None

    def run(me: Subcore, memref: View, *operands: Any) -> Array:
        indices, mask = lanes = _lanes(operands, is_masked)
        if me.machine.spec.out_of_bounds == "raise":
            _check_inside(me, place, Access.GATHER, memref, lanes)
        for index, size in zip(indices, memref.shape, strict=True):
            mask = mask & (index >= 0) & (index < size)
        at = tuple(index[mask].astype(np.int64) for index in indices)
        me.touch_elements(place, memref, at, Action.READ)
        result = me.machine.undefined(mask.shape, type_.dtype)
        result[mask] = memref.elements()[at]
        return result

    return run


@OPS("tpu.vector_store_idx")
def vector_store_idx(op: Any, sites: Sites) -> Do:
    """Lane by lane a write to the element at the lane's indices; `add` adds to it.

    Of lanes with equal indices the highest stays; additions begin with the lowest lane. Lanes that
    are not in the mask do nothing.
    """
    place, is_masked = sites.place(op), op.mask is not None
    action = Action.ADD if op.add.value else Action.WRITE

    def run(me: Subcore, values: Array, memref: View, *operands: Any) -> None:
        indices, mask = lanes = _lanes(operands, is_masked)
        _check_inside(me, place, Access.SCATTER, memref, lanes)
        at = tuple(index[mask].astype(np.int64) for index in indices)
        me.touch_elements(place, memref, at, action)
        elements = memref.elements()
        for *index, value in zip(*at, values[mask], strict=True):
            element = tuple(index)
            elements[element] = elements[element] + value if action == Action.ADD else value
        memref.write(elements)

    return run


@OPS("memref.load")
def load(op: Any, sites: Sites) -> Do:
    """The scalar at the indices, in SMEM."""
    place, type_ = sites.place(op), type_of(op.results[0])

    def run(me: Subcore, memref: View, *indices: int) -> Any:
        return type_.of_array(me.load(place, memref, indices, _sizes(indices, ())))

    return run


@OPS("memref.store")
def store(op: Any, sites: Sites) -> Do:
    """Writes a scalar to the indices, in SMEM."""
    place = sites.place(op)

    def run(me: Subcore, value: Any, memref: View, *indices: int) -> None:
        element = me.slice(place, Access.STORE, memref, indices, _sizes(indices, ()))
        me.touch(place, element, Action.WRITE)
        element.write(np.array(value, element.array.dtype))

    return run


def _sizes(indices: Sequence[int], shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the sizes of the block of a memref that a value of this shape is."""
    return (1,) * (len(indices) - len(shape)) + shape


def _lanes(operands: tuple[Array, ...], is_masked: bool) -> Lanes:
    """Return the index vectors, and the mask: all lanes if there is none."""
    if is_masked:
        return operands[:-1], operands[-1]
    return operands, np.ones(operands[0].shape, bool)


def _check_inside(me: Subcore, place: int, access: Access, memref: View, lanes: Lanes) -> None:
    """End the run if an index of a lane in the mask is not inside the memref."""
    indices, mask = lanes
    for dimension, (index, size) in enumerate(zip(indices, memref.shape, strict=True)):
        wrong = np.flatnonzero(mask & ((index < 0) | (index >= size)))
        if len(wrong):
            lane = int(wrong[0])
            report = IndexOutOfBounds(
                agent=me.number,
                place=place,
                access=access,
                lane=lane,
                dimension=dimension,
                rank=len(indices),
                index=int(index.reshape(-1)[lane]),
                size=size,
            )
            me.machine.fail(report)


def _check_strides(op: Any) -> None:
    if any(stride != 1 for stride in op.strides):
        raise error_of(op, f"strides {list(op.strides)} of a load or store; expected 1")
