"""Compare the figures of two versions, as `make bench` writes them.

    python benchmarks/compare.py old.json build/benchmarks.json

Figures of one version come from one machine at one time: what differs by less than the noise of the
machine says nothing. Columns of ratios, which were measured side by side, say most.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from report import Cells, Figures, Table, figure, read_figures
from rich.console import Console

SHOWN = 1.1
"""The smallest factor between two figures that is shown in a row of its own."""

Key = tuple[str, ...]
"""The title of a table, the texts of a row, the head of a column."""


def comparison(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Table]:
    """Return a table for each benchmark of both: the columns, then the figures that differ most."""
    tables = [_columns(before, after)]
    for program in before.keys() & after.keys():
        rows = _rows(_figures(before[program]), _figures(after[program]))
        if rows:
            heads = ["table", "row", "column", "before", "now", "now / before"]
            tables.append(Table(f"{program}: figures that differ", heads, rows))
    return tables


def _columns(before: Mapping[str, Any], after: Mapping[str, Any]) -> Table:
    """Return the table of the geometric means of all columns."""
    rows: list[Cells] = []
    notes: list[str] = []
    for program, found in after.items():
        if program not in before:
            notes.append(f"{program} is new.")
            continue
        old, ratios = dict(_figures(before[program])), dict[Key, list[float]]()
        for key, value in _figures(found):
            if value > 0 and old.get(key, 0) > 0:
                ratios.setdefault((key[0], key[-1]), []).append(value / old[key])
        for (title, head), values in ratios.items():
            mean = figure(statistics.geometric_mean(values), ".2f", "x")
            rows.append([program, title, head, mean, str(len(values))])
    heads = ["benchmark", "table", "column", "now / before, geometric mean", "figures"]
    return Table("Now beside before", heads, rows, notes=notes)


def _rows(before: Iterator[tuple[Key, float]], after: Iterator[tuple[Key, float]]) -> list[Cells]:
    """Return a row for each figure that differs, and for each that only one side has."""
    old, new = dict(before), dict(after)
    rows: list[Cells] = []
    for key in old | new:
        title, *names, head = key
        name = [title, ", ".join(names), head]
        if key not in old or key not in new:
            values = [figure(side[key], ".3g") if key in side else "none" for side in (old, new)]
            rows.append([*name, *values, ""])
            continue
        ratio = new[key] / old[key] if old[key] else float("inf") if new[key] else 1.0
        if ratio < 0 or max(ratio, 1 / ratio if ratio else float("inf")) >= SHOWN:
            rows.append([*name, *(figure(each, ".3g") for each in (old[key], new[key], ratio))])
    return rows


def _figures(program: Mapping[str, Any]) -> Iterator[tuple[Key, float]]:
    """Yield the figures of a benchmark with their places."""
    for table in map(Table.from_json, program["tables"]):
        for row in table.rows:
            name = [each for each in row if isinstance(each, str) and each]
            for head, cell in zip(table.heads, row, strict=True):
                values = cell.values if isinstance(cell, Figures) else ()
                for number, value in enumerate(values, 1):
                    place = head if len(values) == 1 else f"{head} ({number})"
                    yield (table.title, *name, place), value


def main() -> None:
    """Print the comparison of two files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("before", type=Path, metavar="OLD.json")
    parser.add_argument("after", type=Path, metavar="NEW.json")
    args = parser.parse_args()
    for table in comparison(read_figures(args.before), read_figures(args.after)):
        table.show(Console(width=None if sys.stdout.isatty() else 150))


if __name__ == "__main__":
    main()
