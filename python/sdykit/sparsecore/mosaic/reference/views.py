"""Memrefs while a kernel runs: which elements of a buffer they are, in which order.

A memref is a numpy array over the bytes of its buffer. After a bitcast to another width an element
is several elements of that array, or a part of one row belongs to another row: `Parts` says how.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from sdykit.sparsecore.mosaic.reference.bits import joined, split
from sdykit.sparsecore.mosaic.reference.memory import Array, Buffer
from sdykit.sparsecore.mosaic.types import bits_of, dtype_of


class BoundsError(Exception):
    """A slice is not inside its memref.

    Attributes:
        dimension: the dimension.
        start: the first index of the slice.
        count: how many indices it has.
        size: the size of the dimension.
    """

    def __init__(self, dimension: int, start: int, count: int, size: int) -> None:
        super().__init__(dimension, start, count, size)
        self.dimension, self.start, self.count, self.size = dimension, start, count, size


class SplitRowsError(Exception):
    """Rows of narrow elements begin inside a row of wider ones, and go beyond it.

    Attributes:
        start: the first row.
        count: how many there are.
        parts: how many are in a row of the wider elements.
    """

    def __init__(self, start: int, count: int, parts: int) -> None:
        super().__init__(start, count, parts)
        self.start, self.count, self.parts = start, count, parts


class LayoutError(Exception):
    """A view that needs a layout that the machine does not have; the text says which."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What dimension `axis` of a view's array means.

    Attributes:
        kind: "wide": the elements along `axis` are the parts of one element, from the lowest bits
            on. "narrow": it is the inner one of two dimensions that together are one of the memref:
            row k * r + j is at [r, j].
        axis: the dimension of the array.
    """

    kind: Literal["wide", "narrow"]
    axis: int


@dataclass(eq=False, slots=True)
class View:
    """A memref: elements of a buffer. Views do not change, what they show does.

    Attributes:
        buffer: the buffer.
        array: a numpy view of the buffer's bytes.
        element: MLIR's name of an element, such as "f32".
        parts: how the memref's elements are made of the array's, if they are not the same.
    """

    buffer: Buffer
    array: Array
    element: str
    parts: Parts | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the memref."""
        if self.parts is None:
            return self.array.shape
        sizes = list(self.array.shape)
        parts = sizes.pop(self.parts.axis)
        if self.parts.kind == "narrow":
            sizes[self.parts.axis - 1] *= parts
        return tuple(sizes)

    @property
    def size_in_bytes(self) -> int:
        """The bytes of all elements on the chip: those of 4 bits take half a byte."""
        return int(np.prod(self.shape, dtype=np.int64)) * bits_of(self.element) // 8

    @property
    def width(self) -> int:
        """The bytes of an element of the array that belong to the memref."""
        return self.array.itemsize

    @property
    def address(self) -> int:
        """The address of the first element."""
        return self.array.__array_interface__["data"][0]

    @property
    def offset(self) -> int:
        """The position of the first element in the buffer, in bytes."""
        return self.address - self.buffer.address

    def read(self) -> Array:
        """Return a copy of the elements, in the shape of the memref."""
        if self.parts is None:
            return self.array.copy()
        if self.parts.kind == "narrow":
            return self.array.reshape(self.shape).copy()
        return joined(np.moveaxis(self.array, self.parts.axis, -1), self.element)

    def write(self, values: Array) -> None:
        """Write all elements.

        Args:
            values: as many as the memref has, in its order.
        """
        self.array[...] = self.stored(values)

    def stored(self, values: Array) -> Array:
        """Return what `array` holds once these values are written."""
        if self.parts is not None and self.parts.kind == "wide":
            parts = split(values.reshape(self.shape), self.array.dtype, self.element)
            return np.moveaxis(parts, -1, self.parts.axis)
        return values.reshape(self.array.shape)

    def elements(self) -> Array:
        """Return an array in the shape of the memref: its elements, or a copy of them."""
        return self.array if self.parts is None else self.read()

    def slice(self, starts: Sequence[int], sizes: Sequence[int]) -> View:
        """Return the elements from `starts` on, `sizes` of them in each dimension.

        Raises:
            BoundsError: a part of it is not inside.
            SplitRowsError: rows that begin inside a row of wider elements, and go beyond it.
        """
        index: list[slice] = []
        for start, count, size in zip(starts, sizes, self.shape, strict=True):
            if start < 0 or count < 0 or start + count > size:
                raise BoundsError(len(index), start, count, size)
            index.append(slice(start, start + count))
        if self.parts is not None:
            axis = self.parts.axis
            if self.parts.kind == "wide":
                index.insert(axis, slice(None))
            else:
                parts = self.array.shape[axis]
                index[axis - 1 : axis] = narrow_rows(starts[axis - 1], sizes[axis - 1], parts)
        return View(self.buffer, self.array[tuple(index)], self.element, self.parts)

    def squeeze(self, kept: Sequence[int]) -> View:
        """Return the view without dimensions of 1.

        Args:
            kept: the dimensions that stay.
        """
        if self.parts is None:
            array = self.array.reshape([self.array.shape[each] for each in kept])
            return View(self.buffer, array, self.element)
        view = self
        for dimension in reversed(range(len(self.shape))):
            if dimension not in kept:
                view = view._without(dimension)
        return view

    def _without(self, dimension: int) -> View:
        parts = self.parts
        if parts is None:
            return replace(self, array=self.array.squeeze(dimension))
        inner = parts.axis - (parts.kind == "narrow")  # The array's dimension of the memref's one.
        if parts.kind == "narrow" and dimension == inner:
            return View(self.buffer, self.array.squeeze((inner, parts.axis)), self.element)
        if dimension >= inner:
            return replace(self, array=self.array.squeeze(dimension + 1))
        parts = replace(parts, axis=parts.axis - 1)
        return replace(self, array=self.array.squeeze(dimension), parts=parts)

    def reshape(self, shape: tuple[int, ...]) -> View:
        """Return the same elements in the same, row-major order with other sizes.

        Raises:
            LayoutError: they are not at regular distances in memory.
        """
        if shape == self.shape:
            return self
        if self.parts is None:
            return replace(self, array=_reshaped(self.array, shape))
        axis = self.parts.axis
        inner = (
            self.array.shape[axis:] if self.parts.kind == "wide" else self.array.shape[axis - 1 :]
        )
        tail = inner[1:] if self.parts.kind == "wide" else self.shape[axis - 1 :]
        lead = len(shape) - len(tail)
        if lead < 0 or shape[lead:] != tail:
            raise LayoutError("a reshape of the last two dimensions after a bitcast")
        parts = replace(self.parts, axis=lead + (self.parts.kind == "narrow"))
        array = _reshaped(self.array, (*shape[:lead], *inner))
        return replace(self, array=array, parts=parts)

    def bitcast(self, element: str) -> View:
        """Return the same bits as elements of another type.

        With k = wide / narrow bits, row k * r + j of the narrow elements is the j-th part, from the
        lowest bits on, of row r of the wide ones.

        Raises:
            LayoutError: the types' widths, or a bitcast before, do not allow it.
        """
        old, new = bits_of(self.element), bits_of(element)
        if old == new:
            return self._of_same_width(element)
        if max(old, new) % min(old, new) or self.array.ndim < 2:
            raise LayoutError(
                f"a bitcast of {len(self.shape)} dimensions of {self.element} to {element}"
            )
        return (
            self._wider(element, new // old) if new > old else self._narrower(element, old // new)
        )

    def _of_same_width(self, element: str) -> View:
        if self.parts is not None and self.parts.kind == "wide":
            return replace(self, element=element)
        return replace(self, array=self.array.view(dtype_of(element)), element=element)

    def _wider(self, element: str, k: int) -> View:
        """Return the view with `k` rows for one."""
        if self.parts is None:
            *lead, rows, columns = self.array.shape
            if rows % k:
                raise LayoutError(f"a bitcast of {rows} rows of {self.element} to {element}")
            array = _reshaped(self.array, (*lead, rows // k, k, columns))
            return View(self.buffer, array, element, Parts("wide", array.ndim - 2))
        if self.parts.kind == "narrow" and self.array.shape[self.parts.axis] == k:
            return View(self.buffer, self.array, element, Parts("wide", self.parts.axis))
        raise LayoutError(f"a bitcast to {element} after another one to {self.element}")

    def _narrower(self, element: str, k: int) -> View:
        """Return the view with one row for the `k` parts of each."""
        if self.parts is None and dtype_of(element).itemsize * k == self.array.itemsize:
            *lead, rows, columns = self.array.shape
            *strides, of_columns = self.array.strides
            narrow = dtype_of(element)
            array: Array = np.ndarray(
                (*lead, rows, k, columns),
                narrow,
                buffer=self.buffer.bytes,
                offset=self.offset,
                strides=(*strides, narrow.itemsize, of_columns),
            )
            return View(self.buffer, array, element, Parts("narrow", array.ndim - 2))
        if self.parts is None and bits_of(element) == 4:
            # Imported here: they are views themselves.
            from sdykit.sparsecore.mosaic.reference.nibbles import Nibbles

            row = self.array.ndim - 2
            return Nibbles(self.buffer, self.array, element, first=0, count=k, row=row)
        if self.parts is not None and self.array.shape[self.parts.axis] == k:
            parts = View(self.buffer, self.array.view(dtype_of(element)), element)
            return parts._merged(self.parts.axis)
        raise LayoutError(f"a bitcast of {self.element} to {element}")

    def _merged(self, axis: int) -> View:
        """Return the view with dimension `axis` of the array as the inner part of the rows."""
        shape = self.array.shape
        merged = (*shape[: axis - 1], shape[axis - 1] * shape[axis], *shape[axis + 1 :])
        try:
            return replace(self, array=_reshaped(self.array, merged))
        except LayoutError:
            return replace(self, parts=Parts("narrow", axis))

    def in_buffer(self, buffer: Buffer) -> View:
        """Return the same elements of another subcore's buffer of the same allocation."""
        array: Array = np.ndarray(
            self.array.shape,
            self.array.dtype,
            buffer=buffer.bytes,
            offset=self.offset,
            strides=self.array.strides,
        )
        return replace(self, buffer=buffer, array=array)


def narrow_rows(start: int, count: int, parts: int) -> list[slice]:
    """Return the rows of wide elements, and the parts of them, that a slice of narrow rows is."""
    first, part = divmod(start, parts)
    if part + count <= parts:
        return [slice(first, first + 1), slice(part, part + count)]
    if part or count % parts:
        raise SplitRowsError(start, count, parts)
    return [slice(first, first + count // parts), slice(0, parts)]


def _reshaped(array: Array, shape: tuple[int, ...]) -> Array:
    """Return an array's elements with other sizes, never a copy."""
    view = array.reshape(shape)
    if view.size and not np.may_share_memory(view, array):
        raise LayoutError("a reshape of elements that are not at regular distances in memory")
    return view
