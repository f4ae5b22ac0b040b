"""MLIR values lowered to LLVM: an operand, or the several operands of a memref."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.sparsecore.codegen.emission.types import Layout, Type


@dataclass(frozen=True, slots=True)
class Value:
    """A scalar or vector.

    Attributes:
        type: the type of the value.
        text: the register or constant that holds it.
    """

    type: Type
    text: str

    @property
    def operand(self) -> str:
        """LLVM type and text, as in the arguments of a call."""
        return f"{self.type.llvm} {self.text}"

    @property
    def parts(self) -> list[tuple[str, str]]:
        """LLVM types and texts of all that a phi or select must carry."""
        return [(self.type.llvm, self.text)]

    def with_parts(self, texts: Sequence[str]) -> Value:
        """Return a value of the same type with another text."""
        return Value(self.type, texts[0])


@dataclass(frozen=True, slots=True)
class MemRef:
    """A memref.

    What the layout fixes is a constant here, and no phi or select carries it.

    Attributes:
        layout: what the type of the memref fixes.
        base: the pointer to the start of the buffer.
        offset: an `i64`, the number of elements before the first.
        sizes: an `i64` for each dimension.
        strides: an `i64` for each dimension, in elements.
    """

    layout: Layout
    base: str
    offset: str
    sizes: tuple[str, ...]
    strides: tuple[str, ...]

    @property
    def parts(self) -> list[tuple[str, str]]:
        """LLVM types and texts of all that a phi or select must carry."""
        return [
            ("ptr", self.base),
            *(("i64", text) for text, static in self._fields() if static is None),
        ]

    def with_parts(self, texts: Sequence[str]) -> MemRef:
        """Return a memref of the same type with other texts."""
        remaining = iter(texts)
        base = next(remaining)
        fields = [next(remaining) if fixed is None else text for text, fixed in self._fields()]
        rank = len(self.sizes)
        return MemRef(
            self.layout, base, fields[0], tuple(fields[1 : rank + 1]), tuple(fields[rank + 1 :])
        )

    def _fields(self) -> list[tuple[str, int | None]]:
        layout = self.layout
        texts = (self.offset, *self.sizes, *self.strides)
        return list(zip(texts, (layout.offset, *layout.sizes, *layout.strides), strict=True))


Lowered = Value | MemRef
"""What an MLIR value is lowered to."""


def with_layout(
    layout: Layout, base: str, offset: str, sizes: Sequence[str], strides: Sequence[str]
) -> MemRef:
    """Return a memref in which what the layout fixes replaces the texts."""

    def fixed(texts: Sequence[str], known: Sequence[int | None]) -> tuple[str, ...]:
        pairs = zip(texts, known, strict=True)
        return tuple(text if static is None else str(static) for text, static in pairs)

    (offset,) = fixed([offset], [layout.offset])
    return MemRef(layout, base, offset, fixed(sizes, layout.sizes), fixed(strides, layout.strides))
