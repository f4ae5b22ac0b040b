"""What a memref of a kernel becomes: elements of a buffer of rank 1."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.lowering.numbers import Number


@dataclass(frozen=True, slots=True)
class Parts:
    """How elements of a view are made of elements of the buffer, if their widths differ (6.4).

    Attributes:
        count: how many narrow elements are in a wide one.
        is_wide: True: an element of the view is put together of `count` elements of the buffer,
            `stride` apart; False: it is one of the `count` parts of an element of the buffer.
        stride: of wide ones: the elements of the buffer between two parts, a row of narrow ones.
        row: of narrow ones: the dimension of the view that counts rows of parts. Its stride is that
            of a wide row, so that index `i` is at `i // count` of them, part `i % count`. None if
            one row was selected.
        part: of narrow ones: the part of the row that was selected.
    """

    count: int
    is_wide: bool
    stride: Number = 0
    row: int | None = None
    part: Number = 0


@dataclass(frozen=True, slots=True)
class View:
    """Elements of a buffer.

    Attributes:
        buffer: a memref of rank 1.
        offset: the position of the first element in the buffer.
        sizes: the size of each dimension.
        strides: how many elements of the buffer are between two neighbours, for each dimension.
        element: MLIR's name of the elements that the kernel sees, such as "f32"; those of the buffer
            may be of another type of the same width.
        space: "hbm", "vmem", "vmem_shared", "smem" or "semaphore_mem".
        parts: how elements are made of those of the buffer if they are wider or narrower.
        bits: the width of an element of the buffer on the chip: 4 for those of int4, which take a
            byte here.
    """

    buffer: ir.Value
    offset: Number
    sizes: tuple[Number, ...]
    strides: tuple[Number, ...]
    element: str
    space: str
    bits: int
    parts: Parts | None = None

    @property
    def stored(self) -> str:
        """MLIR's name of the elements of the buffer."""
        return str(ir.MemRefType(self.buffer.type).element_type)

    def at(self, offset: Number, sizes: tuple[Number, ...], strides: tuple[Number, ...]) -> View:
        """Return other elements of the same buffer."""
        return replace(self, offset=offset, sizes=sizes, strides=strides)
