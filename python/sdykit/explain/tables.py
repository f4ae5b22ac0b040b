"""The ops and tensors of a program, taken down before anything propagates."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from sdykit.core import FUNC, symbol_name
from sdykit.explain.model import Op, SourceLine, Tensor
from sdykit.explain.source import ProgramText, position_of
from sdykit.mlir import ir
from sdykit.passes.sdy._propagation.program import Node, Program
from sdykit.passes.sdy._shardings import RES_ATTRS
from sdykit.passes.sdy._value_shardings import DATA_FLOW_EDGE, Place, ValueAttrs, shaped_type

_BITS = re.compile(r"\d+")
_MADE = frozenset((DATA_FLOW_EDGE, "sdy.sharding_constraint", "sdy.return"))
"""Ops that importing adds at the locations of others."""
_RESULT_INFO = "jax.result_info"


@dataclass
class _Tensor:
    """A tensor as it is collected: see `Tensor`."""

    place: Place | None
    value: ir.Value | None
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
        program: the program as propagation has it.
        text: the text that the user knows.
        ops: its ops, in pre-order.
        number_of: the number of each op.
        of_value: the number of the tensor of each value.
        of_result: the number of the tensor of each result of the function.
        returned: the values that the function returns.
        places: the place of the sharding of each tensor.
        values: the first value of each tensor; None for a result of the function.
    """

    program: Program
    text: ProgramText
    ops: list[Op] = field(default_factory=list)
    number_of: dict[Node, int] = field(default_factory=dict)
    of_value: dict[ir.Value, int] = field(default_factory=dict)
    of_result: list[int] = field(default_factory=list)
    returned: list[ir.Value] = field(default_factory=list)
    places: list[Place | None] = field(default_factory=list)
    values: list[ir.Value | None] = field(default_factory=list)
    _tensors: list[_Tensor] = field(default_factory=list)
    _of_place: dict[Place, int] = field(default_factory=dict)
    _functions: dict[Node, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        nodes = self.program.nodes
        self.number_of = {node: number for number, node in enumerate(nodes)}
        for node in nodes:
            self._add_values(node)
        self._add_results()
        self.ops = [self._op(node) for node in nodes]
        self.places = [tensor.place for tensor in self._tensors]
        self.values = [tensor.value for tensor in self._tensors]

    def tensors(self) -> Iterator[Tensor]:
        """Yield the tensors, without shardings."""
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
                math.prod(each.shape) * _bits(each.dtype) // 8,
                each.label,
                each.source,
                has_slot=each.place is not None,
            )

    def _add_values(self, node: Node) -> None:
        parent = node.parent
        name = symbol_name(node.op) if node.name == FUNC else ""
        if not name and parent is not None:
            name = self._functions[parent]
        self._functions[node] = name
        names = self._result_names(node)
        for value, text in zip(node.results, names, strict=True):
            self._add(node, value, "value", text, node.op.location)
        kind = "argument" if node.name == FUNC else "value"
        for region in node.op.regions:
            for block in region.blocks:
                for argument in block.arguments:
                    position = position_of(argument.location)
                    text = None if position is None else self.text.value_at(position)
                    self._add(node, argument, kind, text or "%?", argument.location)

    def _result_names(self, node: Node) -> Sequence[str]:
        count = len(node.results)
        position = position_of(node.op.location)
        if node.name == DATA_FLOW_EDGE:
            owner = self.of_value.get(node.operands[0])
            return [self._tensors[owner].names[0]] if owner is not None else ["%?"]
        names = [] if position is None else self.text.results(position)
        return names if len(names) == count else [names[0] if names else "%?"] * count

    def _add(
        self,
        node: Node,
        value: ir.Value,
        kind: Literal["argument", "value"],
        name: str,
        location: ir.Location,
    ) -> None:
        place = self.program.place(value)
        number = None if place is None else self._of_place.get(place)
        if number is not None:
            self._tensors[number].names.append(name)
        else:
            number = self._new(node, place, kind, value.type, name)
            origin, tensor = self.text.origin(location), self._tensors[number]
            tensor.value, tensor.source = value, origin.line
            if kind == "argument" and origin.line is None:
                tensor.label = origin.name
        self.of_value[value] = number

    def _new(
        self,
        node: Node,
        place: Place | None,
        kind: Literal["argument", "result", "value"],
        value_type: ir.Type,
        name: str,
    ) -> int:
        number = len(self._tensors)
        shaped = shaped_type(value_type)
        shape = tuple(shaped.shape) if shaped is not None and shaped.has_rank else ()
        dtype = str(value_type if shaped is None else shaped.element_type)
        self._tensors.append(
            _Tensor(
                place,
                None,
                self.number_of[node],
                kind,
                self._functions[node],
                shape,
                dtype,
                [name],
            )
        )
        if place is not None:
            self._of_place[place] = number
        return number

    def _add_results(self) -> None:
        """Add the results of the function that propagation takes into account."""
        func = self.program.function
        node = self.program.by_op[func]
        types = ir.FunctionType(ir.TypeAttr(func.attributes["function_type"]).value).results
        self.returned = self.program.returned()
        attributes = ValueAttrs(func, RES_ATTRS)
        for at, value_type in enumerate(types):
            place = Place(func, RES_ATTRS, at)
            info = attributes.get(at, _RESULT_INFO)
            number = self._new(node, place, "result", value_type, f"result {at}")
            tensor = self._tensors[number]
            tensor.label = "" if info is None else ir.StringAttr(info).value
            if at < len(self.returned):
                tensor.source = self._tensors[self.of_value[self.returned[at]]].source
            self.of_result.append(number)

    def _op(self, node: Node) -> Op:
        position = position_of(node.op.location)
        text, line = node.name, 1
        if position is not None:
            line = position.line
            if node.name not in _MADE or self.text.is_of(position, node.name):
                text = self.text.line_at(position)
        if text == node.name and node.operands:
            names = (self._tensors[self.of_value[each]].names[0] for each in node.operands)
            text = f"{node.name} {', '.join(names)}"
        return Op(
            self.number_of[node],
            node.name,
            text,
            line,
            None if node.parent is None else self.number_of[node.parent],
            tuple(self.of_value[each] for each in node.operands),
            tuple(self.of_value[each] for each in node.results),
            self.text.origin(node.op.location).line,
        )


def _bits(dtype: str) -> int:
    """Return the number of bits of an element; a byte for `i1`."""
    found = _BITS.search(dtype)
    bits = int(found[0]) if found is not None else 0
    if bits == 1:
        return 8
    return 2 * bits if dtype.startswith("complex") else bits
