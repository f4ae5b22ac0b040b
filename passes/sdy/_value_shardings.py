"""The sharding of a value: which attribute holds it, reading and setting it; data-flow edges.

Some ops forward values unchanged: their operands, and what their regions return, are the sources
of *data-flow edges*, their results and block arguments the targets. All values of an edge have one
sharding. One of the targets owns the edge. If the owner is used by a `sdy.data_flow_edge`, which
then is its only user, that op holds the sharding of all targets; otherwise an attribute of the
forwarding op does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sdykit.core import FUNC, fail
from sdykit.dialects import sdy
from sdykit.mlir import ir
from sdykit.passes.sdy._shardings import (
    ARG_ATTRS,
    IN_SHARDINGS,
    OUT_SHARDINGS,
    REGION_OPS,
    RES_ATTRS,
    RESULT_ATTRIBUTE,
    SHARDING,
)
from sdykit.passes.sdy._value_attrs import ValueAttrs

MANUAL_COMPUTATION = sdy.ManualComputationOp.OPERATION_NAME
DATA_FLOW_EDGE = sdy.DataFlowEdgeOp.OPERATION_NAME

RESULTS_OWN_EDGES = frozenset(
    ("stablehlo.while", "stablehlo.case", "stablehlo.optimization_barrier", "mpmd.for")
)
"""The ops whose results own edges; their block arguments, if any, are further targets."""

ARGUMENTS_OWN_EDGES = REGION_OPS
"""The ops whose results and block arguments own edges."""

DATA_FLOW_OPS = RESULTS_OWN_EDGES | ARGUMENTS_OWN_EDGES

WHOLE = -1


class Place(NamedTuple):
    """The place that holds a sharding.

    Attributes:
        op: the op that has the attribute.
        key: the name of the attribute. `arg_attrs` holds all attributes of the arguments of a
            function, their shardings among them.
        number: the index of the sharding in the attribute's list, or `WHOLE` if the attribute is
            the sharding itself.
    """

    op: ir.Operation
    key: str
    number: int


def place_of(value: ir.Value) -> Place | None:
    """Return the place of a value's sharding, or None if the value cannot have one."""
    if isinstance(value, ir.OpResult):
        op = value.owner.operation
        name = op.name
        if name not in DATA_FLOW_OPS:
            if name in RESULT_ATTRIBUTE:
                return Place(op, RESULT_ATTRIBUTE[name], WHOLE)
            return Place(op, SHARDING, value.result_number)
    elif isinstance(value, ir.BlockArgument):
        op = parent_op(value)
        if op.name == FUNC:
            # By its number alone: an argument of a later block has the sharding of the
            # function's argument of that number.
            return Place(op, ARG_ATTRS, value.arg_number)
    owner = edge_owner(value)
    if owner is None:
        return None
    edge = data_flow_edge(owner)
    return place_of_owner(owner) if edge is None else Place(edge, "sharding", WHOLE)


def place_of_owner(owner: ir.Value) -> Place:
    """Return the place of the sharding of an owner that no `sdy.data_flow_edge` uses."""
    if isinstance(owner, ir.BlockArgument):
        return Place(parent_op(owner), IN_SHARDINGS, owner.arg_number)
    result = ir.OpResult(owner)
    op = result.owner.operation
    key = OUT_SHARDINGS if op.name in ARGUMENTS_OWN_EDGES else SHARDING
    return Place(op, key, result.result_number)


def edge_owner(target: ir.Value) -> ir.Value | None:
    """Return the owner of the data-flow edge that a value is a target of, or None if of no edge."""
    if isinstance(target, ir.OpResult):
        return target if target.owner.operation.name in DATA_FLOW_OPS else None
    argument = ir.BlockArgument(target)
    op = parent_op(argument)
    if op.name in ARGUMENTS_OWN_EDGES:
        return target
    if op.name not in RESULTS_OWN_EDGES:
        return None
    # The last argument of the body of `mpmd.for`, the index of the iteration, belongs to no result.
    number = argument.arg_number
    return op.results[number] if number < len(op.results) else None


def data_flow_edge(owner: ir.Value) -> ir.Operation | None:
    """Return the `sdy.data_flow_edge` that uses the owner of an edge, or None if there is none."""
    user = next((use.owner.operation for use in owner.uses), None)
    return user if user is not None and user.name == DATA_FLOW_EDGE else None


def holder(value: ir.Value) -> ir.Value:
    """Return the value that stands for all targets of the edge of a value.

    It is the result of the `sdy.data_flow_edge`, if there is one, else the owner; for a value that
    is not a target, the value itself.
    """
    owner = edge_owner(value)
    if owner is None:
        return value
    edge = data_flow_edge(owner)
    return owner if edge is None else edge.results[0]


def parent_op(argument: ir.BlockArgument) -> ir.Operation:
    """Return the op that a block argument belongs to."""
    return argument.owner.owner.operation


def shaped_type(value_type: ir.Type) -> ir.ShapedType | None:
    """Return a type as a `ShapedType`, which it need not derive from; None if it has no shape."""
    try:
        return ir.ShapedType(value_type)
    except ValueError:
        return None


