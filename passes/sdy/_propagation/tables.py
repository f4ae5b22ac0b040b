"""Outcomes of steps by number, so that a visit of an op is one look into a table."""

from __future__ import annotations

from dataclasses import dataclass, field

from sdykit.passes.sdy._propagation.factors import Direction
from sdykit.passes.sdy._propagation.kinds import Kind
from sdykit.passes.sdy._propagation.numbered import NumberedShardings
from sdykit.passes.sdy._propagation.steps import Key, Outcome, Steps, Strategy

Directions = tuple[Direction, ...] | Direction
"""The direction of each factor, or of all."""

State = tuple[int, ...]
"""The numbers of the shardings of the tensors of an op."""

Changes = tuple[tuple[int, int], ...]
"""The tensors that a step changes, operands first, and the numbers of their new shardings."""


class StepTable(dict[State, Changes]):
    """What steps of ops of one kind change, with some directions and a strategy; computed when asked for."""

    def __init__(
        self,
        shardings: NumberedShardings,
        steps: Steps,
        kind: Kind,
        directions: Directions,
        strategy: Strategy,
        *,
        conservative: bool,
    ) -> None:
        self._shardings = shardings
        self._steps = steps
        self.kind = kind
        self._directions = directions
        self._strategy = strategy
        # What only flows on is taken as it is, parts of axes too.
        self._conservative = conservative and not kind.rule.is_identity
        self._known: dict[State, tuple[Key, Outcome]] = {}

    def __missing__(self, state: State) -> Changes:
        shardings, boundary = self._shardings, self.kind.boundary
        changes = []
        for number, sharding in self.step(state)[1].changes:
            is_inner = boundary is not None and number == boundary.inner
            new = boundary.to_inner(sharding) if boundary is not None and is_inner else sharding
            changes.append((number, shardings.number(new)))
        self[state] = found = tuple(changes)
        return found

    def step(self, state: State) -> tuple[Key, Outcome]:
        """Return what a step depends on, and what it does: outside of a manual computation."""
        found = self._known.get(state)
        if found is None:
            key = self._key(state)
            found = self._known[state] = key, self._steps.outcome(key)
        return found

    def _key(self, state: State) -> Key:
        found = [self._shardings.find(number) for number in state]
        kind, boundary = self.kind, self.kind.boundary
        if boundary is not None:
            found[boundary.inner] = boundary.to_outer(found[boundary.inner])
        return Key(
            kind.rule,
            tuple(found),
            self._directions,
            self._strategy,
            self._conservative,
            kind.is_elementwise,
        )


@dataclass
class StepTables:
    """Makes step tables, each once.

    Attributes:
        shardings: the shardings by number.
        conservative: whether no factor may get a part of an axis.
    """

    shardings: NumberedShardings
    conservative: bool
    _known: dict[tuple[Kind, Directions, Strategy], StepTable] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.steps = Steps(self.shardings)

    def of(self, kind: Kind, directions: Directions, strategy: Strategy) -> StepTable:
        """Return the table of ops of a kind."""
        key = kind, directions, strategy
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = StepTable(
                self.shardings,
                self.steps,
                kind,
                directions,
                strategy,
                conservative=self.conservative,
            )
        return found
