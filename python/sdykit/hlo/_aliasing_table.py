"""Text in columns."""

from __future__ import annotations

from collections.abc import Sequence

_WIDEST = 60
"""A column is no wider: one cell may hold thousands of names, and there are as many rows."""


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Give a line for each row, columns left-aligned and two spaces apart.

    A cell that is wider than a column may be moves the rest of its row.
    """
    widths = [
        max((len(cell) for cell in column if len(cell) <= _WIDEST), default=_WIDEST)
        for column in zip(*rows, strict=True)
    ]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
