"""Loads and stores of a kernel: vectors in VMEM, scalars in SMEM."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.lowering.checked_accesses import adding, touch_word
from sdykit.sparsecore.mosaic.lowering.elements import load, locate, store
from sdykit.sparsecore.mosaic.lowering.emitter import Emitter
from sdykit.sparsecore.mosaic.lowering.failures import check_block
from sdykit.sparsecore.mosaic.lowering.numbers import Number, plus
from sdykit.sparsecore.mosaic.lowering.registry import lowers
from sdykit.sparsecore.mosaic.lowering.view import View
from sdykit.sparsecore.mosaic.reports import Access, Action


@lowers("memref.load")
def _load_scalar(e: Emitter, op: ir.Operation) -> None:
    view, indices = e.view(op.operands[0]), e.numbers(list(op.operands)[1:])
    check_block(e, (op, Access.LOAD), view, indices, block_sizes(indices, ()))
    _touch_word(e, op.operands[0], indices, Action.READ)
    e.set(op.results[0], load(e, view, indices, None))


@lowers("memref.store")
def _store_scalar(e: Emitter, op: ir.Operation) -> None:
    value, target, *rest = op.operands
    view, indices = e.view(target), e.numbers(rest)
    check_block(e, (op, Access.STORE), view, indices, block_sizes(indices, ()))
    _touch_word(e, target, indices, Action.WRITE)
    store(e, e.value(value), view, indices)


def _touch_word(e: Emitter, memref: ir.Value, indices: list[Number], action: Action) -> None:
    """Add the check of a load or store of a word to which others may add, if accesses are checked."""
    if e.is_together and e.number_of(memref) in e.buffers.atomic:
        view = e.view(memref)
        touch_word(e, view, locate(e, view, indices)[0], action)


def block_sizes(indices: list[Number], shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the sizes of a block in all dimensions; they are 1 in the first ones."""
    return (1,) * (len(indices) - len(shape)) + shape


def kind_of(element: str) -> str:
    """Return the letter that ends the names of an element's ops: f of floats, i of integers."""
    return "i" if element.startswith("i") else "f"


def has_strides(opview: Any) -> bool:
    """Return whether a load or store has strides other than 1."""
    return any(stride != 1 for stride in opview.strides)


@lowers("tpu.vector_load")
def _load_vector(e: Emitter, op: ir.Operation) -> None:
    opview: Any = op.opview
    if opview.mask is not None:
        e.lower_as("tpu.vector_load masked", op)
        return
    view, indices = e.view(opview.base), e.numbers(list(opview.indices))
    type_ = ir.VectorType(op.results[0].type)
    shape = tuple(type_.shape)
    if has_strides(opview):
        raise e.not_lowered(op, "with strides")
    check_block(e, (op, Access.LOAD), view, indices, block_sizes(indices, shape))
    e.set(op.results[0], load_block(e, op, view, indices, type_))


def load_block(
    e: Emitter, op: ir.Operation, view: View, indices: list[Number], type_: ir.VectorType
) -> ir.Value:
    """Return the block of a view of a vector's shape, which is within bounds."""
    shape = tuple(type_.shape)
    width = adjacent_elements(e, op, view, shape)
    element = str(type_.element_type)
    if width == math.prod(shape):
        return _shaped(e, load(e, view, indices, width), type_)
    flat = e.b.type(f"vector<{math.prod(shape)}x{element}>")
    whole = e.b.op("ub.poison", [], [flat], value="#ub.poison").result
    for number, place in enumerate(_rows(indices, shape, e)):
        row = load(e, view, place, width)
        offset = f"[{number * width}]"
        whole = e.b.op(
            "vector.insert_strided_slice", [row, whole], [flat], offsets=offset, strides="[1]"
        ).result
    return _shaped(e, whole, type_)


@lowers("tpu.vector_store")
def _store_vector(e: Emitter, op: ir.Operation) -> None:
    opview: Any = op.opview
    if opview.mask is not None:
        e.lower_as("tpu.vector_store masked", op)
        return
    view, indices = e.view(opview.base), e.numbers(list(opview.indices))
    value = e.value(opview.valueToStore)
    if has_strides(opview):
        raise e.not_lowered(op, "with strides")
    shape = block_sizes(indices, tuple(ir.VectorType(value.type).shape))
    check_block(e, (op, Access.STORE), view, indices, shape)
    if opview.add is not None and opview.add.value:
        with adding(e):
            before = load_block(e, op, view, indices, ir.VectorType(value.type))
            value = e.b.floats(f"arith.add{kind_of(view.element)}", before, value)
            store_block(e, op, value, view, indices)
        return
    store_block(e, op, value, view, indices)


def store_block(
    e: Emitter, op: ir.Operation, value: ir.Value, view: View, indices: list[Number]
) -> None:
    """Store a vector to the block of its shape, which is within bounds."""
    type_ = ir.VectorType(value.type)
    shape = tuple(type_.shape)
    width, count = adjacent_elements(e, op, view, shape), math.prod(shape)
    flat = _shaped(e, value, e.b.type(f"vector<{count}x{type_.element_type}>"))
    if width == count:
        store(e, flat, view, indices)
        return
    for number, place in enumerate(_rows(indices, shape, e)):
        store(e, e.b.slice_vector(flat, number * width, width), view, place)


def _shaped(e: Emitter, value: ir.Value, type_: ir.Type) -> ir.Value:
    if value.type == type_:
        return value
    return e.b.convert("vector.shape_cast", value, type_)


def adjacent_elements(e: Emitter, op: ir.Operation, view: View, shape: tuple[int, ...]) -> int:
    """Return how many elements of a block are adjacent: all of them, or a row."""
    strides = view.strides[len(view.strides) - len(shape) :]
    dimensions = [each for each in zip(shape, strides, strict=True) if each[0] != 1]
    distances = [
        math.prod(size for size, _ in dimensions[at + 1 :]) for at in range(len(dimensions))
    ]
    adjacent = [stride == wanted for (_, stride), wanted in zip(dimensions, distances, strict=True)]
    if all(adjacent) and (view.parts is None or len(dimensions) < 2):
        return math.prod(shape)
    if not adjacent[-1] or shape[-1] == 1:
        raise e.not_lowered(op, "of elements that are not adjacent")
    return shape[-1]


def _rows(indices: list[Number], shape: tuple[int, ...], e: Emitter) -> list[list[Number]]:
    """Return the position of each row of a block."""
    skipped = len(indices) - len(shape)
    return [
        [
            *indices[:skipped],
            *(plus(e.b, *pair) for pair in zip(indices[skipped:-1], place, strict=True)),
            indices[-1],
        ]
        for place in np.ndindex(*shape[:-1])
    ]
