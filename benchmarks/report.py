"""Shared by the benchmarks: a stopwatch, and tables that a terminal, a page and a file of figures show.

A benchmark measures, makes `Table`s, and hands them to `publish`:

    parser = arguments("Time readers.", quick="fewer texts")
    args = parser.parse_args()
    row = ["small", figure(1.25, ".1f"), figure(0.5, ".2f", "x")]
    publish("readers.py", [Table("Readers", ["text", "ms", "ratio"], [row])], args)

`run.py` runs them all; `compare.py` reads two files of figures.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as RichTable

from sdykit.files import write_whole


def seconds(call: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the seconds that a call takes."""
    started = clock()
    call()
    return clock() - started


@dataclass(frozen=True)
class Figures:
    """A cell with figures: how it is shown, and the numbers that two versions are compared by."""

    text: str
    values: tuple[float, ...]


Cells = Sequence[str | Figures]


def figure(value: float, form: str, unit: str = "") -> Figures:
    """Return a cell of one figure, shown as `form` of Python's format language and a unit."""
    return Figures(f"{value:{form}}{unit}", (value,))


@dataclass(frozen=True)
class Table:
    """What one table shows. The cells of a row that are texts name the row: no two are the same."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Cells]
    missed: Collection[int] = ()
    """The rows that miss an aim, which a terminal shows in red."""
    notes: Sequence[str] = ()
    """Lines of Markdown below the title."""

    def markdown(self) -> list[str]:
        """Return the lines of the table on a page, without its title."""
        left = [not any(isinstance(row[at], Figures) for row in self.rows) for at in self._columns]
        rule = "".join("---|" if is_left else "--:|" for is_left in left)
        rows = [f"| {' | '.join(map(_text, row))} |" for row in [self.heads, *self.rows]]
        notes = [*self.notes, ""] if self.notes else []
        return [*notes, rows[0], f"|{rule}", *rows[1:], ""]

    def show(self, console: Console) -> None:
        """Print the table."""
        table = RichTable(title=self.title, title_justify="left")
        for at in self._columns:
            has_figures = any(isinstance(row[at], Figures) for row in self.rows)
            table.add_column(self.heads[at], justify="right" if has_figures else "left")
        for number, row in enumerate(self.rows):
            style = "red" if number in self.missed else None
            table.add_row(*(_text(cell).replace("`", "") for cell in row), style=style)
        console.print(table)
        console.print(*self.notes, sep="\n", markup=False, highlight=False)

    def as_json(self) -> dict[str, Any]:
        """Return the table as it stands in a file of figures."""
        rows = [
            [
                {"text": each.text, "values": list(each.values)}
                if isinstance(each, Figures)
                else each
                for each in row
            ]
            for row in self.rows
        ]
        return {"title": self.title, "heads": [*self.heads], "rows": rows, "notes": [*self.notes]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Table:
        """Return the table that `as_json` wrote."""
        rows = [
            [
                each if isinstance(each, str) else Figures(each["text"], tuple(each["values"]))
                for each in row
            ]
            for row in data["rows"]
        ]
        return cls(data["title"], data["heads"], rows, notes=data["notes"])

    @property
    def _columns(self) -> range:
        return range(len(self.heads))


def _text(cell: str | Figures) -> str:
    return cell if isinstance(cell, str) else cell.text


def arguments(description: str | None, quick: str = "fewer runs") -> argparse.ArgumentParser:
    """Return the parser of a benchmark, with the flags that all have.

    Args:
        description: the docstring of the benchmark, whose first line is shown.
        quick: what `--quick` does.
    """
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument("--write", type=Path, metavar="PAGE", help="renew the tables of a page")
    parser.add_argument("--json", type=Path, metavar="FILE", help="put the figures into a file")
    return parser


def publish(
    program: str,
    tables: Sequence[Table],
    args: argparse.Namespace,
    versions: Sequence[str] = (),
) -> None:
    """Print tables; with `--write` and `--json`, renew those of a page and of a file of figures.

    Args:
        program: the name of the benchmark's file, which its marks in a page have.
        tables: in the order in which they are shown.
        args: what the parser of `arguments` found.
        versions: more packages whose versions count.
    """
    console = Console(width=None if sys.stdout.isatty() else 150)
    for table in tables:
        table.show(console)
    found = {"machine": machine(versions), "tables": [table.as_json() for table in tables]}
    if args.json:
        _merge(args.json, program, found)
    if args.write:
        lines = [found["machine"], ""]
        for table in tables:
            # A page has a heading of its own above the only table of a benchmark.
            lines += [f"### {table.title}", ""] if len(tables) > 1 else []
            lines += table.markdown()
        write(args.write, program, lines)


def page(programs: Mapping[str, Any]) -> str:
    """Return the page of a file of figures: Markdown, a section for each benchmark."""
    lines = ["# Benchmarks", ""]
    for program, found in programs.items():
        lines += [f"## {program}", "", found["machine"], ""]
        for table in map(Table.from_json, found["tables"]):
            lines += [f"### {table.title}", "", *table.markdown()]
    return "\n".join(lines)


def machine(packages: Sequence[str] = ()) -> str:
    """Return a sentence that names the machine and the versions, of jaxlib and of `packages`."""
    versions = [f"{name} {metadata.version(name)}" for name in ("jaxlib", *packages)]
    system = ", ".join([f"Python {platform.python_version()}", *versions])
    return f"Measured on {platform.machine()} {platform.system()} with {system}."


def write(page: Path, program: str, lines: Sequence[str]) -> None:
    """Replace the lines between the two marks of a program in a page."""
    begin, end = f"<!-- {program} writes from here -->", "<!-- to here -->"
    before, mark, rest = page.read_text(encoding="utf-8").partition(begin)
    if not mark:
        raise SystemExit(f"{page} has no line '{begin}'")
    _, _, after = rest.partition(end)
    write_whole(page, "\n".join([before + begin, "", *lines, end + after]).encode())


def read_figures(path: Path) -> dict[str, Any]:
    """Return the figures of a file by program.

    Raises:
        SystemExit: if it cannot be read, or is no file of figures.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SystemExit(f"{path}: {error}") from None
    if not isinstance(found, Mapping) or found.get("format") != 1:
        raise SystemExit(f"{path}: no file of figures; `make bench` writes build/benchmarks.json")
    return dict(found["programs"])


def _merge(path: Path, program: str, found: Mapping[str, Any]) -> None:
    programs = read_figures(path) if path.exists() else {}
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"format": 1, "programs": {**programs, program: found}}, indent=1)
    write_whole(path, (text + "\n").encode())
