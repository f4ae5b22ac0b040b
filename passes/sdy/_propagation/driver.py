"""The order in which ops are visited: that of MLIR's greedy driver, from the first op to the last.

The result can depend on it. An op is visited again after the sharding of one of its values changed. A
visit that would change nothing, since nothing did since the last one, is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import is_not, itemgetter

from sdykit.mlir import ir
from sdykit.passes.sdy._propagation.affected import Affected
from sdykit.passes.sdy._propagation.calls import Calls
from sdykit.passes.sdy._propagation.checks import remove_rule
from sdykit.passes.sdy._propagation.dead import Dead
from sdykit.passes.sdy._propagation.groups import Groups, groups_of, initial
from sdykit.passes.sdy._propagation.kinds import Kind, Kinds
from sdykit.passes.sdy._propagation.program import NO_NODE
from sdykit.passes.sdy._propagation.records import Listener
from sdykit.passes.sdy._propagation.results import FunctionResults
from sdykit.passes.sdy._propagation.run_tables import RunTables, Tables
from sdykit.passes.sdy._propagation.slots import Slots
from sdykit.passes.sdy._propagation.steps import Strategy
from sdykit.passes.sdy._propagation.tables import Changes, State, StepTables
from sdykit.passes.sdy._propagation.worklist import Worklist
from sdykit.passes.sdy._sharding_rules import RULE, ShardingRules


class Driver:
    """Propagates shardings through a program.

    Attributes:
        program: the program.
        slots: its shardings.
        dead: the ops that it erases.
        groups: the groups of its values.
        tables: the table of each op in each run.
        tensors: the values that each op has a step on: operands and results; of an edge, its sources and
            itself.
    """

    def __init__(
        self, slots: Slots, rules: ShardingRules, conservative: bool, listener: Listener | None
    ) -> None:
        self.slots = slots
        self.program = program = slots.program
        self._listener = listener
        self._tells_all = listener is not None and listener.hears_all
        calls = Calls(program)
        self._kinds = Kinds(program, slots.shardings, rules, calls)
        self.dead = Dead(program)
        tables = StepTables(slots.shardings, conservative)
        self._read_kinds()
        self.tables = RunTables(
            program, self._kind_of, self.dead, tables, keeps_all=self._tells_all
        )
        # A visit of another op would do nothing: neither propagate, nor erase a dead one.
        visits_all = self._tells_all or bool(self.dead.waiting)
        self._matters = [visits_all or kind is not None for kind in self._kind_of]
        self._affected = Affected(slots, calls, self._matters)
        self._outer = self._outer_ops()
        self.groups = self._find_groups()
        self._results = FunctionResults(slots, tables, self.groups)
        self.steps = tables.steps
        # The table with which the last visit of an op changed nothing, if nothing has changed since.
        self._settled: Tables = [None] * len(program.ops)

    def _read_kinds(self) -> None:
        program, slots = self.program, self.slots.of
        self.tensors: list[tuple[int, ...]] = []
        self._kind_of: list[Kind | None] = []
        self._state_of: list[Callable[[list[int]], State] | None] = []
        self._readers: list[list[int]] = [[] for _ in self.slots.state]
        hidden = 0
        for node in range(len(program.ops)):
            if node in self.dead.waiting:
                # Its rule is never asked for, nor are those of the ops in it.
                hidden = max(hidden, program.subtree_ends.get(node, node + 1))
            kind, values = (None, ()) if node < hidden else self._kinds.of(node)
            self._kind_of.append(kind)
            self.tensors.append(values)
            if kind is None:
                self._state_of.append(None)
                continue
            of_values = [slots[value] for value in values]
            self._state_of.append(_getter(of_values))
            for slot in of_values:
                self._readers[slot].append(node)

    def _find_groups(self) -> Groups:
        found: Groups = {}
        for values in groups_of(self.program).values():
            known = initial(self.slots, values)
            for value in values:
                found[value] = tuple(other for other in values if other != value)
                if known:
                    self.slots.set(self.slots.of[value], known[0])
        return found

    def _outer_ops(self) -> list[int]:
        outer: list[int] = []
        for parent in self.program.parents:
            above = NO_NODE if parent == NO_NODE else outer[parent]
            outer.append(parent if parent != NO_NODE and self._matters[parent] else above)
        return outer

    def run(self, strategy: Strategy, priority: int) -> None:
        """Visit all ops until nothing changes."""
        self._results.visit(strategy, self._listener)
        tables = self.tables.of(strategy, priority)
        states_of, shardings = self._state_of, self.slots.state
        is_gone, waiting = self.dead.is_gone, self.dead.waiting
        worklist = Worklist(self._active(tables), self._outer)
        for node in worklist:
            if is_gone[node]:
                continue
            if node in waiting:
                self._erase(node, worklist)
                continue
            table, state_of = tables[node], states_of[node]
            if table is None or state_of is None:
                self._tell_no_rule(node)
                continue
            state = state_of(shardings)
            changes = table[state]
            if self._listener is not None and (changes or self._tells_all):
                boundary, tensors = table.kind.boundary, self.tensors[node]
                self._listener.step(node, tensors, boundary, *table.step(state))
            if changes:
                self._change(node, changes, worklist)
            elif not self._tells_all:
                self._settled[node] = table
                worklist.active[node] = False
        self._results.visit(strategy, self._listener)

    def write_rules(self, ops: Sequence[ir.Operation]) -> None:
        """Write the rule of each op that has one to it: to the program's ops, or those of a copy."""
        made: dict[Kind, ir.Attribute | None] = {}
        for node, kind in enumerate(self._kind_of):
            if self.dead.is_gone[node] or kind is None:
                continue
            if kind not in made:
                made[kind] = None if kind.view is None else kind.view.to_attr()
            rule = made[kind]
            if rule is not None:
                ops[node].attributes[RULE] = rule

    def remove_rules(self) -> None:
        """Remove the rules that ops came with, but for those that a user wrote."""
        for node in self._kinds.own_rules:
            if not self.dead.is_gone[node]:
                remove_rule(self.program.ops[node])

    def erase(self, ops: Sequence[ir.Operation]) -> None:
        """Erase the ops that turned out to be dead: the program's ops, or those of a copy."""
        self.dead.write(ops)

    def _active(self, tables: Tables) -> bytearray:
        """Return for each op whether a visit may change anything."""
        if self._tells_all:
            return bytearray(b"\1") * len(tables)
        self._unsettle(None)
        active = bytearray(map(is_not, self._settled, tables))
        for node in self.dead.waiting:
            active[node] = True
        return active

    def _change(self, node: int, changes: Changes, worklist: Worklist) -> None:
        """Set shardings of the tensors of an op; the ops that this affects are visited again."""
        slots, tensors = self.slots, self.tensors[node]
        for number, sharding in changes:
            value = tensors[number]
            for each in (value, *self.groups.get(value, ())):
                slots.set(slots.of[each], sharding)
                for other in self._affected.of(each):
                    if other != node:
                        worklist.push(other)
        self._unsettle(worklist)

    def _unsettle(self, worklist: Worklist | None) -> None:
        """Mark the ops with a tensor in a slot that was set: their next visit may change something."""
        for slot in self.slots.touched:
            for node in self._readers[slot]:
                self._settled[node] = None
                if worklist is not None:
                    worklist.active[node] = True
        self.slots.touched.clear()

    def _erase(self, node: int, worklist: Worklist) -> None:
        for value in self.dead.erase(node):
            users = set(self.dead.uses(value))
            owner = self.program.owners[value]
            if owner in self.dead.waiting:
                worklist.active[owner] = True
            if len(users) <= 1 and self.program.is_result(value):
                worklist.push(owner)
            self.tables.renew(users)
            for user in users:
                worklist.active[user] = True

    def _tell_no_rule(self, node: int) -> None:
        if self._listener is not None and self._kind_of[node] is None:
            self._listener.no_rule(node)


def _getter(slots: list[int]) -> Callable[[list[int]], State]:
    """Return a function that takes the entries of some slots from the list of all."""
    if len(slots) == 1:
        return lambda state: (state[slots[0]],)
    return itemgetter(*slots)
