"""What the values of MLIR are in HLO: instructions, or parts of their tuples.

Several results of an op are the elements of one tuple in HLO. They are instructions
(`get-tuple-element`) only where something uses them one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sdykit.hlo.model import Computation, Instruction
from sdykit.hlo.shape import Shape, same_shape, tuple_shape


@dataclass(frozen=True)
class Part:
    """An element of the tuple that an instruction gives."""

    of: Instruction
    path: tuple[int, ...]


@dataclass(frozen=True)
class Empty:
    """A tuple without arrays, whose instruction is not known yet."""

    shape: str


Item = Instruction | Part | Empty
Leaf = tuple[tuple[int, ...], str]


def leaves(shape: str) -> list[Leaf]:
    """Give the paths and shapes of all that is no tuple."""
    elements = Shape(shape).elements
    if elements is None:
        return [((), shape)]
    return [
        ((at, *path), leaf) for at, each in enumerate(elements) for path, leaf in leaves(each.text)
    ]


def at_path(shape: str, path: Sequence[int]) -> str | None:
    """Give the shape of a part; None if there is none such."""
    for at in path:
        elements = Shape(shape).elements
        if elements is None or at >= len(elements):
            return None
        shape = elements[at].text
    return shape


class Parts:
    """Makes instructions of parts, and finds what parts are parts of."""

    def __init__(self, computation: Computation, name: Callable[[str], str]) -> None:
        self.computation = computation
        self.name = name
        self.offset = -1
        """Where what is made shall be found in the source."""
        self._made = dict[Part, Instruction]()

    def shape(self, item: Item) -> str:
        """Tell the shape of an item."""
        if isinstance(item, Part):
            return at_path(item.of.shape, item.path) or ""
        return item.shape

    def element(self, item: Item, at: int) -> Item:
        """Give an element of a tuple without an instruction for it."""
        if isinstance(item, Part):
            return Part(item.of, (*item.path, at))
        return Part(self.instruction(item), (at,))

    def instruction(self, item: Item) -> Instruction:
        """Give the instruction of an item; make it if there is none."""
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
        """Find the tuple that these are all elements of, in order."""
        first = next((each for each in items if isinstance(each, Part) and each.path), None)
        if first is None:
            return None
        return self._matching(first.of, first.path[:-1], [((at,), x) for at, x in enumerate(items)])

    def whole_deep(self, items: Sequence[Item], shape: str) -> Item | None:
        """Find the tuple of this shape that these are all arrays of, in order."""
        paths = [path for path, _ in leaves(shape)]
        first = items[0] if items else None
        if not isinstance(first, Part) or len(first.path) < len(paths[0]):
            return None
        prefix = first.path[: len(first.path) - len(paths[0])]
        if not same_shape(at_path(first.of.shape, prefix) or "", shape):
            return None
        return self._matching(first.of, prefix, list(zip(paths, items, strict=True)), partial=True)

    def tuple(self, items: Sequence[Item]) -> Instruction:
        """Make a tuple."""
        operands = [self.instruction(each) for each in items]
        return self._add(tuple_shape([each.shape for each in operands]), "tuple", operands, {})

    def tuple_deep(self, items: Sequence[Item], shape: str) -> Instruction:
        """Make a tuple of this shape of all the arrays in it."""
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
