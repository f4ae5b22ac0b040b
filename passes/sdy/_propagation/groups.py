"""Sharding groups: values that are to have one sharding."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.core import warn
from sdykit.mlir import ir
from sdykit.passes.sdy._propagation.numbered import NONE
from sdykit.passes.sdy._propagation.program import Program
from sdykit.passes.sdy._propagation.projection import Dim
from sdykit.passes.sdy._propagation.shardings import Sharding, Shardings
from sdykit.passes.sdy._propagation.slots import Slots
from sdykit.passes.sdy._value_shardings import rank

GROUP = "sdy.sharding_group"

Groups = dict[int, tuple[int, ...]]
"""The other values of the group of each value; all of a group get the sharding of one."""

_CONSTRAINT = "sdy.sharding_constraint"


def groups_of(program: Program) -> dict[int, list[int]]:
    """Return the different values of each group of two or more, in the order of the group ops."""
    found: dict[int, dict[int, None]] = {}
    for node in program.named(GROUP):
        number = ir.IntegerAttr(program.ops[node].attributes["group_id"]).value
        found.setdefault(number, {})[program.operands[node][0]] = None
    return {number: list(values) for number, values in found.items() if len(values) > 1}


def open_conflicts(slots: Slots) -> bool:
    """Insert an open constraint after each value of a group whose initial shardings differ.

    Returns:
        Whether there were any: then the module is another one.
    """
    program = slots.program
    made: list[tuple[int, Sharding]] = []
    for number, values in groups_of(program).items():
        known = initial(slots, values)
        if len(set(known)) > 1:
            _warn(number, program.values[values[0]])
            made += [(value, slots.shardings.of(known[0])) for value in values]
    for value, sharding in made:
        _constrain(program.values[value], sharding, slots.shardings)
    return bool(made)


def initial(slots: Slots, values: Sequence[int]) -> list[int]:
    """Return the numbers of the shardings of values that say something."""
    numbers = [slots.state[slots.of[value]] for value in values]
    known = (number for number in numbers if number != NONE)
    return [number for number in known if _says_something(slots.shardings.of(number))]


def _says_something(sharding: Sharding) -> bool:
    return sharding.has_axes or any(dim.is_closed for dim in sharding.dims)


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
