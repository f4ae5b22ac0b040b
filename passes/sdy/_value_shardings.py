"""The sharding of a value: where it is kept, reading and setting it; data-flow edges.

Some operations pass values on unchanged: what goes into them and what their regions return
are the sources, their results and block arguments the targets of *data-flow edges*. All
values along an edge have one sharding. One of the targets owns the edge. If the owner has
an `sdy.data_flow_edge`, which then is its only user, that holds the sharding of all
targets; otherwise an attribute of the operation does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sdykit.core import FUNC
from sdykit.dialects import sdy
from sdykit.mlir import ir

SHARDING = "sdy.sharding"
"""The attribute of any op, for its results, and of function arguments and results."""

ARG_ATTRS = "arg_attrs"
RES_ATTRS = "res_attrs"
IN_SHARDINGS = "in_shardings"
OUT_SHARDINGS = "out_shardings"
MANUAL_COMPUTATION = sdy.ManualComputationOp.OPERATION_NAME
DATA_FLOW_EDGE = sdy.DataFlowEdgeOp.OPERATION_NAME

# The results own the edges; block arguments, if any, are further targets.
RESULTS_OWN_EDGES = frozenset(
    ("stablehlo.while", "stablehlo.case", "stablehlo.optimization_barrier", "mpmd.for")
)
# Results and block arguments own edges. Their shardings are attributes of the op's own.
ARGUMENTS_OWN_EDGES = frozenset(
    (MANUAL_COMPUTATION, sdy.NamedComputationOp.OPERATION_NAME, "mpmd.fragment")
)
DATA_FLOW_OPS = RESULTS_OWN_EDGES | ARGUMENTS_OWN_EDGES

# Ops with an attribute of their own for the sharding of their only result.
_WITH_SHARDING = (sdy.ShardingConstraintOp, sdy.ReshardOp, sdy.DataFlowEdgeOp)
_WITH_OUT_SHARDING = (
    sdy.AllGatherOp,
    sdy.AllReduceOp,
    sdy.AllSliceOp,
    sdy.AllToAllOp,
    sdy.CollectivePermuteOp,
    sdy.ReduceScatterOp,
    sdy.ReplicatedToUnreducedOp,
    sdy.ShardedToUnreducedOp,
)
_OWN_ATTRIBUTE = {
    **{op.OPERATION_NAME: "sharding" for op in _WITH_SHARDING},
    **{op.OPERATION_NAME: "out_sharding" for op in _WITH_OUT_SHARDING},
}


WHOLE = -1


class Place(NamedTuple):
    """Where a sharding is kept: in the attribute `key` of an op.

    The attribute is the sharding itself if `number` is `WHOLE`, else a list of them.
    `arg_attrs` are the attributes of a function's arguments, with the sharding among them.
    """

    op: ir.Operation
    key: str
    number: int


def place_of(value: ir.Value) -> Place | None:
    """Find where the sharding of a value is kept; None: it cannot have one."""
    if isinstance(value, ir.OpResult):
        op = value.owner.operation
        name = op.name
        if name not in DATA_FLOW_OPS:
            if name in _OWN_ATTRIBUTE:
                return Place(op, _OWN_ATTRIBUTE[name], WHOLE)
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
    """Find where the op holds the sharding of an edge that does not hold it itself."""
    if isinstance(owner, ir.BlockArgument):
        return Place(parent_op(owner), IN_SHARDINGS, owner.arg_number)
    result = ir.OpResult(owner)
    op = result.owner.operation
    key = OUT_SHARDINGS if op.name in ARGUMENTS_OWN_EDGES else SHARDING
    return Place(op, key, result.result_number)


def edge_owner(target: ir.Value) -> ir.Value | None:
    """Find the owner of the data-flow edge that a value is a target of; None: of no edge."""
    if isinstance(target, ir.OpResult):
        return target if target.owner.operation.name in DATA_FLOW_OPS else None
    argument = ir.BlockArgument(target)
    op = parent_op(argument)
    if op.name in ARGUMENTS_OWN_EDGES:
        return target
    if op.name not in RESULTS_OWN_EDGES:
        return None
    # The last argument of a `mpmd.for` body, the iteration number, belongs to no result.
    number = argument.arg_number
    return op.results[number] if number < len(op.results) else None


def data_flow_edge(owner: ir.Value) -> ir.Operation | None:
    """Find the `sdy.data_flow_edge` of the owner of an edge."""
    user = next((use.owner.operation for use in owner.uses), None)
    return user if user is not None and user.name == DATA_FLOW_EDGE else None


def holder(value: ir.Value) -> ir.Value:
    """Find the value that stands for all targets of an edge.

    It is the result of the `sdy.data_flow_edge`, if there is one, else the owner. A value
    that is no target stands for itself.
    """
    owner = edge_owner(value)
    if owner is None:
        return value
    edge = data_flow_edge(owner)
    return owner if edge is None else edge.results[0]


def parent_op(argument: ir.BlockArgument) -> ir.Operation:
    """Give the op in whose region the block of an argument is."""
    return argument.owner.owner.operation


def shaped_type(value_type: ir.Type) -> ir.ShapedType | None:
    """View a type as one with a shape, if it has any. Not all such types derive from it."""
    try:
        return ir.ShapedType(value_type)
    except ValueError:
        return None


def rank(value_type: ir.Type) -> int:
    """Give the rank of a tensor; 0 for a type without shape or rank."""
    shaped = shaped_type(value_type)
    return shaped.rank if shaped is not None and shaped.has_rank else 0


def fully_open(
    mesh_or_ref: str | sdy.MeshAttr, dims: int, unreduced: Sequence[sdy.AxisRefAttr] = ()
) -> sdy.TensorShardingAttr:
    """Make a sharding that leaves all dimensions open."""
    dim = sdy.DimensionShardingAttr((), is_closed=False)
    return sdy.TensorShardingAttr(mesh_or_ref, (dim,) * dims, unreduced_axes=tuple(unreduced))


def dim_axes(sharding: sdy.TensorShardingAttr) -> list[sdy.AxisRefAttr]:
    """List the axes that shard dimensions."""
    return [axis for dim in sharding.dim_shardings for axis in dim.axes]


class ValueAttrs:
    """The attributes of a function's arguments or results; writing waits for `flush`.

    MLIR keeps those of all arguments in one attribute, so that setting them one by one takes
    quadratic time.
    """

    def __init__(self, func: ir.Operation, key: str) -> None:
        """Read `arg_attrs` or `res_attrs`, as `key` says."""
        function_type = ir.FunctionType(ir.TypeAttr(func.attributes["function_type"]).value)
        types = function_type.inputs if key == ARG_ATTRS else function_type.results
        present = func.attributes.get(key)
        self._func = func
        self._key = key
        self._values: list[dict[str, ir.Attribute]] = [{} for _ in types]
        if present is not None:
            dicts = map(ir.DictAttr, ir.ArrayAttr(present))
            self._values = [{attr.name: attr.attr for attr in attrs} for attrs in dicts]
        self._changed = False

    def __len__(self) -> int:
        """Count the arguments or results."""
        return len(self._values)

    def get(self, number: int, name: str) -> ir.Attribute | None:
        """Read an attribute; None if it is not there, or there is no such value."""
        return self._values[number].get(name) if number < len(self._values) else None

    def set(self, number: int, name: str, attr: ir.Attribute) -> None:
        """Set an attribute, if there is such a value."""
        if number < len(self._values):
            self._values[number][name] = attr
            self._changed = True

    def flush(self) -> None:
        """Write what was set."""
        if self._changed:
            attrs = ir.ArrayAttr.get([ir.DictAttr.get(attrs) for attrs in self._values])
            self._func.attributes[self._key] = attrs
            self._changed = False


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
        """Read the sharding of a value; None if it has none."""
        place = place_of(value)
        return None if place is None else self.at(place)

    def at(self, place: Place) -> ir.Attribute | None:
        """Read the sharding at a place; None if there is none."""
        op, key, number = place
        if key == ARG_ATTRS:
            return self._arguments_of(op).get(number, SHARDING)
        attr = op.attributes.get(key)
        return attr if attr is None or number == WHOLE else self.elements(attr)[number]

    def elements(self, shardings: ir.Attribute) -> list[ir.Attribute]:
        """List the shardings in a `TensorShardingPerValueAttr`."""
        if shardings not in self._lists:
            views = sdy.TensorShardingPerValueAttr.of(shardings).shardings
            self._lists[shardings] = [view.to_attr() for view in views]
        return self._lists[shardings]

    def set(self, place: Place, sharding: ir.Attribute) -> None:
        """Set the sharding at a place that has none; others in a new list are open."""
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
