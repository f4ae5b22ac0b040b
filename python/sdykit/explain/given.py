"""Who gave a tensor its first sharding: an argument, a constraint, a manual computation, ..."""

from __future__ import annotations

from sdykit.core import FUNC
from sdykit.explain.model import Given, GivenBy, TensorSharding
from sdykit.explain.source import position_of
from sdykit.explain.tables import Tables
from sdykit.explain.texts import Texts
from sdykit.mlir import ir
from sdykit.passes.sdy._propagation.groups import GROUP
from sdykit.passes.sdy._propagation.shardings import Sharding
from sdykit.passes.sdy._propagation.slots import NO_SLOT
from sdykit.passes.sdy._shardings import ARG_ATTRS, RES_ATTRS
from sdykit.passes.sdy._value_attrs import ValueAttrs
from sdykit.passes.sdy._value_shardings import (
    DATA_FLOW_EDGE,
    MANUAL_COMPUTATION,
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
        self._slots = tables.of
        self._program = tables.of.program
        self._texts = texts
        self._own = own

    def given(self, number: int) -> Given | None:
        """Return the sharding that a tensor was given, None if it was given none."""
        slot, value = self._tables.slots[number], self._tables.values[number]
        sharding = self._slots.get(slot)
        if slot == NO_SLOT or sharding is None:
            return None
        by, op = self._giver(slot, value, sharding)
        text = self._texts.sharding(self._slots.state[slot])
        return None if text is None else self._made(by, text, op)

    def of_group(self, number: int, like: int, given: Given | None) -> Given:
        """Return what a tensor was given as another one of its group, which was given it, has it."""
        value = self._tables.values[number]
        users = [] if value is None else self._users(value)
        group = next((user for user in users if self._program.names[user] == GROUP), None)
        assert given is not None
        return self._made("group", given.sharding, group, like)

    def _made(
        self,
        by: GivenBy,
        sharding: TensorSharding,
        op: int | None,
        like: int | None = None,
    ) -> Given:
        source = None if op is None or by in ("argument", "result") else self._tables.ops[op].source
        return Given(by, sharding, op, like, source)

    def _giver(
        self, slot: int, value: int | None, sharding: Sharding
    ) -> tuple[GivenBy, int | None]:
        op, key, _ = self._slots.holder(slot)
        if self._program.names[op] == _CONSTRAINT:
            return "constraint", op
        if key == RES_ATTRS:
            return "result", None
        is_own = value is not None and self._is_own(op, key, value)
        constraint = None if value is None or is_own else self._constraint(value, sharding)
        if constraint is not None:
            return "constraint", constraint
        if key == ARG_ATTRS:
            return "argument", None
        manual = self._manual(op)
        return ("manual computation", manual) if manual is not None else ("op", op)

    def _is_own(self, op: int, key: str, value: int) -> bool:
        program = self._program
        is_argument = key == ARG_ATTRS
        location = program.values[value].location if is_argument else program.ops[op].location
        return position_of(location) in self._own

    def _constraint(self, value: int, sharding: Sharding) -> int | None:
        """Return a constraint of a value, or of what a constraint of it gives, with a sharding."""
        program, slots = self._program, self._slots
        pending = [value]
        while pending:
            for user in self._users(pending.pop()):
                if program.names[user] not in (_CONSTRAINT, DATA_FLOW_EDGE):
                    continue
                result = program.results[user][0]
                if program.names[user] == _CONSTRAINT and slots.get(slots.of[result]) == sharding:
                    return user
                pending.append(result)
        return None

    def _users(self, value: int) -> list[int]:
        return [user for user, _ in self._program.uses_in_order(value)]

    def _manual(self, op: int) -> int | None:
        """Return the manual computation that an op is an edge of, or the op if it is one."""
        program = self._program
        if program.names[op] == DATA_FLOW_EDGE:
            op = program.owners[program.operands[op][0]]
        return op if program.names[op] == MANUAL_COMPUTATION else None


def positions_with_shardings(module: ir.Module) -> frozenset[object]:
    """Return the positions of the ops and function arguments that have a sharding of their own."""
    from sdykit.passes.sdy._shardings import SHARDING

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
