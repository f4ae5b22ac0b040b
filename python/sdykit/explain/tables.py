"""The ops and tensors of a program, taken down before anything propagates."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from sdykit.core import FUNC, symbol_name
from sdykit.explain.expanding import PREFIX
from sdykit.explain.model import Given, Op, SourceLine, Tensor, TensorSharding
from sdykit.explain.source import Position, ProgramText, position_of
from sdykit.mlir import ir
from sdykit.passes.sdy._propagation.program import NO_NODE
from sdykit.passes.sdy._propagation.slots import NO_SLOT, Slots
from sdykit.passes.sdy._shardings import RES_ATTRS
from sdykit.passes.sdy._value_attrs import ValueAttrs
from sdykit.passes.sdy._value_shardings import DATA_FLOW_EDGE, shaped_type

_BITS = re.compile(r"\d+")
_MADE = frozenset((DATA_FLOW_EDGE, "sdy.sharding_constraint", "sdy.return"))
"""Ops that importing adds at the locations of others."""
_RESULT_INFO = "jax.result_info"


@dataclass
class _Tensor:
    """A tensor as it is collected: see `Tensor`."""

    slot: int
    value: int | None
    op: int
    kind: Literal["argument", "result", "value"]
    function: str
    shape: tuple[int, ...]
    dtype: str
    names: list[str]
    label: str = ""
    source: SourceLine | None = None


@dataclass
class Tables:
    """The ops and tensors of a program, by numbers.

    Attributes:
        of: the shardings of the program as propagation has it.
        text: the text that the user knows.
        ops: its ops, in pre-order.
        of_value: the number of the tensor of each value of the program.
        of_result: the number of the tensor of each result of the function.
        slots: the slot of each tensor.
        values: the first value of each tensor; None for a result of the function.
    """

    of: Slots
    text: ProgramText
    ops: list[Op] = field(default_factory=list)
    of_value: dict[int, int] = field(default_factory=dict)
    of_result: list[int] = field(default_factory=list)
    slots: list[int] = field(default_factory=list)
    values: list[int | None] = field(default_factory=list)
    _tensors: list[_Tensor] = field(default_factory=list)
    _of_slot: dict[int, int] = field(default_factory=dict)
    _functions: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._program = self.of.program
        nodes = range(len(self._program.ops))
        for node in nodes:
            self._add_values(node)
        self._add_results()
        self.ops = [self._op(node) for node in nodes]
        self.slots = [tensor.slot for tensor in self._tensors]
        self.values = [tensor.value for tensor in self._tensors]

    def tensors(
        self, given: Sequence[Given | None], final: Sequence[TensorSharding | None]
    ) -> Iterator[Tensor]:
        """Yield the tensors, with the shardings that they were given, and have in the end."""
        for number, each in enumerate(self._tensors):
            yield Tensor(
                number,
                each.names[0],
                tuple(dict.fromkeys(each.names)),
                each.function,
                each.op,
                each.kind,
                each.shape,
                each.dtype,
                math.prod(each.shape) * bits_of(each.dtype) // 8,
                each.label,
                each.source,
                given[number],
                final[number],
                has_slot=each.slot != NO_SLOT,
            )

    def _add_values(self, node: int) -> None:
        program = self._program
        op, parent = program.ops[node], program.parents[node]
        is_function = program.names[node] == FUNC
        name = symbol_name(op) if is_function else ""
        if not name and parent != NO_NODE:
            name = self._functions[parent]
        self._functions.append(name)
        for value, text in zip(program.results[node], self._result_names(node), strict=True):
            self._add(node, value, "value", text, op.location)
        kind = "argument" if is_function else "value"
        for body in program.bodies.get(node, ()):
            for value in (each for block in body for each in block.arguments):
                location = ir.BlockArgument(program.values[value]).location
                position = position_of(location)
                text = None if position is None else self.text.value_at(position)
                self._add(node, value, kind, text or "%?", location)

    def _result_names(self, node: int) -> Sequence[str]:
        program = self._program
        count = len(program.results[node])
        position = position_of(program.ops[node].location)
        if program.names[node] == DATA_FLOW_EDGE:
            owner = self.of_value.get(program.operands[node][0])
            return [self._tensors[owner].names[0]] if owner is not None else ["%?"]
        names = [] if position is None else self.text.results(position)
        if position is not None and names and self._is_within(node, position):
            return [f"in {names[0]}"] * count
        return names if len(names) == count else [names[0] if names else "%?"] * count

    def _is_within(self, node: int, position: Position) -> bool:
        """Return whether others of the ops that have replaced the one at a position use an op."""
        if not self.text.is_of(position, PREFIX):
            return False
        results = self._program.ops[node].results
        users = (use.owner for result in results for use in result.uses)
        return any(position_of(user.location) == position for user in users)

    def _add(
        self,
        node: int,
        value: int,
        kind: Literal["argument", "value"],
        name: str,
        location: ir.Location,
    ) -> None:
        slot = self.of.of[value]
        number = self._of_slot.get(slot)
        if number is not None:
            self._tensors[number].names.append(name)
        else:
            type_ = self._program.values[value].type
            number = self._new(node, slot, kind, type_, name)
            origin, tensor = self.text.origin(location), self._tensors[number]
            tensor.value, tensor.source = value, origin.line
            if kind == "argument" and origin.line is None:
                tensor.label = origin.name
        self.of_value[value] = number

    def _new(
        self,
        node: int,
        slot: int,
        kind: Literal["argument", "result", "value"],
        value_type: ir.Type,
        name: str,
    ) -> int:
        number = len(self._tensors)
        shaped = shaped_type(value_type)
        shape = tuple(shaped.shape) if shaped is not None and shaped.has_rank else ()
        dtype = str(value_type if shaped is None else shaped.element_type)
        self._tensors.append(
            _Tensor(slot, None, node, kind, self._functions[node], shape, dtype, [name])
        )
        if slot != NO_SLOT:
            self._of_slot[slot] = number
        return number

    def _add_results(self) -> None:
        """Add the results of the function that propagation takes into account."""
        node = self._program.function()
        func = self._program.ops[node]
        types = ir.FunctionType(ir.TypeAttr(func.attributes["function_type"]).value).results
        returned = self._program.returned(node)
        attributes = ValueAttrs(func, RES_ATTRS)
        for at, (value_type, slot) in enumerate(zip(types, self.of.results[node], strict=True)):
            info = attributes.get(at, _RESULT_INFO)
            number = self._new(node, slot, "result", value_type, f"result {at}")
            tensor = self._tensors[number]
            tensor.label = "" if info is None else ir.StringAttr(info).value
            if at < len(returned):
                tensor.source = self._tensors[self.of_value[returned[at]]].source
            self.of_result.append(number)

    def _op(self, node: int) -> Op:
        program = self._program
        name, location = program.names[node], program.ops[node].location
        operands = tuple([self.of_value[each] for each in program.operands[node]])
        position = position_of(location)
        text, line = name, 1
        if position is not None:
            line = position.line
            if name not in _MADE or self.text.is_of(position, name):
                text = self.text.line_at(position)
        if text == name and operands:
            names = (self._tensors[each].names[0] for each in operands)
            text = f"{name} {', '.join(names)}"
        parent = program.parents[node]
        return Op(
            node,
            name,
            text,
            line,
            None if parent == NO_NODE else parent,
            operands,
            tuple([self.of_value[each] for each in program.results[node]]),
            self.text.origin(location).line,
        )


def bits_of(dtype: str) -> int:
    """Return the number of bits of an element: a byte for `i1`, 0 for what has none."""
    found = _BITS.search(dtype)
    bits = int(found[0]) if found is not None else 0
    if bits == 1:
        return 8
    return 2 * bits if dtype.startswith("complex") else bits
