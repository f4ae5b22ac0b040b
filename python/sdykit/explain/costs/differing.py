"""How the collectives of a program differ from those of another, or of a golden file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import get_args

from sdykit.errors import SdykitError
from sdykit.explain.costs.answers import collective_lines, summary_text
from sdykit.explain.costs.model import Collective, Kind
from sdykit.explain.costs.sentences import often_text
from sdykit.explain.model import Explanation
from sdykit.explain.questions.axes import is_along
from sdykit.explain.questions.index import Index
from sdykit.explain.sentences import type_text
from sdykit.plurals import counted

HEADER = """\
# The collectives of the partitioned program, a line for each: what it is of, its axes, the bytes that a
# device receives each time, how often, and the op that it is for.
# Written by sdykit explain --to=collectives --golden.
"""
_REPORTED = 10
"""The collectives of each list that are told of."""


def collectives_text(explanation: Explanation) -> str:
    """Return the text of a golden file: a line for each collective, in the order of the program.

    Lines do not name lines of the user's files, so that an edit elsewhere changes none.
    """
    return "".join([HEADER, *(f"{key}\n" for key, _ in _keys(explanation))])


def read_collectives(text: str, name: str) -> Counter[str]:
    """Return how many collectives of each description a golden file has.

    Raises:
        SdykitError: a line is no collective.
    """
    found: Counter[str] = Counter()
    for number, line in enumerate(text.splitlines(), 1):
        if line and not line.startswith("#"):
            if line.partition(" ")[0] not in get_args(Kind):
                raise SdykitError(
                    f"{name}:{number}: found {line!r}; expected a collective, as"
                    " --to=collectives --golden --update writes it"
                )
            found[line] += 1
    return found


def collective_differences(first: Explanation, second: Explanation, axis: str | None = None) -> str:
    """Return which collectives of a second program are not in a first one, and the other way round.

    Args:
        first: a program, with costs.
        second: another one, with costs.
        axis: only those along this axis.
    """
    wanted = Counter(key for key, _ in _keys(first, axis))
    lines = differences_from(second, wanted, first.name, axis)
    along = "" if axis is None else f" along {axis}"
    if not lines:
        return f"{second.name}: all collectives{along} are as in {first.name}\n"
    return f"{_total(second, axis)}{_total(first, axis)}{lines}"


def differences_from(
    explanation: Explanation, wanted: Counter[str], name: str, axis: str | None = None
) -> str:
    """Return which collectives are more or fewer than wanted; empty if none are.

    Args:
        explanation: the program, with costs.
        wanted: how many collectives of each description there should be.
        name: where they are from, for the answer.
        axis: only those along this axis.
    """
    index = Index(explanation)
    left = wanted.copy()
    new: list[Collective] = []
    for key, collective in _keys(explanation, axis):
        if left[key]:
            left[key] -= 1
        else:
            new.append(collective)
    gone = list(left.elements())
    lines: list[str] = []
    if new:
        lines.append(f"{_counted(len(new))} not in {name}:")
        for each in new[:_REPORTED]:
            lines += collective_lines(index, each)
        lines += _rest(len(new))
    if gone:
        lines.append(f"{_counted(len(gone))} gone, but in {name}:")
        lines += [f"  {key}" for key in gone[:_REPORTED]]
        lines += _rest(len(gone))
    return "".join(f"{line}\n" for line in lines)


def _total(explanation: Explanation, axis: str | None) -> str:
    found = [each for _, each in _keys(explanation, axis)]
    return f"{explanation.name}: {summary_text(found)}\n"


def _counted(number: int) -> str:
    return f"{counted(number, 'collective')} {'is' if number == 1 else 'are'}"


def _rest(count: int) -> list[str]:
    return [f"  ... and {count - _REPORTED:,} more"] if count > _REPORTED else []


def _keys(explanation: Explanation, axis: str | None = None) -> Iterator[tuple[str, Collective]]:
    """Yield a description of each collective without names of values and lines, and the collective."""
    assert explanation.costs is not None
    for each in explanation.costs.collectives:
        if axis is not None and not is_along(each.axes, axis):
            continue
        of = "" if each.tensor is None else f" of {type_text(explanation.tensors[each.tensor])}"
        scope = each.source.scope if each.source is not None else ""
        op = "" if each.op is None else explanation.ops[each.op].name
        place = " ".join(filter(None, (scope, op)))
        parts = (f"{each.bytes:g} bytes", often_text(each), f"for {place}" if place else "")
        axes = ", ".join(each.axes) or "no axis"
        yield f"{each.kind}{of} along {axes}: {', '.join(filter(None, parts))}", each
