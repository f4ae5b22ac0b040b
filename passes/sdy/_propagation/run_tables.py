"""The table of steps of each op in a run: the directions of an op depend on the op priority of the run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sdykit.passes.sdy._propagation.dead import Dead
from sdykit.passes.sdy._propagation.factors import Direction
from sdykit.passes.sdy._propagation.kinds import Kind
from sdykit.passes.sdy._propagation.priorities import LATER, directions_of
from sdykit.passes.sdy._propagation.program import Program
from sdykit.passes.sdy._propagation.steps import Strategy
from sdykit.passes.sdy._propagation.tables import Directions, StepTable, StepTables

Tables = list[StepTable | None]
"""The table of each op; None if it has no rule, or nothing goes anywhere."""


class RunTables:
    """Finds the tables of runs, each once."""

    def __init__(
        self,
        program: Program,
        kinds: Sequence[Kind | None],
        dead: Dead,
        tables: StepTables,
        *,
        keeps_all: bool,
    ) -> None:
        """Create it; `keeps_all` also asks for tables of ops through which nothing goes."""
        self._program = program
        self._kinds = kinds
        self._dead = dead
        self._tables = tables
        self._keeps_all = keeps_all
        self._known: dict[tuple[Strategy, int], Tables] = {}

    def of(self, strategy: Strategy, priority: int) -> Tables:
        """Return the tables of the ops in runs with a strategy and an op priority."""
        key = strategy, priority
        if key not in self._known:
            self._known[key] = self._find(strategy, priority)
        return self._known[key]

    def directions(self, node: int, priority: int) -> Directions:
        """Return the direction of each factor of an op with a rule, at an op priority."""
        kind = self._kinds[node]
        assert kind is not None
        return directions_of(kind, priority, self._uses_alone(node))

    def renew(self, nodes: Iterable[int]) -> None:
        """Find the tables at priority 0 again: fewer ops use what these ops use."""
        for (strategy, priority), tables in self._known.items():
            for node in nodes if priority == 0 else ():
                tables[node] = self._first(node, strategy)

    def _find(self, strategy: Strategy, priority: int) -> Tables:
        if priority == 0:
            return [self._first(node, strategy) for node in range(len(self._kinds))]
        of: dict[Kind | None, StepTable | None] = {
            kind: self._table(kind, priority, strategy) for kind in set(self._kinds)
        }
        return list(map(of.__getitem__, self._kinds))

    def _first(self, node: int, strategy: Strategy) -> StepTable | None:
        """Return the table of an op at priority 0."""
        kind = self._kinds[node]
        if kind is None or (kind.flow in LATER and not self._keeps_all):
            return None
        return self._table(kind, 0, strategy, uses_alone=self._uses_alone(node))

    def _uses_alone(self, node: int) -> bool:
        """Return whether an op is the only user of each of its operands, scalars aside."""
        types, count_uses = self._program.types, self._dead.count_uses
        for value in self._program.operands[node]:
            if types[value].rank and count_uses(value) != 1:
                return False
        return True

    def _table(
        self, kind: Kind | None, priority: int, strategy: Strategy, *, uses_alone: bool = True
    ) -> StepTable | None:
        if kind is None:
            return None
        directions = directions_of(kind, priority, uses_alone)
        if directions is Direction.NONE and not self._keeps_all:
            return None
        return self._tables.of(kind, directions, strategy)
