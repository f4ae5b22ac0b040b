"""Time lookups and training steps of two installations of sdykit side by side.

    python benchmarks/installations.py --beside=../other/.venv/bin/python
    python benchmarks/installations.py --beside=PYTHON --task=sgd --peers=packed --widths=8,128

Each runs the programs of this directory in a process of its own; they alternate in random order,
with cold caches. Their results must be equal bit for bit. A ratio below 1 means that the
installation that runs this script is faster. On a machine with other work, `--one-core` pins each
process to a core and measures processor time.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import random
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from embedding import WIDTHS, Process, in_parallel
from embedding_cells import Cell, Task
from embedding_report import TITLES

PEERS = ("ours", "buffers", "packed")
"""The forms of the input: ids, buffers with an index by sample, and buffers without."""
SIZES = ((4096, 1), (4096, 16), (65536, 1))


@contextlib.contextmanager
def pair(peer: str, beside: str, *, one_core: bool) -> Iterator[list[Process]]:
    """Yield the processes of a peer in this installation and in another one."""
    with tempfile.TemporaryFile("w+") as log, contextlib.ExitStack() as stack:
        found = [Process(peer, log, python) for python in (sys.executable, beside)]
        for each in found:
            stack.callback(each.close)
        if one_core:
            in_parallel(found, "use_one_core")
        try:
            yield found
        except ChildProcessError as error:
            log.seek(0)
            raise SystemExit(f"{log.read()}{error}") from None


def measure(
    found: Sequence[Process], task: Task, peer: str, cells: Sequence[Cell], repeats: int
) -> list[float]:
    """Return the ratio of the times of each cell; the cells have one width."""
    in_parallel(found, "load", width=cells[0].width, task=task)
    ratios = []
    for number, cell in enumerate(cells):
        in_parallel(found, "cell", **asdict(cell))
        if number == 0:
            check(found, cell)
        times: list[list[float]] = [[], []]
        for _ in range(repeats):
            for which in random.sample(range(2), 2):
                times[which].append(found[which].do("time"))
        ratios.append(ratio(times))
        shown = " ".join(f"{min(each) * 1e3:8.3f} {median(each) * 1e3:8.3f}" for each in times)
        print(f"{task:8} {peer:8} {cell!s:22} {shown} {ratios[-1]:6.3f}", flush=True)
    return ratios


def median(times: Sequence[float]) -> float:
    """Return the median of times."""
    return statistics.median(times)


def ratio(times: Sequence[Sequence[float]]) -> float:
    """Return the ratio of the lower quartiles: other work on the machine makes some calls longer."""
    here, there = (statistics.quantiles(each, n=4)[0] for each in times)
    return here / there


def check(found: Sequence[Process], cell: Cell) -> None:
    """Check that the installations compute equal results, bit for bit."""
    arrays: list[Any] = []
    with tempfile.TemporaryDirectory() as directory:
        for number, each in enumerate(found):
            path = f"{directory}/{number}.npz"
            each.do("check", path=path)
            with np.load(path) as file:
                arrays.append(dict(file))
    for name in ("sums", "rows"):
        if arrays[0][name].tobytes() != arrays[1][name].tobytes():
            raise SystemExit(f"{cell}: {name} differ")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--beside", required=True, metavar="PYTHON", help="the other installation's Python"
    )
    parser.add_argument("--task", choices=TITLES, action="append", help="default: all")
    parser.add_argument("--widths", default=",".join(map(str, WIDTHS)))
    parser.add_argument("--peers", default=",".join(PEERS), metavar="NAMES", help="default: all")
    parser.add_argument(
        "--rounds", type=int, default=41, help="number of calls of each (default: 41)"
    )
    parser.add_argument("--one-core", action="store_true", help="processor time of one core")
    args = parser.parse_args()
    widths = [int(each) for each in args.widths.split(",")]
    print(f"{'':39} {'ms here: best, median':>17} {'ms beside':>17}  ratio of lower quartiles")
    for task, peer in itertools.product(args.task or TITLES, args.peers.split(",")):
        ratios: list[float] = []
        for width in widths:
            cells = [Cell(width, *size, "uniform") for size in SIZES]
            with pair(peer, args.beside, one_core=args.one_core) as found:
                ratios += measure(found, task, peer, cells, args.rounds)
        print(f"{task:8} {peer:8} geometric mean {statistics.geometric_mean(ratios):.3f}")


if __name__ == "__main__":
    main()
