"""The tables of the embedding benchmark."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from embedding_cells import Cell, Task
from report import Cells, Table, figure

OURS = "ours"
OTHERS = ("torch", "fbgemm", "jnp")
BOUNDS = {"roof": "rows moved, ms", "sort": "ids sorted, ms"}
"""The heads of what is part of each lookup and of each training step."""
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

    def cells(self, peers: Sequence[str]) -> Cells:
        """Return the row of a table."""
        return [
            *(self.cell.ids, str(self.cell.width), f"{self.cell.batch} x {self.cell.valency}"),
            *(figure(self.times[name] * 1e3, ".2f") for name in peers),
            *(figure(self.ratio(name), ".2f", "x") for name in peers if name in OTHERS),
        ]

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


def tables(rows: Sequence[Row], costs: Mapping[str, float]) -> list[Table]:
    """Return what a call costs, and for each task the means, the roofs, and every cell.

    Args:
        rows: of any tasks and cells.
        costs: seconds of calls that do next to nothing: a lookup, and an empty handler.
    """
    found = [_calls(costs)]
    for task, title in TITLES.items():
        of_task = sorted(
            (row for row in rows if row.task == task),
            key=lambda row: (row.cell.ids, row.cell.width, row.cell.batch, row.cell.valency),
        )
        if of_task:
            bounds = [*_roofs(title, of_task), *_small(title, of_task)]
            found += [_means(title, of_task), *bounds, _all_cells(title, of_task)]
    return found


def _calls(costs: Mapping[str, float]) -> Table:
    empty = costs["empty"]
    names = {"lookup": "lookup of 8 ids", "empty": "XLA FFI handler that does nothing"}
    rows = [
        [name, figure(costs[key] * 1e6, ".1f"), figure(costs[key] / empty, ".2f", "x")]
        for key, name in names.items()
    ]
    return Table("Calls", ["a jitted call", "µs", "beside one that does nothing"], rows)


def _peers(rows: Sequence[Row]) -> list[str]:
    """Return the peers that all rows have."""
    return [name for name in rows[0].times if all(name in row.times for row in rows)]


def _means(title: str, rows: Sequence[Row]) -> Table:
    """Return the geometric means, with a note of the cells where a peer is faster."""
    peers = [name for name in _peers(rows) if name in OTHERS]
    means: list[Cells] = []
    for scope, holds in SCOPES.items():
        within = [row for row in rows if holds(row.cell)]
        if within:
            ratios = (figure(mean_ratio(within, name), ".2f", "x") for name in peers)
            means.append([scope, *ratios])
    slower = [
        f"{row.cell} beside {name} ({row.ratio(name):.2f}x)"
        for row in rows
        for name in peers
        if row.ratio(name) < 1
    ]
    notes = [f"Slower than a peer: {'; '.join(slower) or 'none'}."]
    return Table(title, ["geometric mean", *peers], means, notes=notes)


def _roofs(title: str, rows: Sequence[Row]) -> list[Table]:
    """Compare with what only moves the rows, where that was measured."""
    found = [row for row in rows if "roof" in row.times]
    if not found:
        return []
    bounds = [name for name in BOUNDS if all(name in row.times for row in found)]
    heads = ["ids", "width", *(BOUNDS[name] for name in bounds)]
    heads += ["ours, ms", "share of the roof" if len(bounds) == 1 else "share of both"]
    shares: list[Cells] = []
    for row in found:
        figures = [figure(row.times[name] * 1e3, ".2f") for name in (*bounds, OURS)]
        share = sum(row.times[name] for name in bounds) / row.times[OURS]
        shares.append([row.cell.ids, str(row.cell.width), *figures, figure(share, ".2f")])
    return [Table(f"{title}: roofs", heads, shares)]


def _small(title: str, rows: Sequence[Row]) -> list[Table]:
    """Compare with an empty call, where that was measured."""
    found = [row for row in rows if "empty" in row.times]
    if not found:
        return []
    peers = [name for name in _peers(found) if name in OTHERS]
    heads = ["ids", "width", "empty call, µs", *(f"{name}, µs" for name in (OURS, *peers))]
    heads.append("share of the empty call")
    cells: list[Cells] = []
    for row in found:
        times = (figure(row.times[name] * 1e6, ".0f") for name in ("empty", OURS, *peers))
        share = figure(row.times["empty"] / row.times[OURS], ".2f")
        cells.append([row.cell.ids, str(row.cell.width), *times, share])
    return [Table(f"{title}: small batches", heads, cells)]


def _all_cells(title: str, rows: Sequence[Row]) -> Table:
    peers = _peers(rows)
    heads = ["ids", "width", "batch x valency", *(f"{name}, ms" for name in peers)]
    heads += [f"{name} / ours" for name in peers if name in OTHERS]
    return Table(f"{title}: all cells", heads, [row.cells(peers) for row in rows])
