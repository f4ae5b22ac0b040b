"""What a vector of many elements is: how to add the ops that compute a piece of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.lowering.numbers import Number
from sdykit.sparsecore.mosaic.lowering.view import Parts
from sdykit.sparsecore.tile.builder.ops import Builder

MANY = 256
"""The largest number of elements that a vector in a tile program has, but in ops without pieces."""
PIECE = 32
"""The elements of a piece, if that divides those that are adjacent."""

Block = tuple[Number, tuple[Number, ...], Parts | None, tuple[Number, ...], tuple[int, ...]]
"""A block of a buffer: offset, strides and parts of the view, first position in it, and shape."""
Read = tuple[ir.Value, Block | None]
"""A buffer that is read; and, if element k of a vector only reads element k of a block, the block."""


def current_block() -> ir.Block:
    """Return the block that ops are added to."""
    point: Any = ir.InsertionPoint.current
    return point.block


@dataclass
class Pieces:
    """The pieces of vectors that have been added at one place; each is added once."""

    b: Builder
    made: dict[tuple[Large, Number, int], ir.Value] = field(default_factory=dict)

    def at(self, large: Large, start: Number, width: int) -> ir.Value:
        """Return `width` elements of a vector, from `start` on, as a vector with one dimension."""
        key = (large, start, width)
        if key not in self.made:
            self.made[key] = large.make(self, start, width)
        return self.made[key]


@dataclass(eq=False, slots=True)
class Large:
    """A vector of many elements.

    Attributes:
        type: its type.
        width: how many elements, in row-major order, can be computed at once: a piece begins at a
            multiple of its own length, which divides this.
        make: adds the ops that compute a piece, from its first element and its length.
        reads: the memory that is read.
        depth: how many ops one after another `make` adds at most.
        block: the block of the tile program in which the vector is defined.
    """

    type: ir.VectorType
    width: int
    make: Callable[[Pieces, Number, int], ir.Value]
    reads: frozenset[Read] = frozenset()
    depth: int = 0
    block: ir.Block = field(default_factory=current_block)

    @property
    def count(self) -> int:
        """The number of elements."""
        return math.prod(self.type.shape)

    @property
    def element(self) -> str:
        """MLIR's name of the type of the elements."""
        return str(self.type.element_type)

    def become(self, other: Large) -> None:
        """Make this the same vector, computed in another way."""
        self.width, self.make, self.reads, self.depth = (
            other.width,
            other.make,
            other.reads,
            other.depth,
        )


def is_large(type_: ir.Type) -> bool:
    """Return whether a type is that of vectors of many elements."""
    return isinstance(type_, ir.VectorType) and math.prod(type_.shape) > MANY


def piece_length(width: int) -> int:
    """Return the length of pieces, a divisor of `width`."""
    if width <= MANY and math.gcd(width, PIECE) < 8:
        return width
    return max(length for length in range(1, PIECE + 1) if width % length == 0)


def at_index(shape: tuple[int, ...], start: Number, b: Builder) -> list[Number]:
    """Return the position of an element of a shape from its number in row-major order."""
    found: list[Number] = []
    for dimension, size in enumerate(shape):
        stride = math.prod(shape[dimension + 1 :])
        if isinstance(start, int):
            found.append(start // stride % size)
        elif size == 1:
            found.append(0)
        else:
            row = start if stride == 1 else b.div(start, stride)
            is_first = math.prod(shape[:dimension]) == 1
            found.append(row if is_first else b.rem(row, size))
    return found
