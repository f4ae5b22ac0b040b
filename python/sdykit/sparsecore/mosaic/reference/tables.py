"""Tables of ops: what the machine does for each, and the row of the documentation about it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

Entry = TypeVar("Entry")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the documentation's table.

    Attributes:
        ops: names of the ops that it is about.
        meaning: what they do, in Markdown, on one line.
    """

    ops: tuple[str, ...]
    meaning: str


class Table(Generic[Entry]):
    """What the machine does, by the op's name, and what the documentation says about it.

    Attributes:
        title: the table's heading in the documentation.
        entries: functions by the name of the op.
        rows: the rows of the documentation, in the order of the source.
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self.entries: dict[str, Entry] = {}
        self.rows: list[Row] = []

    def __call__(self, *ops: str) -> Callable[[Entry], Entry]:
        """Return the decorator of a function for ops; its docstring becomes their row."""

        def add(entry: Entry) -> Entry:
            self.add(ops, entry, entry)
            return entry

        return add

    def add(self, ops: tuple[str, ...], entry: Entry, documented: object) -> None:
        """Add ops and the row about them.

        Args:
            ops: the names of the ops.
            entry: the function for them.
            documented: the object whose docstring is their row.

        Raises:
            ValueError: there is no docstring, or an op is in the table already.
        """
        text = inspect.getdoc(documented)
        if not text:
            raise ValueError(f"{', '.join(ops)}: expected a docstring, found none")
        for op in ops:
            if op in self.entries:
                raise ValueError(f"{op} is in the table '{self.title}' already")
            self.entries[op] = entry
        self.rows.append(Row(ops, " ".join(text.split())))
