"""Records of where the axes in shardings come from.

The origin of an axis in the sharding of a value is the first input or output of a function,
constraint, or input or output of a manual computation from which the value got the axis. Only axes
that shard dimensions have one. In the IR it is the attribute
`sdy.sharding_origins = {x = "constraint_0", y = "input: 1"}`, with "self" on the origin itself; on
ops other than constraints and edges it is a list, with an entry for each result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from sdykit.core import FUNC
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._shardings import ARG_ATTRS, RES_ATTRS, SHARDING
from sdykit.passes.sdy._value_attrs import ValueAttrs
from sdykit.passes.sdy._value_shardings import (
    DATA_FLOW_EDGE,
    Place,
    ValueShardings,
    data_flow_edge,
    dim_axes,
    holder,
    parent_op,
    place_of_owner,
)

ORIGINS = "sdy.sharding_origins"
ORIGIN_NAME = "sdy.sharding_origin_name"
BLOCK_ARGUMENT_ORIGINS = "sdy.block_arg_sharding_origins"
RESULT_ORIGINS = "sdy.result_sharding_origins"

_CONSTRAINT = sdy.ShardingConstraintOp.OPERATION_NAME
_SINGLE = (_CONSTRAINT, DATA_FLOW_EDGE)
_RETURN = "func.return"
_SELF = "self"

Origins = dict[str, str]
"""The name of the origin of each axis; an axis is written `x` or `x:(1)2`."""


def _axis_text(axis: sdy.AxisRefAttr) -> str:
    part = axis.sub_axis_info
    return axis.name if part is None else f"{axis.name}:({part.pre_size}){part.size}"


class ShardingOrigins:
    """Names the origins of shardings, follows axes from value to value, and writes the records."""

    def __init__(self, module: ModuleOp, ops: Iterable[ir.Operation]) -> None:
        """Name all origins; `ops` are the constraints and manual computations of the module."""
        self._of_value: dict[ir.Value, Origins] = {}
        # Functions of nested modules do not count.
        tops = [op.operation for op in module.body.operations]
        self._functions = [op for op in tops if op.name == FUNC]
        self._constraints: list[tuple[ir.Operation, str]] = []
        self._manual_computations: list[tuple[ir.Operation, str]] = []
        for op in ops:
            if op.name == _CONSTRAINT:
                self._constraints.append((op, f"constraint_{len(self._constraints)}"))
            else:
                self._manual_computations.append((op, f"mc_{len(self._manual_computations)}"))
        # The order matters: the first origin of an axis stays.
        shardings = ValueShardings()
        for op, name in self._constraints:
            op.attributes[ORIGIN_NAME] = ir.StringAttr.get(name)
            self._add(op.result, op.attributes["sharding"], name)
            self._add_input(op.operands[0], shardings, name)
        for op, name in self._manual_computations:
            op.attributes[ORIGIN_NAME] = ir.StringAttr.get(name)
            for edge, place, origin in _edges(op, name):
                self._add(edge.result, shardings.at(place), origin)
            for number, value in enumerate(op.operands):
                self._add_input(value, shardings, f"{name}_input: {number}")
        for func in self._functions:
            self._name_function(func)

    def _name_function(self, func: ir.Operation) -> None:
        for block in list(func.regions[0].blocks)[:1]:
            arguments = ValueAttrs(func, ARG_ATTRS)
            for number, value in enumerate(block.arguments):
                self._add(value, arguments.get(number, SHARDING), f"input: {number}")
            terminator = list(block.operations)[-1].operation
            if terminator.name == _RETURN:
                results = ValueAttrs(func, RES_ATTRS)
                for number, value in enumerate(terminator.operands):
                    self._add(value, results.get(number, SHARDING), f"output: {number}")

    def _add_input(self, value: ir.Value, shardings: ValueShardings, origin: str) -> None:
        """Record that a value that has a sharding got it from the op that demands one of it."""
        self._add(holder(value), shardings.get(value), origin)

    def _add(self, value: ir.Value, sharding: ir.Attribute | None, origin: str) -> None:
        if sharding is not None:
            for axis in dim_axes(sdy.TensorShardingAttr.of(sharding)):
                self._of_value.setdefault(value, {}).setdefault(_axis_text(axis), origin)

    def follow(self, source: ir.Value, target: ir.Value, axes: Iterable[sdy.AxisRefAttr]) -> None:
        """Record that axes were propagated from one value to another."""
        target = holder(target)
        for axis in axes:
            text = _axis_text(axis)
            origin = self._of_value[source][text]
            self._of_value.setdefault(target, {}).setdefault(text, origin)

    def hand_on(self, source: ir.Value, target: ir.Value, axis: sdy.AxisRefAttr) -> None:
        """Record that a value got an axis from one that has it, or a part of it, or more of it."""
        origins = self._of_value.get(holder(source), {})
        origin = origins.get(_axis_text(axis))
        if origin is None:
            origin = next((at for text, at in origins.items() if _is_related(text, axis)), None)
        if origin is not None:
            self._of_value.setdefault(holder(target), {}).setdefault(_axis_text(axis), origin)

    def save(self) -> None:
        """Write the records into the module."""
        functions = _FunctionRecords()
        for value, origins in self._of_value.items():
            attr = ir.DictAttr.get({axis: ir.StringAttr.get(at) for axis, at in origins.items()})
            _save(value, attr, functions)
            # Of several uses by `func.return` only the first in the list: the one added last.
            uses = (use for use in value.uses if use.owner.operation.name == _RETURN)
            for use in islice(uses, 1):
                func = use.owner.operation.block.owner.operation
                functions.results(func).set(use.operand_number, ORIGINS, attr)
        for func in self._functions:
            _name_self(functions.arguments(func), "input")
            _name_self(functions.results(func), "output")
        functions.flush()
        for op, name in self._constraints:
            _name_self_on_op(op, name)
        for op, name in self._manual_computations:
            for edge, _, origin in _edges(op, name):
                _name_self_on_op(edge, origin)


def _is_related(text: str, axis: sdy.AxisRefAttr) -> bool:
    """Return whether an axis, as text, contains another one, or is contained in it."""
    name, _, part = text.partition(":")
    own = axis.sub_axis_info
    if name != axis.name or not part or own is None:
        return name == axis.name
    pre, size = map(int, part[1:].split(")"))
    own_next, other_next = own.pre_size * own.size, pre * size
    return (pre <= own.pre_size and other_next >= own_next) or (
        pre >= own.pre_size and other_next <= own_next
    )


def _edges(op: ir.Operation, name: str) -> Iterator[tuple[ir.Operation, Place, str]]:
    """Yield the edges of a manual computation, the places of their shardings and their origins."""
    arguments = op.regions[0].blocks[0].arguments
    for word, values in (("input", arguments), ("output", op.results)):
        for number, value in enumerate(values):
            edge = data_flow_edge(value)
            if edge is not None:
                yield edge, place_of_owner(value), f"{name}_{word}: {number}"


class _FunctionRecords:
    """The attributes of arguments and results of all functions."""

    def __init__(self) -> None:
        self._attrs: dict[tuple[ir.Operation, str], ValueAttrs] = {}

    def arguments(self, func: ir.Operation) -> ValueAttrs:
        return self._get(func, ARG_ATTRS)

    def results(self, func: ir.Operation) -> ValueAttrs:
        return self._get(func, RES_ATTRS)

    def _get(self, func: ir.Operation, key: str) -> ValueAttrs:
        if (func, key) not in self._attrs:
            self._attrs[func, key] = ValueAttrs(func, key)
        return self._attrs[func, key]

    def flush(self) -> None:
        for attrs in self._attrs.values():
            attrs.flush()


def _save(value: ir.Value, attr: ir.DictAttr, functions: _FunctionRecords) -> None:
    if isinstance(value, ir.BlockArgument):
        op = parent_op(value)
        if op.name == FUNC:
            functions.arguments(op).set(value.arg_number, ORIGINS, attr)
        else:
            # A block argument has no entry in the list, but as in C++ the list is made.
            op.attributes[ORIGINS] = ir.ArrayAttr.get(_records(op))
        return
    result = ir.OpResult(value)
    op = result.owner.operation
    if op.name in _SINGLE:
        op.attributes[ORIGINS] = attr
        return
    records = _records(op)
    records[result.result_number] = attr
    op.attributes[ORIGINS] = ir.ArrayAttr.get(records)


def _records(op: ir.Operation) -> list[ir.Attribute]:
    """Return the origins of all results of an op, with empty ones for results without."""
    present = op.attributes.get(ORIGINS)
    if isinstance(present, ir.ArrayAttr) and len(present) == len(op.results):
        return list(present)
    return [ir.DictAttr.get({}) for _ in op.results]


def _name_self_on_op(op: ir.Operation, name: str) -> None:
    attr = op.attributes.get(ORIGINS)
    if isinstance(attr, ir.DictAttr):
        op.attributes[ORIGINS] = _with_self(attr, name)


def _name_self(values: ValueAttrs, word: str) -> None:
    for number in range(len(values)):
        attr = values.get(number, ORIGINS)
        if isinstance(attr, ir.DictAttr):
            values.set(number, ORIGINS, _with_self(attr, f"{word}: {number}"))


def _with_self(origins: ir.DictAttr, name: str) -> ir.DictAttr:
    """Replace the name of an origin by "self"."""
    self_attr, other = ir.StringAttr.get(_SELF), ir.StringAttr.get(name)
    return ir.DictAttr.get(
        {entry.name: self_attr if entry.attr == other else entry.attr for entry in origins}
    )
