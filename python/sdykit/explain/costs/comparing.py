"""Our collectives beside those of XLA's own program: matched by the lines that they come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from sdykit.explain.costs.model import Collective, CompiledCollective, Costs, Kind
from sdykit.explain.costs.sentences import source_of_op
from sdykit.explain.model import Explanation, SourceLine
from sdykit.explain.sentences import bytes_text

_Amounts = dict[Kind, tuple[int, int]]
"""How many of each kind there are, and the bytes of their operands in a run."""


@dataclass
class Place:
    """The collectives of one line of the module.

    Attributes:
        line: the line, from 1; None: XLA does not say.
        ours: ours, less those that move nothing.
        compiled: those of XLA's program.
    """

    line: int | None
    ours: list[Collective] = field(default_factory=list)
    compiled: list[CompiledCollective] = field(default_factory=list)

    @property
    def is_equal(self) -> bool:
        """Whether both have the same kinds, each with the same bytes."""
        sizes = [
            {kind: size for kind, (_, size) in amounts(each).items()}
            for each in (self.ours, self.compiled)
        ]
        return sizes[0] == sizes[1]


def places(explanation: Explanation) -> list[Place]:
    """Return the lines that have collectives, here or in the compiled program, in order.

    XLA names another op than ours for some reshards: the one that makes a tensor instead of the one
    that uses it. So a collective of XLA's belongs to a line of ours if either is there.
    """
    costs = explanation.costs
    assert costs is not None
    assert costs.compiled is not None
    found: dict[int | None, Place] = {}
    moving = [each for each in costs.collectives if each.kind != "all_slice"]
    for each in moving:
        line = next(_lines(explanation, each), None)
        found.setdefault(line, Place(line)).ours.append(each)
    of_line = dict(found)
    for each in moving:
        own, *others = [*_lines(explanation, each)] or [None]
        for line in others:
            of_line.setdefault(line, found[own])
    for theirs in costs.compiled:
        place = of_line.get(theirs.line)
        if place is None:
            place = found.setdefault(theirs.line, Place(theirs.line))
        place.compiled.append(theirs)
    return sorted(found.values(), key=lambda place: (place.line is None, place.line or 0))


def amounts(collectives: Iterable[Collective | CompiledCollective]) -> _Amounts:
    """Return how many there are of each kind, and the bytes of their operands in a run."""
    found: _Amounts = {}
    for each in collectives:
        count, size = found.get(each.kind, (0, 0))
        found[each.kind] = count + each.runs, size + each.operand_bytes * each.runs
    return found


def kind_rows(costs: Costs) -> list[tuple[Kind, tuple[int, int], tuple[int, int]]]:
    """Return each kind that moves something, with how many there are and their bytes, here and compiled."""
    ours, theirs = amounts(costs.collectives), amounts(costs.compiled or ())
    kinds: dict[Kind, None] = {**dict.fromkeys(ours), **dict.fromkeys(theirs)}
    return [
        (kind, ours.get(kind, (0, 0)), theirs.get(kind, (0, 0)))
        for kind in kinds
        if kind != "all_slice"
    ]


def difference(place: Place) -> str:
    """Return how the compiled program differs at a line, in words; empty if it does not."""
    if place.is_equal:
        return ""
    ours, theirs = amounts(place.ours), amounts(place.compiled)
    if not theirs:
        return f"{_listed(ours)} here, nothing in the compiled program"
    if not ours:
        return f"nothing here, {_listed(theirs)} in the compiled program"
    if ours.keys() == theirs.keys():
        return f"other bytes: {_listed(ours)} here, {_listed(theirs)} in the compiled program"
    return f"other kinds: {_listed(ours)} here, {_listed(theirs)} in the compiled program"


def difference_counts(
    explanation: Explanation, found: Iterable[Place]
) -> Counter[tuple[SourceLine | None, str]]:
    """Return how often each difference is at each line of the user's program, without scopes."""
    counts: Counter[tuple[SourceLine | None, str]] = Counter()
    for place in found:
        if not place.is_equal:
            source = source_of(explanation, place)
            line = None if source is None else replace(source, scope="")
            counts[line, difference(place)] += 1
    return counts


def source_of(explanation: Explanation, place: Place) -> SourceLine | None:
    """Return the line of the user's program that a line of the module comes from, if it is known."""
    if place.ours and place.ours[0].source is not None:
        return place.ours[0].source
    at = (source_of_op(explanation, op.number) for op in explanation.ops if op.line == place.line)
    return next(filter(None, at), None)


def _lines(explanation: Explanation, collective: Collective) -> Iterator[int]:
    """Yield the lines of the module that a collective has to do with, that of its op first."""
    tensor = collective.tensor
    ops: Sequence[int | None] = (
        collective.op,
        None if tensor is None else explanation.tensors[tensor].op,
        *(cause.op for cause in collective.causes),
    )
    yield from dict.fromkeys(explanation.ops[op].line for op in ops if op is not None)


def _listed(found: _Amounts) -> str:
    return " and ".join(
        f"{count} {kind} of {bytes_text(size)}" if count > 1 else f"{kind} of {bytes_text(size)}"
        for kind, (count, size) in found.items()
    )
