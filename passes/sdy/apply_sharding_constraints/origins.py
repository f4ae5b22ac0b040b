"""Records of where the axes in shardings come from.

An axis in the sharding of a value comes from an input or output of a function, a
constraint, or an input or output of a manual computation: the first of these that gave it to
the value. Only axes that shard dimensions count. In the IR,
`sdy.sharding_origins = {x = "constraint_0", y = "input: 1"}` says so, with "self" at the place
itself; on an op with any number of results it is a list.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from sdykit.core import FUNC
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._value_shardings import (
    ARG_ATTRS,
    DATA_FLOW_EDGE,
    RES_ATTRS,
    SHARDING,
    Place,
    ValueAttrs,
    ValueShardings,
    data_flow_edge,
    dim_axes,
    holder,
    parent_op,
    place_of_owner,
)

ORIGINS = "sdy.sharding_origins"
ORIGIN_NAME = "sdy.sharding_origin_name"

_CONSTRAINT = sdy.ShardingConstraintOp.OPERATION_NAME
_SINGLE = (_CONSTRAINT, DATA_FLOW_EDGE)
_RETURN = "func.return"
_SELF = "self"

Origins = dict[str, str]
"""Names of origins by axis, the axis written as `x` or `x:(1)2`."""


def _axis_text(axis: sdy.AxisRefAttr) -> str:
    part = axis.sub_axis_info
    return axis.name if part is None else f"{axis.name}:({part.pre_size}){part.size}"


class ShardingOrigins:
    """Names the places that shardings originate from, follows them, and writes the records."""

    def __init__(self, module: ModuleOp, ops: Iterable[ir.Operation]) -> None:
        """Name all origins: constraints and manual computations are `ops`."""
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
        # In this order: the first origin of an axis stays.
        shardings = ValueShardings()
        for op, name in self._constraints:
            op.attributes[ORIGIN_NAME] = ir.StringAttr.get(name)
            self._give(op.result, op.attributes["sharding"], name)
            self._give_input(op.operands[0], shardings, name)
        for op, name in self._manual_computations:
            op.attributes[ORIGIN_NAME] = ir.StringAttr.get(name)
            for edge, place, origin in _edges(op, name):
                self._give(edge.result, shardings.at(place), origin)
            for number, value in enumerate(op.operands):
                self._give_input(value, shardings, f"{name}_input: {number}")
        for func in self._functions:
            self._name_function(func)

    def _name_function(self, func: ir.Operation) -> None:
        for block in list(func.regions[0].blocks)[:1]:
            arguments = ValueAttrs(func, ARG_ATTRS)
            for number, value in enumerate(block.arguments):
                self._give(value, arguments.get(number, SHARDING), f"input: {number}")
            terminator = list(block.operations)[-1].operation
            if terminator.name == _RETURN:
                results = ValueAttrs(func, RES_ATTRS)
                for number, value in enumerate(terminator.operands):
                    self._give(value, results.get(number, SHARDING), f"output: {number}")

    def _give_input(self, value: ir.Value, shardings: ValueShardings, origin: str) -> None:
        """What has a sharding already has it from the op that demands one of it."""
        self._give(holder(value), shardings.get(value), origin)

    def _give(self, value: ir.Value, sharding: ir.Attribute | None, origin: str) -> None:
        if sharding is not None:
            for axis in dim_axes(sdy.TensorShardingAttr.of(sharding)):
                self._of_value.setdefault(value, {}).setdefault(_axis_text(axis), origin)

    def follow(self, source: ir.Value, target: ir.Value, axes: Iterable[sdy.AxisRefAttr]) -> None:
        """Note that axes were propagated from one value to another."""
        target = holder(target)
        for axis in axes:
            text = _axis_text(axis)
            origin = self._of_value[source][text]
            self._of_value.setdefault(target, {}).setdefault(text, origin)

    def save(self) -> None:
        """Write the records into the module."""
        functions = _FunctionRecords()
        for value, origins in self._of_value.items():
            attr = ir.DictAttr.get({axis: ir.StringAttr.get(at) for axis, at in origins.items()})
            _save(value, attr, functions)
            # Of several uses by `func.return`, the one that was added last.
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


def _edges(op: ir.Operation, name: str) -> Iterator[tuple[ir.Operation, Place, str]]:
    """List the edges of a manual computation, with the place of their sharding and origin."""
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
            # There is no place for block arguments, but the list is made all the same.
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
    """Read the origins of all results of an op; empty ones where there are none."""
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
    """Write "self" for the name of an origin."""
    self_attr, other = ir.StringAttr.get(_SELF), ir.StringAttr.get(name)
    return ir.DictAttr.get(
        {entry.name: self_attr if entry.attr == other else entry.attr for entry in origins}
    )
