"""Meanings of ops that make vectors, take them apart, and move their elements."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from sdykit.mlir import ir
from sdykit.sparsecore.codegen.translation.op_attributes import integer, integers
from sdykit.sparsecore.mosaic.reference.tables import Table
from sdykit.sparsecore.mosaic.reference.values import Array, Op, ValueType, error_of, type_of

Meaning = Callable[..., Any]
Binder = Callable[[Op], Meaning]

OPS: Table[Binder] = Table("Shapes")

_ITEM = re.compile(r"[^\[\],\s]+")


@OPS("arith.constant")
def constant(op: Op) -> Meaning:
    """The number or the vector that is written in it."""
    value = _constant(type_of(op.results[0]), op.attributes["value"])
    return lambda: value


def _constant(to: ValueType, attribute: ir.Attribute) -> Any:
    if isinstance(attribute, ir.IntegerAttr | ir.BoolAttr):
        return to.of_integers([attribute.value])
    if isinstance(attribute, ir.FloatAttr):
        return to.dtype.type(attribute.value)
    dense = ir.DenseElementsAttr(attribute)
    if dense.is_splat:
        element: Any = dense.get_splat_value()
        return np.full(to.shape or (), element.value).astype(to.dtype)
    return _dense(to, str(dense))


def _dense(to: ValueType, text: str) -> Array:
    """Return dense numbers from their text, since the bindings cannot read all types.

    Large attributes are written as the bytes of all numbers, as in `dense<"0x803F...">`; NaN and
    infinity as the bits of a number.
    """
    body = text[text.index("<") + 1 : text.rindex("> :")]
    if body.startswith('"0x'):
        return to.of_array(np.frombuffer(bytes.fromhex(body[3:-1]), to.dtype))
    items = _ITEM.findall(body)
    if not to.is_float:
        words = {"true": 1, "false": 0}
        return to.of_integers(words[item] if item in words else int(item) for item in items)
    return to.of_array(np.array([_float(item, to) for item in items]))


def _float(item: str, to: ValueType) -> Any:
    if item.startswith("0x"):
        return np.array(int(item, 16), f"u{to.dtype.itemsize}").view(to.dtype)[()]
    return to.dtype.type(float(item))


@OPS("ub.poison")
def poison(op: Op) -> Meaning:
    """An undefined value: NaN, or 0x7f in each byte of an integer."""
    value = undefined(type_of(op.results[0]))
    return lambda: value


def undefined(to: ValueType) -> Any:
    """Return what undefined elements hold: NaN, or 0x7f in each byte of an integer; true of i1."""
    filling = np.nan if to.is_float else True if to.bits == 1 else to.wrap(0x7F7F7F7F7F7F7F7F)
    return to.of_array(np.full(to.shape or (), filling).astype(to.dtype))


@OPS("vector.broadcast")
def broadcast(op: Op) -> Meaning:
    """A scalar in every lane; a vector repeated along leading dimensions and dimensions of 1."""
    to = type_of(op.results[0])
    return lambda a: np.broadcast_to(np.asarray(a, to.dtype), to.shape or ()).copy()


@OPS("vector.step")
def step(op: Op) -> Meaning:
    """The number of each lane, from 0."""
    to = type_of(op.results[0])
    value = np.arange(to.count, dtype=to.dtype)
    return lambda: value


@OPS("tpu.iota")
def iota(op: Op) -> Meaning:
    """The index along `dimensions`; several count as one, the last fastest."""
    to = type_of(op.results[0])
    value, shape = np.zeros(to.shape or (), np.int64), to.shape or ()
    for dimension in ir.DenseI32ArrayAttr(op.attributes["dimensions"]):
        value = value * shape[dimension] + np.indices(shape)[dimension]
    value = value.astype(to.dtype)
    return lambda: value


@OPS("vector.shape_cast")
def shape_cast(op: Op) -> Meaning:
    """The same elements in another shape, in row-major order."""
    shape = type_of(op.results[0]).shape or ()
    return lambda a: a.reshape(shape)


@OPS("vector.transpose")
def transpose(op: Op) -> Meaning:
    """Dimension `k` of the result is dimension `permutation[k]`."""
    permutation = integers(op.operation, "permutation")
    return lambda a: a.transpose(permutation)


@OPS("vector.extract")
def extract(op: Op) -> Meaning:
    """The element, or the vector, at a position of the leading dimensions."""
    to, position = type_of(op.results[0]), _position(op, 1)
    return lambda a: to.of_array(a[position])


@OPS("vector.insert")
def insert(op: Op) -> Meaning:
    """A copy of a vector with another element, or vector, at a position of the leading dimensions."""
    position = _position(op, 2)

    def run(item: Any, target: Array) -> Array:
        result = target.copy()
        result[position] = item
        return result

    return run


def _position(op: Op, operands: int) -> tuple[int, ...]:
    if len(op.operands) > operands:
        raise error_of(
            op,
            f"'{op.operation.name}' at a position that is not constant cannot run on a SparseCore",
        )
    return tuple(integers(op.operation, "static_position"))


@OPS("vector.extract_strided_slice")
def extract_strided_slice(op: Op) -> Meaning:
    """The elements from `offsets` on, `sizes` of them, `strides` apart; whole trailing dimensions."""
    offsets, sizes, strides = (_items(op, name) for name in ("offsets", "sizes", "strides"))
    places = _slices(offsets, sizes, strides)
    return lambda a: a[places]


@OPS("vector.insert_strided_slice")
def insert_strided_slice(op: Op) -> Meaning:
    """A copy of the second vector with the elements of the first from `offsets` on, `strides` apart."""
    shape = type_of(op.operands[0]).shape or ()
    offsets = _items(op, "offsets")
    leading = len(offsets) - len(shape)
    inner = _slices(offsets[leading:], list(shape), _items(op, "strides"))
    places = (*offsets[:leading], *inner)

    def run(piece: Array, target: Array) -> Array:
        result = target.copy()
        result[places] = piece
        return result

    return run


def _items(op: Op, name: str) -> list[int]:
    return [ir.IntegerAttr(item).value for item in ir.ArrayAttr(op.attributes[name])]


def _slices(offsets: list[int], sizes: list[int], strides: list[int]) -> tuple[slice, ...]:
    return tuple(
        slice(offset, offset + (size - 1) * stride + 1, stride)
        for offset, size, stride in zip(offsets, sizes, strides, strict=True)
    )


@OPS("vector.from_elements")
def from_elements(op: Op) -> Meaning:
    """The vector of these elements, in row-major order."""
    to = type_of(op.results[0])
    return lambda *items: to.of_array(np.array(items, to.dtype))


@OPS("vector.to_elements")
def to_elements(op: Op) -> Meaning:
    """All elements of a vector, in row-major order."""
    to = type_of(op.results[0])
    return lambda a: tuple(to.of_array(item) for item in a.ravel())


@OPS("vector.shuffle")
def shuffle(op: Op) -> Meaning:
    """The rows of two vectors that have the numbers in `mask`; undefined for -1.

    The rows of the second are numbered after those of the first.
    """
    picked, to = np.array(integers(op.operation, "mask")), type_of(op.results[0])

    def run(a: Array, b: Array) -> Array:
        result = np.concatenate([np.atleast_1d(a), np.atleast_1d(b)])[picked]
        result[picked < 0] = undefined(ValueType(to.element, None))
        return result

    return run


@OPS("vector.interleave")
def interleave(_: Op) -> Meaning:
    """The elements of two vectors in turn along the last dimension."""
    return lambda a, b: np.stack([a, b], -1).reshape(*a.shape[:-1], -1)


@OPS("vector.deinterleave")
def deinterleave(_: Op) -> Meaning:
    """The elements with even and those with odd indices along the last dimension."""
    return lambda a: (a[..., ::2], a[..., 1::2])


@OPS("tpu.concatenate")
def concatenate(op: Op) -> Meaning:
    """Vectors one after another along `dimension`."""
    dimension = integer(op.operation, "dimension")
    return lambda *vectors: np.concatenate(vectors, dimension)


@OPS("vector.create_mask", "vector.constant_mask")
def create_mask(op: Op) -> Meaning:
    """True where the index is less than the limit in every dimension."""
    shape = type_of(op.results[0]).shape or ()
    constant_ = op.operation.name == "vector.constant_mask"
    sizes = integers(op.operation, "mask_dim_sizes") if constant_ else []

    def run(*limits: int) -> Array:
        wanted = np.array([*sizes, *limits]).reshape(-1, *(1 for _ in shape))
        return np.all(np.indices(shape) < wanted, axis=0, keepdims=True)[0]

    return run


@OPS("vector.bitcast")
def bitcast(op: Op) -> Meaning:
    """The same bits, read as narrower or wider elements along the last dimension.

    The lowest bits come first.
    """
    of, to = type_of(op.operands[0]), type_of(op.results[0])
    if min(of.bits, to.bits) >= 8:
        return lambda a: to.of_array(np.ascontiguousarray(a).view(to.dtype))
    return lambda a: _from_bits(_to_bits(a, of), to)


def _to_bits(a: Array, of: ValueType) -> Array:
    """Return the bits of all elements in row-major order, those of an element from the lowest."""
    if of.bits >= 8:
        return np.unpackbits(np.ascontiguousarray(a).view(np.uint8).ravel(), bitorder="little")
    small = a.astype(np.int8).view(np.uint8).reshape(-1, 1)
    return np.unpackbits(small, axis=1, bitorder="little")[:, : of.bits].ravel()


def _from_bits(bits: Array, to: ValueType) -> Any:
    if to.bits >= 8:
        return to.of_array(np.packbits(bits, bitorder="little").view(to.dtype))
    weights = 1 << np.arange(to.bits)
    return to.of_integers((bits.reshape(-1, to.bits) @ weights).tolist())
