"""The user's source lines that ops come from, as errors name them."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import PurePath

from sdykit.mlir import ir

UNKNOWN = "an unknown line"
"""The text of an op without a source line, in ops without one."""

_LINE = re.compile(r'"((?:[^"\\]|\\.)+)":(\d+)')


class Places:
    """Source lines of a module's ops, each with a number: programs carry it to where they fail.

    The line of an op is the first `"file.py":line` in its location, which is the innermost one of
    the user's; for an op that has none, that of the nearest enclosing op that has one.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of all numbers so far, "kernel.py:12", by number."""
        return tuple(self._numbers)

    def of(self, op: ir.Operation | ir.OpView) -> int:
        """Return the number of an op's line."""
        return self._numbers.setdefault(self.text(op), len(self._numbers))

    def text(self, op: ir.Operation | ir.OpView) -> str:
        """Return the file's name and the line of an op: "kernel.py:12"."""
        at: ir.Operation | ir.OpView | None = op.operation
        while at is not None:
            line = _line(str(at.location))
            if line is not None:
                return line
            at = at.operation.parent
        return UNKNOWN


@lru_cache(maxsize=4096)
def _line(location: str) -> str | None:
    found = _LINE.search(location)
    return f"{PurePath(found[1]).name}:{found[2]}" if found else None
