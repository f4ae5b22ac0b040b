"""The tables of the embedding benchmark."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata

from embedding_cells import Cell, Task
from report import machine

OURS = "ours"
OTHERS = ("torch", "fbgemm", "jnp")
TITLES: dict[Task, str] = {
    "forward": "Lookup",
    "sgd": "Training step, SGD",
    "adagrad": "Training step, Adagrad",
}
SCOPES: dict[str, Callable[[Cell], bool]] = {
    "8 to 64 wide": lambda cell: cell.width <= 64,
    "128 wide": lambda cell: cell.width > 64,
    "all": lambda cell: True,
}


@dataclass(frozen=True)
class Row:
    """Medians in seconds, by peer."""

    task: Task
    cell: Cell
    times: dict[str, float]

    def ratio(self, peer: str) -> float:
        """How many times faster ours is."""
        return self.times[peer] / self.times[OURS]

    def cells(self, peers: Sequence[str]) -> list[str]:
        """Return the texts of the row of a table."""
        texts = [self.cell.ids, str(self.cell.width), f"{self.cell.batch} x {self.cell.valency}"]
        texts += [f"{self.times[name] * 1e3:.2f}" for name in peers]
        texts += [f"{self.ratio(name):.2f}x" for name in peers if name in OTHERS]
        return texts

    def line(self) -> str:
        """Return a line for a terminal."""
        texts = [f"{self.task:8} {self.cell!s:24}"]
        for name, value in self.times.items():
            ratio = f" {self.ratio(name):5.2f}x" if OURS in self.times and name != OURS else ""
            texts.append(f"{name} {value * 1e3:7.2f}{ratio}")
        return " | ".join(texts)


def mean_ratio(rows: Sequence[Row], peer: str) -> float:
    """Return the geometric mean of the ratios to a peer."""
    return statistics.geometric_mean([row.ratio(peer) for row in rows])


def pages(rows: Sequence[Row], costs: Mapping[str, float]) -> list[str]:
    """Return the lines of a page: for each task the means, what is slower, and every cell.

    Args:
        rows: of any tasks and cells.
        costs: seconds of calls that do next to nothing: a lookup, and an empty handler.
    """
    versions = [f"{name} {metadata.version(name)}" for name in ("torch", "fbgemm-gpu-cpu")]
    lookup, empty = costs["lookup"], costs["empty"]
    lines = [
        f"{machine()[:-1]}, {', '.join(versions)}.",
        f"A jitted lookup of 8 ids takes {lookup * 1e6:.1f} µs, {lookup / empty:.2f} times as long",
        "as a jitted call of an XLA FFI handler that does nothing.",
    ]
    for task, title in TITLES.items():
        of_task = sorted(
            (row for row in rows if row.task == task),
            key=lambda row: (row.cell.ids, row.cell.width, row.cell.batch, row.cell.valency),
        )
        if of_task:
            lines += ["", f"### {title}", *_means(of_task), *_slower(of_task)]
            lines += [*_roofs(of_task), *_all_cells(of_task)]
    return lines


def _head(heads: Sequence[str], left: int) -> list[str]:
    return ["", f"| {' | '.join(heads)} |", "|" + "---|" * left + "--:|" * (len(heads) - left)]


def _peers(rows: Sequence[Row]) -> list[str]:
    """Return the peers that all rows have."""
    return [name for name in rows[0].times if all(name in row.times for row in rows)]


def _means(rows: Sequence[Row]) -> list[str]:
    peers = [name for name in _peers(rows) if name in OTHERS]
    lines = _head(["geometric mean", *peers], 1)
    for scope, holds in SCOPES.items():
        within = [row for row in rows if holds(row.cell)]
        if within:
            ratios = [f"{mean_ratio(within, name):.2f}x" for name in peers]
            lines.append(f"| {' | '.join([scope, *ratios])} |")
    return lines


def _slower(rows: Sequence[Row]) -> list[str]:
    slower = [
        f"{row.cell} beside {name} ({row.ratio(name):.2f}x)"
        for row in rows
        for name in _peers(rows)
        if name in OTHERS and row.ratio(name) < 1
    ]
    return ["", f"Slower than a peer: {'; '.join(slower) or 'none'}."]


def _roofs(rows: Sequence[Row]) -> list[str]:
    """Compare with what only reads the rows, where that was measured."""
    found = [row for row in rows if "roof" in row.times]
    if not found:
        return []
    lines = _head(["ids", "width", "rows read, ms", "ours, ms", "share of the roof"], 1)
    for row in found:
        share = row.times["roof"] / row.times[OURS]
        texts = [row.cell.ids, str(row.cell.width), f"{row.times['roof'] * 1e3:.2f}"]
        lines.append(f"| {' | '.join([*texts, f'{row.times[OURS] * 1e3:.2f}', f'{share:.2f}'])} |")
    return lines


def _all_cells(rows: Sequence[Row]) -> list[str]:
    peers = _peers(rows)
    heads = ["ids", "width", "batch x valency", *(f"{name}, ms" for name in peers)]
    heads += [f"{name} / ours" for name in peers if name in OTHERS]
    return [*_head(heads, 1), *(f"| {' | '.join(row.cells(peers))} |" for row in rows)]
