"""Records of where the axes in shardings come from.

An axis in the sharding of a value comes from an input or output of a function, a
constraint, or an input or output of a manual computation: the first of these that gave it to
the value. Only axes that shard dimensions count. In the IR,
`sdy.sharding_origins = {x = "constraint_0", y = "input: 1"}` says so, with "self" at the place
itself; on an op with any number of results it is a list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._value_shardings import (
    ARG_ATTRS,
    DATA_FLOW_EDGE,
    FUNC,
    RES_ATTRS,
    SHARDING,
    ValueAttrs,
    ValueShardings,
    data_flow_edge,
    dim_axes,
    holder,
    parent_op,
)

ORIGINS = "sdy.sharding_origins"
ORIGIN_NAME = "sdy.sharding_origin_name"

_CONSTRAINT = sdy.ShardingConstraintOp.OPERATION_NAME
_SINGLE = (_CONSTRAINT, DATA_FLOW_EDGE)
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
        self._constraints: list[ir.Operation] = []
        self._manual_computations: list[ir.Operation] = []
        for op in ops:
            is_constraint = op.name == _CONSTRAINT
            (self._constraints if is_constraint else self._manual_computations).append(op)
        # A function of a nested module does not count.
        self._functions = [
            op.operation for op in module.body.operations if op.operation.name == FUNC
        ]
        # In this order: the first origin of an axis stays.
        shardings = ValueShardings()
        self._name_constraints(shardings)
        self._name_manual_computations(shardings)
        for func in self._functions:
            self._name_function(func)

    def _name_constraints(self, shardings: ValueShardings) -> None:
        for number, op in enumerate(self._constraints):
            name = f"constraint_{number}"
            op.attributes[ORIGIN_NAME] = ir.StringAttr.get(name)
            self._give_attr(op.results[0], op.attributes["sharding"], name)
            self._give_attr(holder(op.operands[0]), shardings.get(op.operands[0]), name)

    def _name_manual_computations(self, shardings: ValueShardings) -> None:
        for number, op in enumerate(self._manual_computations):
            name = f"mc_{number}"
            op.attributes[ORIGIN_NAME] = ir.StringAttr.get(name)
            arguments = op.regions[0].blocks[0].arguments
            for key, values, word in (
                ("in_shardings", arguments, "input"),
                ("out_shardings", op.results, "output"),
            ):
                own = sdy.TensorShardingPerValueAttr.of(op.attributes[key]).shardings
                for index, (value, sharding) in enumerate(zip(values, own, strict=True)):
                    edge = data_flow_edge(value)
                    if edge is not None:
                        self._give(edge.results[0], sharding, f"{name}_{word}: {index}")
            for index, value in enumerate(op.operands):
                self._give_attr(holder(value), shardings.get(value), f"{name}_input: {index}")

    def _name_function(self, func: ir.Operation) -> None:
        blocks = func.regions[0].blocks
        if not len(blocks):
            return
        arguments = ValueAttrs(func, ARG_ATTRS)
        for number, value in enumerate(blocks[0].arguments):
            self._give_attr(value, arguments.get(number, SHARDING), f"input: {number}")
        terminator = list(blocks[0].operations)[-1]
        if terminator.operation.name == "func.return":
            results = ValueAttrs(func, RES_ATTRS)
            for number, value in enumerate(terminator.operands):
                self._give_attr(value, results.get(number, SHARDING), f"output: {number}")

    def _give_attr(self, value: ir.Value, sharding: ir.Attribute | None, origin: str) -> None:
        if sharding is not None:
            self._give(value, sdy.TensorShardingAttr.of(sharding), origin)

    def _give(self, value: ir.Value, sharding: sdy.TensorShardingAttr, origin: str) -> None:
        for axis in dim_axes(sharding):
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
            attr = _dict_attr(origins)
            op = parent_op(value) if isinstance(value, ir.BlockArgument) else value.owner.operation
            if op.name == FUNC:
                functions.arguments(op).set(ir.BlockArgument(value).arg_number, ORIGINS, attr)
            elif op.name in _SINGLE:
                op.attributes[ORIGINS] = attr
            else:
                _save_in_list(op, value, attr)
            # The use that was added last, if a value is returned more than once.
            use = next((u for u in value.uses if u.owner.operation.name == "func.return"), None)
            if use is not None:
                func = use.owner.operation.parent.operation
                functions.results(func).set(use.operand_number, ORIGINS, attr)
        for func in self._functions:
            _name_self(functions.arguments(func), "input")
            _name_self(functions.results(func), "output")
        functions.flush()
        for op in self._constraints:
            _name_self_on_op(op, ir.StringAttr(op.attributes[ORIGIN_NAME]).value)
        for op in self._manual_computations:
            name = ir.StringAttr(op.attributes[ORIGIN_NAME]).value
            arguments = op.regions[0].blocks[0].arguments
            for values, word in ((arguments, "input"), (op.results, "output")):
                for index, value in enumerate(values):
                    edge = data_flow_edge(value)
                    if edge is not None:
                        _name_self_on_op(edge, f"{name}_{word}: {index}")


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


def _dict_attr(origins: Mapping[str, str]) -> ir.DictAttr:
    return ir.DictAttr.get({axis: ir.StringAttr.get(name) for axis, name in origins.items()})


def _save_in_list(op: ir.Operation, value: ir.Value, attr: ir.DictAttr) -> None:
    """Write the record of a result; of a block argument there is none, only the list."""
    present = op.attributes.get(ORIGINS)
    if isinstance(present, ir.ArrayAttr):
        records: list[ir.Attribute] = list(present)
    else:
        records = [ir.DictAttr.get({}) for _ in op.results]
    if not isinstance(value, ir.BlockArgument):
        records[ir.OpResult(value).result_number] = attr
    op.attributes[ORIGINS] = ir.ArrayAttr.get(records)


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
