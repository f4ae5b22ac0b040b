"""What MLIR values become: operands of LLVM instructions, alone or as the parts of a memref."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.sparsecore.codegen.emission.types import Layout, Type


@dataclass(frozen=True, slots=True)
class Value:
    """A scalar or vector: its type, and a register or constant."""

    type: Type
    text: str

    @property
    def operand(self) -> str:
        """Type and text, as in the arguments of a call."""
        return f"{self.type.llvm} {self.text}"

    @property
    def parts(self) -> list[tuple[str, str]]:
        """LLVM types and texts that a phi or select must carry."""
        return [(self.type.llvm, self.text)]

    def with_parts(self, texts: Sequence[str]) -> Value:
        """Give the same kind of value, held elsewhere."""
        return Value(self.type, texts[0])


@dataclass(frozen=True, slots=True)
class MemRef:
    """A memref, as pointer, offset, sizes and strides; texts are of type `i64`.

    What `layout` fixes is a constant, and carried nowhere.
    """

    layout: Layout
    base: str
    offset: str
    sizes: tuple[str, ...]
    strides: tuple[str, ...]

    @property
    def parts(self) -> list[tuple[str, str]]:
        """LLVM types and texts that a phi or select must carry."""
        return [
            ("ptr", self.base),
            *(("i64", text) for text, static in self._fields() if static is None),
        ]

    def with_parts(self, texts: Sequence[str]) -> MemRef:
        """Give a memref of the same type, held elsewhere."""
        left = iter(texts)
        base = next(left)
        fields = [next(left) if fixed is None else text for text, fixed in self._fields()]
        rank = len(self.sizes)
        return MemRef(
            self.layout, base, fields[0], tuple(fields[1 : rank + 1]), tuple(fields[rank + 1 :])
        )

    def _fields(self) -> list[tuple[str, int | None]]:
        layout = self.layout
        texts = (self.offset, *self.sizes, *self.strides)
        return list(zip(texts, (layout.offset, *layout.sizes, *layout.strides), strict=True))


Held = Value | MemRef


def with_layout(
    layout: Layout, base: str, offset: str, sizes: Sequence[str], strides: Sequence[str]
) -> MemRef:
    """Make a memref in which what the layout fixes replaces the texts."""

    def fixed(texts: Sequence[str], known: Sequence[int | None]) -> tuple[str, ...]:
        pairs = zip(texts, known, strict=True)
        return tuple(text if static is None else str(static) for text, static in pairs)

    (offset,) = fixed([offset], [layout.offset])
    return MemRef(layout, base, offset, fixed(sizes, layout.sizes), fixed(strides, layout.strides))
