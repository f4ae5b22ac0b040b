"""Memrefs of 4-bit elements in memory that has wider ones: parts of bytes, which numpy has no views of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sdykit.sparsecore.mosaic.reference.bits import unsigned
from sdykit.sparsecore.mosaic.reference.memory import Array
from sdykit.sparsecore.mosaic.reference.views import BoundsError, LayoutError, View, narrow_rows
from sdykit.sparsecore.mosaic.types import bits_of, dtype_of

_BITS = 4


@dataclass(eq=False, slots=True)
class Nibbles(View):
    """Rows of 4-bit elements: row `count * r + j` is part `first + j` of the elements of row `r` of the array.

    Attributes:
        first: the first part of each of the array's elements that belongs to the memref.
        count: how many parts do.
        row: the dimension of the array that has the rows; None if there is one, and it is squeezed.
    """

    first: int = 0
    count: int = 1
    row: int | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        sizes = list(self.array.shape)
        if self.row is not None:
            sizes[self.row] *= self.count
        return tuple(sizes)

    @property
    def offset(self) -> int:
        return self.address - self.buffer.address + self.first * _BITS // 8

    @property
    def width(self) -> int:
        end = -(-(self.first + self.count) * _BITS // 8)
        return end - self.first * _BITS // 8

    def read(self) -> Array:
        wide = unsigned(self.array, 8 * self.array.itemsize)
        shifts = np.arange(self.first, self.first + self.count, dtype=np.uint64) * np.uint64(_BITS)
        parts = (wide[..., None] >> shifts) & np.uint64(15)
        if self.row is not None:
            parts = np.moveaxis(parts, -1, self.row + 1)
        # From 0 to 15 to the same bits with a sign.
        signed = ((parts.astype(np.int8) ^ 8) - 8).reshape(self.shape)
        return signed.astype(dtype_of(self.element))

    def stored(self, values: Array) -> Array:
        nibbles = unsigned(np.ascontiguousarray(values), _BITS)
        if self.row is not None:
            sizes = list(self.array.shape)
            sizes.insert(self.row + 1, self.count)
            nibbles = np.moveaxis(nibbles.reshape(sizes), self.row + 1, -1)
        else:
            nibbles = nibbles.reshape(*self.array.shape, 1)
        wide = unsigned(self.array, 8 * self.array.itemsize)
        for j in range(self.count):
            shift = np.uint64((self.first + j) * _BITS)
            wide = (wide & ~(np.uint64(15) << shift)) | (nibbles[..., j] << shift)
        return wide.astype(f"u{self.array.itemsize}").view(self.array.dtype)

    def elements(self) -> Array:
        return self.read()

    def slice(self, starts: Sequence[int], sizes: Sequence[int]) -> View:
        index: list[slice] = []
        view: Nibbles = self
        bounds = zip(starts, sizes, self.shape, strict=True)
        for dimension, (start, count, size) in enumerate(bounds):
            if start < 0 or count < 0 or start + count > size:
                raise BoundsError(dimension, start, count, size)
            if dimension == self.row:
                rows, parts = narrow_rows(start, count, self.count)
                view = replace(view, first=self.first + parts.start, count=parts.stop - parts.start)
                index.append(rows)
            else:
                index.append(slice(start, start + count))
        return replace(view, array=self.array[tuple(index)])

    def squeeze(self, kept: Sequence[int]) -> View:
        dropped = tuple(each for each in range(len(self.shape)) if each not in kept)
        array, row = self.array.squeeze(dropped), self.row
        if row is not None:
            row = None if row in dropped else row - sum(each < row for each in dropped)
        return replace(self, array=array, row=row)

    def reshape(self, shape: tuple[int, ...]) -> View:
        if shape != self.shape:
            raise LayoutError(f"a reshape after a bitcast to {self.element}")
        return self

    def bitcast(self, element: str) -> View:
        if bits_of(element) == _BITS:
            return replace(self, element=element)
        if bits_of(element) == self.count * _BITS == 8 * self.array.itemsize:
            return View(self.buffer, self.array.view(dtype_of(element)), element)
        raise LayoutError(f"a bitcast to {element} after another one to {self.element}")
