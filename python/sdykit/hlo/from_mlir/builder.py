"""Build the instructions of one computation from ops, and keep track of their values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sdykit.hlo.async_ops import ASYNC, DONE
from sdykit.hlo.from_mlir.places import Places
from sdykit.hlo.from_mlir.texts import carry_of
from sdykit.hlo.from_mlir.values import Empty, Item, Part, Parts, leaves
from sdykit.hlo.mlir import marks
from sdykit.hlo.mlir.locations import origin_of
from sdykit.hlo.mlir.types import shape_of
from sdykit.hlo.model import Computation, Instruction
from sdykit.hlo.shape import Shape, tuple_shape
from sdykit.mlir import ir

_NAME = re.compile(r"[\w.\-]+", re.ASCII)
_COUNT = re.compile(r"\.\d+\Z", re.ASCII)
_RESULTS_ARE_ELEMENTS = frozenset({"call", DONE})
"""Opcodes whose op has the elements of a tuple as results, even if there is only one."""


class InstructionBuilder:
    """Adds instructions to a computation; raises `ValueError` for ops without a form in HLO."""

    def __init__(self, computation: Computation, places: Places) -> None:
        self.computation = computation
        self.places = places
        self.parts = Parts(computation, self.name)
        self.root: Instruction | None = None
        """The instruction that is marked as the root."""
        self._values = dict[ir.Value, Item]()
        self._counts = dict[str, int]()
        self._without_results: Instruction | None = None
        self._last: Instruction | None = None

    def begin(self, op: ir.Operation) -> None:
        """Begin to read an op: instructions get its place from now on."""
        self.parts.offset = self.places.number(op)
        self._last, self._without_results = self._without_results, None

    def parameter(self, argument: ir.BlockArgument, attributes: Mapping[str, str]) -> None:
        """Add a parameter."""
        origin = origin_of(argument.location)
        found = dict(attributes)
        is_root = found.pop(marks.ROOT, None) is not None
        if origin.metadata is not None:
            found.setdefault("metadata", origin.metadata)
        shape, number = shape_of(str(argument.type)), argument.arg_number
        op = Instruction(
            self.name(origin.name or f"Arg_{number}"),
            shape,
            "parameter",
            (),
            found,
            literal=str(number),
            offset=self.places.number(argument.owner.owner.operation, number),
        )
        self._values[argument] = self.computation.append(op)
        self.root = op if is_root else self.root

    def items(self, op: ir.Operation) -> list[Item]:
        """Return the items that the operands of an op stand for."""
        found = [self._values.get(operand) for operand in op.operands]
        known = [each for each in found if each is not None]
        if len(known) < len(found):
            raise ValueError("its region uses a value from outside")
        return known

    def operands(self, op: ir.Operation) -> list[Instruction]:
        """Return the instructions of the operands of an op."""
        return [self.parts.instruction(each) for each in self.items(op)]

    def shape(self, op: ir.Operation) -> str:
        """Return the shape of the one result, or of the tuple of all results."""
        shapes = [shape_of(str(each.type)) for each in op.results]
        return shapes[0] if len(shapes) == 1 else tuple_shape(shapes)

    def define(
        self,
        op: ir.Operation,
        opcode: str,
        attributes: Mapping[str, str],
        shape: str,
        literal: str | None = None,
    ) -> Instruction:
        """Add the instruction of an op whose results are the instruction or its elements."""
        found = {**attributes, **carry_of(op)}
        made = self.add(op, shape, opcode, self.operands(op), found, literal=literal)
        results = list(op.results)
        one = len(results) == 1 and str(results[0].type).startswith(("tuple<", "!mhlo.async"))
        apart = Shape(shape).elements is not None and (opcode in _RESULTS_ARE_ELEMENTS or not one)
        for at, result in enumerate(results):
            self._values[result] = Part(made, (at,)) if apart else made
        if apart and not results:
            self._without_results = made
        if marks.ROOT in op.attributes:
            self.root = made
        return made

    def define_deep(self, op: ir.Operation, attributes: Mapping[str, str], shape: str) -> None:
        """Add the `opt-barrier` of an op whose results are all the arrays in a tuple."""
        items = self.items(op)
        operand = self.parts.whole_deep(items, shape) or self.parts.tuple_deep(items, shape)
        found = {**attributes, **carry_of(op)}
        made = self.add(op, shape, "opt-barrier", [self.parts.instruction(operand)], found)
        for result, (path, _) in zip(op.results, leaves(shape), strict=True):
            self._values[result] = Part(made, path)

    def implied(self, op: ir.Operation, attributes: Mapping[str, str]) -> bool:
        """Pack or unpack a tuple without an instruction; return whether that is possible."""
        items = self.items(op)
        if op.name.endswith(".get_tuple_element"):
            index = int(attributes["index"].partition(" ")[0])
            self._values[op.result] = self.parts.element(items[0], index)
            return True
        shape = shape_of(str(op.result.type))
        whole = self.parts.whole(items) if items else self._last
        if whole is None and not leaves(shape):
            whole = Empty(shape)
        if whole is None:
            return False
        self._values[op.result] = whole
        if marks.ROOT in attributes:
            self.root = self.parts.instruction(whole)
        return True

    def add(
        self,
        op: ir.Operation,
        shape: str,
        opcode: str,
        operands: Sequence[Instruction],
        attributes: Mapping[str, str],
        *,
        literal: str | None = None,
    ) -> Instruction:
        """Add an instruction, named after the location of the op."""
        origin, found = origin_of(op.location), dict(attributes)
        if origin.metadata is not None:
            found.setdefault("metadata", origin.metadata)
        base = origin.name or opcode
        if not _NAME.fullmatch(base):
            base = opcode
        elif opcode in ASYNC and base != opcode and base in self.computation.by_name:
            # The pass that wrapped an op puts its location on the whole chain.
            base = f"{base.removesuffix('-start')}{opcode.removeprefix('async')}"
        name, offset = self.name(base), self.places.number(op)
        made = Instruction(name, shape, opcode, operands, found, literal=literal, offset=offset)
        return self.computation.append(made)

    def name(self, base: str) -> str:
        """Return a name that is free in the computation."""
        stem, name = _COUNT.sub("", base), base
        while name in self.computation.by_name:
            self._counts[stem] = self._counts.get(stem, 0) + 1
            name = f"{stem}.{self._counts[stem]}"
        return name