def rank(value_type: ir.Type) -> int:
    """Return the rank of a type, 0 if it has no shape or rank."""
    shaped = shaped_type(value_type)
    return shaped.rank if shaped is not None and shaped.has_rank else 0


def fully_open(
    mesh_or_ref: str | sdy.MeshAttr, dims: int, unreduced: Sequence[sdy.AxisRefAttr] = ()
) -> sdy.TensorShardingAttr:
    """Return a sharding whose dimensions are all open and unsharded."""
    dim = sdy.DimensionShardingAttr((), is_closed=False)
    return sdy.TensorShardingAttr(mesh_or_ref, (dim,) * dims, unreduced_axes=tuple(unreduced))


def dim_axes(sharding: sdy.TensorShardingAttr) -> list[sdy.AxisRefAttr]:
    """Return the axes that shard dimensions."""
    return [axis for dim in sharding.dim_shardings for axis in dim.axes]


def attributes_of(op: ir.Operation) -> dict[str, ir.Attribute]:
    """Return the attributes of an op, which fails if the bindings cannot hold one of them."""
    found: dict[str, ir.Attribute] = {}
    for name in op.attributes:
        try:
            found[name] = op.attributes[name]
        except TypeError:  # They have no class for dense complex numbers.
            fail(
                op,
                f"attribute '{name}' holds dense complex numbers, which the Python bindings of MLIR"
                " cannot copy to another op: remove it, or put it into an array",
            )
    return found


def remove_attributes(root: ir.OpView, *names: str) -> None:
    """Remove attributes from all ops below `root`, and from arguments and results of functions."""
    found: list[ir.Operation] = []
    functions: list[ir.Operation] = []
    advance = ir.WalkResult.ADVANCE

    def collect(op: ir.Operation) -> ir.WalkResult:
        attributes = op.attributes
        if any(name in attributes for name in names):
            found.append(op)
        if op.name == FUNC:
            functions.append(op)
        return advance

    root.operation.walk(collect)
    for func in functions:
        for key in (ARG_ATTRS, RES_ATTRS):
            values = ValueAttrs(func, key)
            for name in names:
                values.remove(name)
            values.flush()
    for op in found:
        for name in names:
            if name in op.attributes:
                del op.attributes[name]


class ValueShardings:
    """Reads and sets shardings; those of function arguments are written by `flush`.

    Caches are keyed by attributes, which are unique in a context: an instance is for one
    run of a pass.
    """

    def __init__(self) -> None:
        """Begin with empty caches."""
        self._arguments: dict[ir.Operation, ValueAttrs] = {}
        self._lists: dict[ir.Attribute, list[ir.Attribute]] = {}
        self._singles: dict[ir.Attribute, ir.Attribute] = {}

    def get(self, value: ir.Value) -> ir.Attribute | None:
        """Return the sharding of a value, or None if it has none."""
        place = place_of(value)
        return None if place is None else self.at(place)

    def at(self, place: Place) -> ir.Attribute | None:
        """Return the sharding at a place, or None if there is none."""
        op, key, number = place
        if key == ARG_ATTRS:
            return self._arguments_of(op).get(number, SHARDING)
        attr = op.attributes.get(key)
        return attr if attr is None or number == WHOLE else self.elements(attr)[number]

    def elements(self, shardings: ir.Attribute) -> list[ir.Attribute]:
        """Return the shardings in a `TensorShardingPerValueAttr`."""
        if shardings not in self._lists:
            views = sdy.TensorShardingPerValueAttr.of(shardings).shardings
            self._lists[shardings] = [view.to_attr() for view in views]
        return self._lists[shardings]

    def set(self, place: Place, sharding: ir.Attribute) -> None:
        """Set the sharding at a place that has none; in a new list, the others are open."""
        op, key, number = place
        if number == WHOLE:
            op.attributes[key] = sharding
        elif key == ARG_ATTRS:
            self._arguments_of(op).set(number, SHARDING, sharding)
        else:
            values = op.regions[0].blocks[0].arguments if key == IN_SHARDINGS else op.results
            if len(values) == 1:
                op.attributes[key] = self._single(sharding)
            else:
                view = sdy.TensorShardingAttr.of(sharding)
                op.attributes[key] = _open_list(values, number, view).to_attr()

    def _single(self, sharding: ir.Attribute) -> ir.Attribute:
        if sharding not in self._singles:
            view = sdy.TensorShardingAttr.of(sharding)
            self._singles[sharding] = sdy.TensorShardingPerValueAttr((view,)).to_attr()
        return self._singles[sharding]

    def _arguments_of(self, func: ir.Operation) -> ValueAttrs:
        if func not in self._arguments:
            self._arguments[func] = ValueAttrs(func, ARG_ATTRS)
        return self._arguments[func]

    def flush(self) -> None:
        """Write what was set on function arguments."""
        for attrs in self._arguments.values():
            attrs.flush()


def _open_list(
    values: Sequence[ir.Value], number: int, sharding: sdy.TensorShardingAttr
) -> sdy.TensorShardingPerValueAttr:
    shardings = [fully_open(sharding.mesh_or_ref, rank(value.type)) for value in values]
    shardings[number] = sharding
    return sdy.TensorShardingPerValueAttr(tuple(shardings))
