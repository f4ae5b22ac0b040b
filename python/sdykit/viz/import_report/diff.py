"""The differences between two printed modules, regardless of SSA names.

Inserting one op renames every value after it, so lines are compared without the names of
values. An op counts as changed if its operands are other values than before, by any name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from sdykit.viz.import_report.align import align
from sdykit.viz.import_report.parts import Part, split_parts, type_at_end


class Kind(Enum):
    """The kind of change to a line; the value is its mark in a diff."""

    SAME = " "
    CHANGED = "~"
    ADDED = "+"
    REMOVED = "-"


@dataclass(slots=True)
class Row:
    """A line before and after; None where it does not exist."""

    kind: Kind
    before: str | None
    after: str | None
    names: dict[str, str] = field(default_factory=dict)
    """For changed lines, the new name of each value of `before` that still exists."""


@dataclass(frozen=True)
class PartDiff:
    """The rows of one top-level op that a pass changed."""

    name: str
    rows: list[Row]

    @property
    def counts(self) -> Counter[Kind]:
        """The number of lines of each kind."""
        return Counter(row.kind for row in self.rows)


def diff_modules(before: str, after: str) -> list[PartDiff]:
    """Compare two modules part by part, parts matched by their name.

    Returns:
        The parts that differ, in the order of `after`, then those that were removed.
    """
    if before == after:
        return []
    old = {part.name: part for part in split_parts(before)}
    new = split_parts(after)
    names = {part.name for part in new}
    gone = [part for part in old.values() if part.name not in names]
    pairs = [(old.get(part.name), part) for part in new] + [(part, None) for part in gone]
    diffs = (_diff_part(*pair) for pair in pairs)
    return [diff for diff in diffs if diff.counts.keys() - {Kind.SAME}]


def _diff_part(before: Part | None, after: Part | None) -> PartDiff:
    old, new = before.lines if before else (), after.lines if after else ()
    name = after.name if after else before.name if before else ""
    if old == new:
        return PartDiff(name, [])
    rows = [row for block in _blocks(old, new) for row in block]
    _find_rewired(rows)
    return PartDiff(name, rows)


_VALUE = re.compile(r"(%[\w$.-]+)((?:#\d+)?)")
_DEFINED = re.compile(r"(%[\w$.-]+)(?=(?::\d+)?(?:, %[\w$.-]+(?::\d+)?)* = |: )")


def _blocks(old: tuple[str, ...], new: tuple[str, ...]) -> Iterator[list[Row]]:
    """Align the lines, and yield each equal line, and each block of edits between equal lines."""
    old_keys = [_VALUE.sub("%", line) for line in old]
    new_keys = [_VALUE.sub("%", line) for line in new]
    removed: list[str] = []
    added: list[str] = []
    for i, j in align(old_keys, new_keys):
        if i is not None and j is not None:
            yield _pair_edits(removed, added)
            removed, added = [], []
            yield [Row(Kind.SAME, old[i], new[j])]
        elif i is not None:
            removed.append(old[i])
        elif j is not None:
            added.append(new[j])
    yield _pair_edits(removed, added)


def _pair_edits(removed: list[str], added: list[str]) -> list[Row]:
    """Pair removed and added lines that are the same op with other details."""
    rows = []
    for i, j in align([_identity(line) for line in removed], [_identity(line) for line in added]):
        if i is not None and j is not None:
            rows.append(Row(Kind.CHANGED, removed[i], added[j]))
        elif i is not None:
            rows.append(Row(Kind.REMOVED, removed[i], None))
        elif j is not None:
            rows.append(Row(Kind.ADDED, None, added[j]))
    return rows


_OP = re.compile(r'\s*(?:%[^=]*= )?"?([\w.$]+)"?')
_ARGUMENT = re.compile(r"\s*(%[\w$.-]+): ")


def _identity(line: str) -> tuple[str, ...]:
    """Return what identifies the op of an edited line: its name without dialect, and its type."""
    argument = _ARGUMENT.match(line)
    if argument:
        return (argument[1],)
    if line.lstrip().startswith("}"):
        return ("}",)  # the end of a region, with attributes and types of its op
    op = _OP.match(line)
    return (op[1].rpartition(".")[2] if op else line.strip(), type_at_end(line))


def _find_rewired(rows: list[Row]) -> None:
    """Follow renamed values through a part, and mark lines whose operands changed.

    A value whose op was removed may continue as the result of an op that was added.
    """
    renamed: dict[str, str] = {}
    gone: set[str] = set()
    made: set[str] = set()
    for row in rows:
        if row.after is None:
            gone.update(_DEFINED.findall(row.before or ""))
            continue
        if row.before is None:
            made.update(_DEFINED.findall(row.after))
            continue
        old, new = _VALUE.findall(row.before), _VALUE.findall(row.after)
        if row.kind is Kind.SAME and old == new and all(renamed.get(v) == v for v, _ in old):
            continue
        defined = _DEFINED.findall(row.before), _DEFINED.findall(row.after)
        gone.difference_update(defined[0])
        made.difference_update(defined[1])
        if len(defined[0]) == len(defined[1]):
            renamed.update(zip(*defined, strict=True))
        if row.kind is Kind.SAME:
            for (value, at), (other, other_at) in zip(old, new, strict=True):
                if value in gone and other in made and at == other_at:
                    renamed[value] = other
                    gone.discard(value)
        if row.kind is Kind.SAME and [(renamed.get(value), at) for value, at in old] != new:
            row.kind = Kind.CHANGED
        if row.kind is Kind.CHANGED:
            row.names = {value: renamed[value] for value, _ in old if value in renamed}
