"""Which ops are visited again after the sharding of a value changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sdykit.core import FUNC
from sdykit.passes.sdy._propagation.calls import CALL, Calls
from sdykit.passes.sdy._propagation.dead import RETURNS
from sdykit.passes.sdy._propagation.edges import edge_owner_of_use, other_targets
from sdykit.passes.sdy._propagation.slots import NO_SLOT, Slots
from sdykit.passes.sdy._value_shardings import DATA_FLOW_EDGE, RESULTS_OWN_EDGES

_FORWARDING = frozenset((*RETURNS, *RESULTS_OWN_EDGES, CALL))
"""The ops whose operands other ops are visited for."""


class Affected:
    """Finds the ops to visit again, those of each value once."""

    def __init__(self, slots: Slots, calls: Calls, matters: Sequence[bool]) -> None:
        """Create it; `matters` says of each op whether it is to be visited at all."""
        self._slots = slots
        self._program = slots.program
        self._calls = calls
        self._matters = matters
        self._known: dict[int, list[int]] = {}
        self._users: dict[int, list[int]] = {}

    def of(self, value: int) -> list[int]:
        """Return the ops to visit after the sharding of a value changed, in order."""
        found = self._known.get(value)
        if found is None:
            matters = self._matters
            found = self._known[value] = [node for node in self._find(value) if matters[node]]
        return found

    def _find(self, value: int) -> list[int]:
        program = self._program
        found: list[int] = []
        # The arguments of a loop's regions have the slot of its edge, or result: that is what changed.
        slot = self._slots.of[value]
        if slot != NO_SLOT and program.is_result(slot):
            value = slot
        owner = program.owners[value]
        name = program.names[owner]
        if program.is_result(value):
            if name == DATA_FLOW_EDGE:
                for target in other_targets(program, program.operands[owner][0]):
                    found += self._users_of(target)
            found.append(owner)
        elif name == FUNC:
            found.append(owner)
        return found + self._users_of(value)

    def _users_of(self, value: int) -> list[int]:
        users = self._program.users[value]
        if len(users) == 1 and self._program.names[users[0]] not in _FORWARDING:
            return users
        found = self._users.get(value)
        if found is None:
            found = self._users[value] = list(self._find_users(value))
        return found

    def _find_users(self, value: int) -> Iterator[int]:
        program = self._program
        for node, number in program.uses_in_order(value):
            name = program.names[node]
            if name not in _FORWARDING:
                yield node
                continue
            owner = edge_owner_of_use(program, node, number)
            edge = None if owner is None else self._slots.edge_of(owner)
            if edge is not None:
                yield edge
            elif name in RETURNS:
                yield from self._after_return(program.parents[node], number)
            elif name == CALL:
                argument = self._calls.argument_of(node, number)
                yield from (node,) if argument is None else self._users_of(argument)
            else:
                yield node

    def _after_return(self, parent: int, number: int) -> Iterator[int]:
        program = self._program
        results = program.results[parent]
        is_function = program.names[parent] == FUNC
        calls = self._calls.of(parent) if is_function else ()
        if calls:
            for call in calls:
                yield from self._users_of(program.results[call][number])
            return
        owner = None
        if not is_function and number < len(results):
            owner = self._slots.edge_of(results[number])
        yield parent if owner is None else owner
