"""Sharding groups: values that are to have one sharding."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.core import ops_named, warn
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._propagation.program import Program
from sdykit.passes.sdy._propagation.shardings import Sharding, Shardings
from sdykit.passes.sdy._value_shardings import rank

GROUP = "sdy.sharding_group"
_CONSTRAINT = "sdy.sharding_constraint"


def groups_of(module: ModuleOp) -> dict[int, list[ir.Value]]:
    """Return the different values of each group of two or more, in the order of the group ops."""
    found: dict[int, dict[ir.Value, None]] = {}
    for op in ops_named(module, GROUP):
        number = ir.IntegerAttr(op.attributes["group_id"]).value
        found.setdefault(number, {})[op.operands[0]] = None
    return {number: list(values) for number, values in found.items() if len(values) > 1}


def open_conflicts(module: ModuleOp, shardings: Shardings) -> None:
    """Give the values of a group whose shardings differ an open constraint each, in place of them."""
    program = Program(module, shardings)
    made: list[tuple[ir.Value, Sharding]] = []
    for number, values in groups_of(module).items():
        known = initial(program, values)
        if len(set(known)) > 1:
            _warn(number, values[0])
            made += [(value, known[0]) for value in values]
    for value, sharding in made:
        _constrain(value, sharding, shardings)


def initial(program: Program, values: Sequence[ir.Value]) -> list[Sharding]:
    """Return the shardings of values that say something."""
    known = map(program.get, values)
    return [
        each
        for each in known
        if each is not None and (each.has_axes or any(dim.is_closed for dim in each.dims))
    ]


def _warn(number: int, first: ir.Value) -> None:
    location = first.owner.operation.location if isinstance(first, ir.OpResult) else first.location
    warn(
        location,
        f"The initial operand shardings on the sharding groups of groupID: {number} do not match. "
        "Inserting an open sharding constraint to all constrained values. This can be caused when "
        "shardings from different values are grouped (e.g. from jax.shard_alike) but have separate "
        "inconsistent sharding constraints on them.",
    )


def _constrain(value: ir.Value, like: Sharding, shardings: Shardings) -> None:
    from sdykit.passes.sdy._propagation.projection import Dim

    sharding = Sharding(like.mesh, (Dim(),) * rank(value.type))
    if isinstance(value, ir.OpResult):
        at = ir.InsertionPoint.after(value.owner.operation)
    else:
        at = ir.InsertionPoint.at_block_begin(ir.BlockArgument(value).owner)
    constraint = ir.Operation.create(
        _CONSTRAINT,
        results=[value.type],
        operands=[value],
        attributes={"sharding": shardings.make(sharding)},
        loc=value.location,
        ip=at,
    )
    value.replace_all_uses_except(constraint.result, constraint)
