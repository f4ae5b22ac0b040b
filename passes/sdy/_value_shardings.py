"""The sharding of a value: where it is kept, reading and setting it; data-flow edges.

Some operations pass values on unchanged: what goes into them and what their regions return
are the sources, their results and block arguments the targets of *data-flow edges*. All
values along an edge have one sharding. One of the targets owns the edge. If the owner has
an `sdy.data_flow_edge`, which then is its only user, that holds the sharding of all
targets; otherwise an attribute of the operation does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sdykit.dialects import sdy
from sdykit.mlir import ir

SHARDING = "sdy.sharding"
"""The attribute of any op, for its results, and of function arguments and results."""

FUNC = "func.func"
ARG_ATTRS = "arg_attrs"
RES_ATTRS = "res_attrs"

# The results own the edges; block arguments, if any, are further targets.
RESULTS_OWN_EDGES = frozenset(
    ("stablehlo.while", "stablehlo.case", "stablehlo.optimization_barrier", "mpmd.for")
)
# Results and block arguments own edges. Their shardings are attributes of the op's own.
ARGUMENTS_OWN_EDGES = frozenset(
    (
        sdy.ManualComputationOp.OPERATION_NAME,
        sdy.NamedComputationOp.OPERATION_NAME,
        "mpmd.fragment",
    )
)
DATA_FLOW_OPS = RESULTS_OWN_EDGES | ARGUMENTS_OWN_EDGES

# Ops that carry the sharding of their only result.
_OWN_SHARDING = {
    **dict.fromkeys(
        (op.OPERATION_NAME for op in (sdy.ShardingConstraintOp, sdy.ReshardOp, sdy.DataFlowEdgeOp)),
        "sharding",
    ),
    **dict.fromkeys(
        (
            op.OPERATION_NAME
            for op in (
                sdy.AllGatherOp,
                sdy.AllReduceOp,
                sdy.AllSliceOp,
                sdy.AllToAllOp,
                sdy.CollectivePermuteOp,
                sdy.ReduceScatterOp,
                sdy.ReplicatedToUnreducedOp,
                sdy.ShardedToUnreducedOp,
            )
        ),
        "out_sharding",
    ),
}


def defining_op(value: ir.Value) -> ir.Operation | None:
    """Give the op that a value is a result of; None for a block argument."""
    return None if isinstance(value, ir.BlockArgument) else value.owner.operation


def parent_op(argument: ir.BlockArgument) -> ir.Operation:
    """Give the op in whose region the block of an argument is."""
    return argument.owner.owner.operation


def edge_owner(target: ir.Value) -> ir.Value | None:
    """Find the owner of the data-flow edge that a value is a target of; None: of no edge."""
    if not isinstance(target, ir.BlockArgument):
        return target if target.owner.operation.name in DATA_FLOW_OPS else None
    op = parent_op(target)
    if op.name in ARGUMENTS_OWN_EDGES:
        return target
    if op.name not in RESULTS_OWN_EDGES:
        return None
    # The last argument of a `mpmd.for` body, the iteration number, belongs to no result.
    number = target.arg_number
    return op.results[number] if number < len(op.results) else None


def holder(value: ir.Value) -> ir.Value:
    """Find the value that stands for all targets of an edge: of its `sdy.data_flow_edge`, if
    there is one, else the owner. For a value that is no target, the value itself.
    """
    owner = edge_owner(value)
    if owner is None:
        return value
    edge = data_flow_edge(owner)
    return owner if edge is None else edge.results[0]


def data_flow_edge(owner: ir.Value) -> ir.Operation | None:
    """Find the `sdy.data_flow_edge` of the owner of an edge."""
    user = next((use.owner.operation for use in owner.uses), None)
    if user is not None and user.name == sdy.DataFlowEdgeOp.OPERATION_NAME:
        return user
    return None


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
    mesh_or_ref: str | sdy.MeshAttr, dims: int, unreduced: tuple[sdy.AxisRefAttr, ...] = ()
) -> sdy.TensorShardingAttr:
    """Make a sharding that says nothing and may become any."""
    dim = sdy.DimensionShardingAttr((), is_closed=False)
    return sdy.TensorShardingAttr(mesh_or_ref, (dim,) * dims, unreduced_axes=unreduced)


def _without_manual_axes(
    shardings: ir.Attribute, manual_axes: ir.Attribute
) -> list[ir.Attribute]:
    manual = frozenset(sdy.ManualAxesAttr.of(manual_axes).value)

    def free(axes: tuple[sdy.AxisRefAttr, ...]) -> tuple[sdy.AxisRefAttr, ...]:
        return tuple(axis for axis in axes if axis.name not in manual)

    return [
        replace(
            sharding,
            dim_shardings=tuple(replace(d, axes=free(d.axes)) for d in sharding.dim_shardings),
            replicated_axes=free(sharding.replicated_axes),
            unreduced_axes=free(sharding.unreduced_axes),
        ).to_attr()
        for sharding in sdy.TensorShardingPerValueAttr.of(shardings).shardings
    ]


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
            self._values = [{attr.name: attr.attr for attr in attrs} for attrs in present]
        self._changed = False

    def __len__(self) -> int:
        """Count the arguments or results."""
        return len(self._values)

    def get(self, number: int, name: str) -> ir.Attribute | None:
        """Read an attribute; None if it is not there."""
        return self._values[number].get(name)

    def set(self, number: int, name: str, attr: ir.Attribute) -> None:
        """Set an attribute."""
        self._values[number][name] = attr
        self._changed = True

    def flush(self) -> None:
        """Write what was set."""
        if self._changed:
            attrs = ir.ArrayAttr.get([ir.DictAttr.get(attrs) for attrs in self._values])
            self._func.attributes[self._key] = attrs
            self._changed = False


class ValueShardings:
    """Reads and sets shardings of values.

    Attributes of function arguments are held back until `flush`. Caches are keyed by
    attributes, which are unique in a context: an instance is for one run of a pass.
    """

    def __init__(self) -> None:
        """Begin with empty caches."""
        self._arguments: dict[ir.Operation, ValueAttrs] = {}
        self._lists: dict[ir.Attribute, list[ir.Attribute]] = {}
        self._single: dict[ir.Attribute, ir.Attribute] = {}
        self._local: dict[tuple[ir.Attribute, ir.Attribute], list[ir.Attribute]] = {}

    def owner_sharding(self, owner: ir.Value) -> ir.Attribute | None:
        """Read from the operation the sharding of an edge that `owner` owns.

        For a block argument of a manual computation, that is the sharding that its body
        sees: without the manual axes.
        """
        if not isinstance(owner, ir.BlockArgument):
            op = owner.owner.operation
            key = "out_shardings" if op.name in ARGUMENTS_OWN_EDGES else SHARDING
            return self._element(op.attributes.get(key), ir.OpResult(owner).result_number)
        op = parent_op(owner)
        shardings = op.attributes.get("in_shardings")
        if op.name != sdy.ManualComputationOp.OPERATION_NAME:
            return self._element(shardings, owner.arg_number)
        key = (shardings, op.attributes["manual_axes"])
        if key not in self._local:
            self._local[key] = _without_manual_axes(*key)
        return self._local[key][owner.arg_number]

    def can_have(self, value: ir.Value) -> bool:
        """Tell whether there is a place for the sharding of a value."""
        if not isinstance(value, ir.BlockArgument) or edge_owner(value) is not None:
            return True
        op = parent_op(value)
        return op.name == FUNC and value.arg_number < len(self._arguments_of(op))

    def get(self, value: ir.Value) -> ir.Attribute | None:
        """Read the sharding of a value; None if it has none."""
        if isinstance(value, ir.BlockArgument):
            op = parent_op(value)
            if op.name == FUNC:
                # By its number alone: an argument of a later block has the sharding of the
                # function's argument of that number.
                attrs = self._arguments_of(op)
                number = value.arg_number
                return attrs.get(number, SHARDING) if number < len(attrs) else None
            return self._of_target(value)
        op = value.owner.operation
        name = op.name
        if name in DATA_FLOW_OPS:
            return self._of_target(value)
        if name in _OWN_SHARDING:
            return op.attributes.get(_OWN_SHARDING[name])
        return self._element(op.attributes.get(SHARDING), ir.OpResult(value).result_number)

    def _of_target(self, target: ir.Value) -> ir.Attribute | None:
        owner = edge_owner(target)
        if owner is None:
            return None
        edge = data_flow_edge(owner)
        if edge is not None:
            return edge.attributes.get("sharding")
        return self.owner_sharding(owner)

    def set(self, value: ir.Value, sharding: ir.Attribute) -> None:
        """Set the sharding of a value that has none but can hold one."""
        owner = edge_owner(value)
        if owner is not None:
            edge = data_flow_edge(owner)
            if edge is not None:
                edge.attributes["sharding"] = sharding
            else:
                self._set_owner(owner, sharding)
            return
        if isinstance(value, ir.BlockArgument):
            self._arguments_of(parent_op(value)).set(value.arg_number, SHARDING, sharding)
            return
        op = value.owner.operation
        if op.name in _OWN_SHARDING:
            op.attributes[_OWN_SHARDING[op.name]] = sharding
        else:
            self._set_in_list(op, SHARDING, op.results, value, sharding)

    def _set_owner(self, owner: ir.Value, sharding: ir.Attribute) -> None:
        if isinstance(owner, ir.BlockArgument):
            op = parent_op(owner)
            self._set_in_list(op, "in_shardings", owner.owner.arguments, owner, sharding)
        else:
            op = owner.owner.operation
            key = "out_shardings" if op.name in ARGUMENTS_OWN_EDGES else SHARDING
            self._set_in_list(op, key, op.results, owner, sharding)

    def _set_in_list(
        self,
        op: ir.Operation,
        key: str,
        values: Sequence[ir.Value],
        value: ir.Value,
        sharding: ir.Attribute,
    ) -> None:
        """Set one of the shardings in an attribute; if it is new, the others are open."""
        if len(values) == 1:
            if sharding not in self._single:
                view = sdy.TensorShardingAttr.of(sharding)
                self._single[sharding] = sdy.TensorShardingPerValueAttr((view,)).to_attr()
            op.attributes[key] = self._single[sharding]
            return
        present = op.attributes.get(key)
        new = sdy.TensorShardingAttr.of(sharding)
        if present is not None:
            shardings = list(sdy.TensorShardingPerValueAttr.of(present).shardings)
        else:
            shardings = [fully_open(new.mesh_or_ref, rank(other.type)) for other in values]
        shardings[list(values).index(value)] = new
        op.attributes[key] = sdy.TensorShardingPerValueAttr(tuple(shardings)).to_attr()

    def _element(self, shardings: ir.Attribute | None, index: int) -> ir.Attribute | None:
        return None if shardings is None else self.elements(shardings)[index]

    def elements(self, shardings: ir.Attribute) -> list[ir.Attribute]:
        """List the shardings in a `TensorShardingPerValueAttr`."""
        if shardings not in self._lists:
            views = sdy.TensorShardingPerValueAttr.of(shardings).shardings
            self._lists[shardings] = [view.to_attr() for view in views]
        return self._lists[shardings]

    def _arguments_of(self, func: ir.Operation) -> ValueAttrs:
        if func not in self._arguments:
            self._arguments[func] = ValueAttrs(func, ARG_ATTRS)
        return self._arguments[func]

    def flush(self) -> None:
        """Write what was set on function arguments."""
        for attrs in self._arguments.values():
            attrs.flush()
