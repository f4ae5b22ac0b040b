"""Who gave a tensor its first sharding: an argument, a constraint, a manual computation, ..."""

from __future__ import annotations

from sdykit.core import FUNC
from sdykit.explain.model import Given, GivenBy, Tensor, TensorSharding
from sdykit.explain.source import position_of
from sdykit.explain.tables import Tables
from sdykit.explain.texts import Texts
from sdykit.mlir import ir
from sdykit.passes.sdy._propagation.groups import GROUP
from sdykit.passes.sdy._propagation.shardings import Sharding
from sdykit.passes.sdy._shardings import ARG_ATTRS, RES_ATTRS
from sdykit.passes.sdy._value_shardings import (
    DATA_FLOW_EDGE,
    MANUAL_COMPUTATION,
    Place,
    parent_op,
)

_CONSTRAINT = "sdy.sharding_constraint"


class Givers:
    """Finds who gave shardings.

    Importing copies a constraint to what it constrains, so a tensor may have the sharding of one that
    uses it.
    """

    def __init__(self, tables: Tables, texts: Texts, own: frozenset[object]) -> None:
        """Begin; `own` are the positions of the ops and arguments that had a sharding before importing."""
        self._tables = tables
        self._texts = texts
        self._own = own

    def given(self, number: int) -> Given | None:
        """Return the sharding that a tensor was given, None if it was given none."""
        program = self._tables.program
        place, value = self._tables.places[number], self._tables.values[number]
        sharding = program.at(place)
        if place is None or sharding is None:
            return None
        by, op = self._giver(place, value, sharding)
        return self._made(by, self._texts.sharding(sharding), op)

    def of_group(self, number: int, like: Tensor) -> Given:
        """Return what a tensor was given as another one of its group has it."""
        value = self._tables.values[number]
        users = [use.owner.operation for use in value.uses] if value is not None else []
        group = next((user for user in users if user.name == GROUP), None)
        assert like.given is not None
        return self._made("group", like.given.sharding, group, like.number)

    def _made(
        self,
        by: GivenBy,
        sharding: TensorSharding,
        op: ir.Operation | None,
        like: int | None = None,
    ) -> Given:
        at = None if op is None else self._tables.number_of[self._tables.program.by_op[op]]
        source = None if at is None or by in ("argument", "result") else self._tables.ops[at].source
        return Given(by, sharding, at, like, source)

    def _giver(
        self, place: Place, value: ir.Value | None, sharding: Sharding
    ) -> tuple[GivenBy, ir.Operation | None]:
        if place.op.name == _CONSTRAINT:
            return "constraint", place.op
        if place.key == RES_ATTRS:
            return "result", None
        is_own = value is not None and self._is_own(place, value)
        constraint = None if value is None or is_own else self._constraint(value, sharding)
        if constraint is not None:
            return "constraint", constraint
        if place.key == ARG_ATTRS:
            return "argument", None
        manual = _manual(place)
        return ("manual computation", manual) if manual is not None else ("op", place.op)

    def _is_own(self, place: Place, value: ir.Value) -> bool:
        is_argument = place.key == ARG_ATTRS
        location = value.location if is_argument else place.op.location
        return position_of(location) in self._own

    def _constraint(self, value: ir.Value, sharding: Sharding) -> ir.Operation | None:
        """Return a constraint of a value, or of what a constraint of it gives, with a sharding."""
        pending = [value]
        while pending:
            for use in pending.pop().uses:
                user = use.owner.operation
                if user.name == _CONSTRAINT:
                    if self._tables.program.get(user.results[0]) == sharding:
                        return user
                    pending.append(user.results[0])
                elif user.name == DATA_FLOW_EDGE:
                    pending.append(user.results[0])
        return None


def _manual(place: Place) -> ir.Operation | None:
    """Return the manual computation whose edge holds a sharding."""
    op = place.op
    if op.name == DATA_FLOW_EDGE:
        owner = op.operands[0]
        is_argument = isinstance(owner, ir.BlockArgument)
        op = parent_op(owner) if is_argument else owner.owner.operation
    return op if op.name == MANUAL_COMPUTATION else None


def positions_with_shardings(module: ir.Module) -> frozenset[object]:
    """Return the positions of the ops and function arguments that have a sharding of their own."""
    from sdykit.passes.sdy._shardings import SHARDING
    from sdykit.passes.sdy._value_shardings import ValueAttrs

    found: set[object] = set()

    def visit(op: ir.Operation) -> ir.WalkResult:
        if SHARDING in op.attributes:
            found.add(position_of(op.location))
        if op.name == FUNC and len(op.regions[0].blocks):
            attributes = ValueAttrs(op, ARG_ATTRS)
            for number, argument in enumerate(op.regions[0].blocks[0].arguments):
                if attributes.get(number, SHARDING) is not None:
                    found.add(position_of(argument.location))
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return frozenset(found)
