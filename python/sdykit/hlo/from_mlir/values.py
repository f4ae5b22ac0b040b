"""The values of MLIR in HLO: instructions, or parts of their tuples.

Several results of an op are the elements of one tuple in HLO. They become instructions
(`get-tuple-element`) only where something uses them one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sdykit.hlo.model import Computation, Instruction
from sdykit.hlo.shape import Shape, same_shape, tuple_shape


@dataclass(frozen=True)
class Part:
    """A part of the tuple that is the value of an instruction."""

    of: Instruction
    path: tuple[int, ...]


@dataclass(frozen=True)
class Empty:
    """A tuple without arrays, which has no instruction yet."""

    shape: str


Item = Instruction | Part | Empty
Leaf = tuple[tuple[int, ...], str]


def leaves(shape: str) -> list[Leaf]:
    """Return the paths and shapes of all parts of a shape that are not tuples."""
    elements = Shape(shape).elements
    if elements is None:
        return [((), shape)]
    return [
        ((at, *path), leaf) for at, each in enumerate(elements) for path, leaf in leaves(each.text)
    ]


def at_path(shape: str, path: Sequence[int]) -> str | None:
    """Return the shape of a part; None if there is no such part."""
    for at in path:
        elements = Shape(shape).elements
        if elements is None or at >= len(elements):
            return None
        shape = elements[at].text
    return shape


class Parts:
    """Creates instructions for parts, and finds the tuples that parts belong to."""

    def __init__(self, computation: Computation, name: Callable[[str], str]) -> None:
        self.computation = computation
        self.name = name
        self.offset = -1
        """The place in the source of the instructions that are created."""
        self._made = dict[Part, Instruction]()

    def shape(self, item: Item) -> str:
        """Return the shape of an item."""
        if isinstance(item, Part):
            return at_path(item.of.shape, item.path) or ""
        return item.shape

    def element(self, item: Item, at: int) -> Item:
        """Return an element of a tuple without an instruction for it."""
        if isinstance(item, Part):
            return Part(item.of, (*item.path, at))
        return Part(self.instruction(item), (at,))

    def instruction(self, item: Item) -> Instruction:
        """Return the instruction of an item, which is created if there is none."""
        if isinstance(item, Instruction):
            return item
        if isinstance(item, Empty):
            return self._empty(item.shape)
        if not item.path:
            return item.of
        if item not in self._made:
            operand = self.instruction(Part(item.of, item.path[:-1]))
            attributes = {"index": str(item.path[-1])}
            self._made[item] = self._add(
                self.shape(item), "get-tuple-element", [operand], attributes
            )
        return self._made[item]

    def whole(self, items: Sequence[Item]) -> Item | None:
        """Return the tuple whose elements these are, all and in order; None if there is none."""
        first = next((each for each in items if isinstance(each, Part) and each.path), None)
        if first is None:
            return None
        found = [((at,), item) for at, item in enumerate(items)]
        return self._matching(first.of, first.path[:-1], found)

    def whole_deep(self, items: Sequence[Item], shape: str) -> Item | None:
        """Return the tuple of this shape whose arrays these are, all and in order, or None."""
        paths = [path for path, _ in leaves(shape)]
        first = items[0] if items else None
        if not isinstance(first, Part) or len(first.path) < len(paths[0]):
            return None
        prefix = first.path[: len(first.path) - len(paths[0])]
        if not same_shape(at_path(first.of.shape, prefix) or "", shape):
            return None
        return self._matching(first.of, prefix, list(zip(paths, items, strict=True)), partial=True)

    def tuple(self, items: Sequence[Item]) -> Instruction:
        """Add a tuple of items."""
        operands = [self.instruction(each) for each in items]
        return self._add(tuple_shape([each.shape for each in operands]), "tuple", operands, {})

    def tuple_deep(self, items: Sequence[Item], shape: str) -> Instruction:
        """Add a tuple of this shape, nested tuples included, from all the arrays in it."""
        rest = iter(items)

        def build(text: str) -> Item:
            elements = Shape(text).elements
            if elements is None:
                return next(rest)
            return self.tuple([build(each.text) for each in elements])

        return self.instruction(build(shape))

    def _matching(
        self,
        of: Instruction,
        prefix: tuple[int, ...],
        found: Sequence[tuple[tuple[int, ...], Item]],
        *,
        partial: bool = False,
    ) -> Item | None:
        elements = Shape(at_path(of.shape, prefix) or "").elements
        if elements is None or (not partial and len(elements) != len(found)):
            return None
        for path, item in found:
            part = Part(of, (*prefix, *path))
            empty = isinstance(item, Empty) and same_shape(item.shape, self.shape(part))
            if item != part and not empty:
                return None
        return Part(of, prefix) if prefix else of

    def _empty(self, shape: str) -> Instruction:
        elements = [self._empty(each.text) for each in Shape(shape).elements or ()]
        return self._add(shape, "tuple", elements, {})

    def _add(
        self, shape: str, opcode: str, operands: Sequence[Instruction], attributes: dict[str, str]
    ) -> Instruction:
        name = self.name(opcode)
        op = Instruction(name, shape, opcode, operands, attributes, offset=self.offset)
        return self.computation.append(op)
