"""Time embedding lookups and training steps beside torch, fbgemm and jax.numpy.

    python benchmarks/embedding.py                    # print the tables
    python benchmarks/embedding.py --task=forward --widths=8,16 --only=4096
    python benchmarks/embedding.py --task=sgd --keep=rows.json      # in pieces: add to a file
    python benchmarks/embedding.py --write docs/benchmarks.md

Every peer has a process of its own, with two threads, passive OpenMP, and a malloc that keeps
memory and asks for large pages. They take turns in random order. The first call of each batch is
not timed: some compile, and memory is new. Before each call other memory
is written until the caches hold nothing else, then a call on 64 samples loads the code again:
data are cold, programs are not. The results are compared first.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from embedding_cells import BATCHES, THREADS, Cell, Task
from embedding_report import TITLES, Row, tables
from report import arguments, publish

WIDTHS = (8, 16, 32, 64, 128)
SIZES = ((4096, 1), (4096, 16), (65536, 1), (65536, 16))
IDS = ("uniform", "zipf")
PEERS: dict[Task, tuple[str, ...]] = {
    "forward": ("ours", "buffers", "torch", "fbgemm", "jnp", "roof", "empty"),
    "sgd": ("ours", "buffers", "torch", "fbgemm", "jnp", "roof", "sort"),
    "adagrad": ("ours", "buffers", "torch", "fbgemm", "roof", "sort"),
}
BOUNDS: dict[str, tuple[int, int]] = {"roof": SIZES[-1], "sort": SIZES[-1], "empty": SIZES[0]}
"""What bounds cells of a size: it takes part in those only, and computes nothing to compare."""
RUNS, RUNS_OF_LARGEST, QUICK_RUNS = 31, 11, 5
"""Calls of each peer; the median of 11 differs by up to a third from run to run where calls are short."""
TOLERANCE = 1e-3
"""Tolerance: sums of up to 200,000 gradients are computed in different orders."""
CORES = sorted(os.sched_getaffinity(0))[-THREADS:]
"""The cores that all peers run on, in turns."""
ENVIRONMENT = {
    "OMP_NUM_THREADS": str(THREADS),
    "OMP_WAIT_POLICY": "PASSIVE",
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": str(1 << 34),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 36),
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
    "JAX_PLATFORMS": "cpu",
}


class Process:
    """A peer in a process of its own."""

    def __init__(self, name: str, log: Any, python: str = sys.executable) -> None:
        program = Path(__file__).with_name("embedding_worker.py")
        self.name = name
        self.process = subprocess.Popen(
            [python, str(program), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env={**os.environ, **ENVIRONMENT},
        )
        # As many cores as a peer has threads: JAX takes all that it may run on.
        os.sched_setaffinity(self.process.pid, CORES)

    def do(self, what: str, **fields: Any) -> Any:
        """Send a command and return the answer."""
        self.send(what, **fields)
        return self.receive()

    def send(self, what: str, **fields: Any) -> None:
        """Send a command."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"do": what, **fields}) + "\n")
        self.process.stdin.flush()

    def receive(self) -> Any:
        """Wait for the answer, and return it."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise ChildProcessError(f"{self.name} ended with {self.process.wait()}")
        return json.loads(line)

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait()


@contextlib.contextmanager
def processes(names: Sequence[str]) -> Iterator[list[Process]]:
    """Yield started peers; if one fails, their output is shown."""
    with tempfile.TemporaryFile("w+") as log, contextlib.ExitStack() as stack:
        found = [Process(name, log) for name in names]
        for each in found:
            stack.callback(each.close)
        try:
            yield found
        except ChildProcessError as error:
            log.seek(0)
            raise SystemExit(f"{log.read()}{error}") from None


def measure(task: Task, cells: Sequence[Cell], names: Sequence[str], quick: bool) -> list[Row]:
    """Return the times of cells of one width, measured in random order."""
    rows: list[Row] = []
    with processes(names) as found:
        in_parallel(found, "load", width=cells[0].width, task=task)
        for number, cell in enumerate(random.sample(cells, len(cells))):
            size = (cell.batch, cell.valency)
            taking_part = [each for each in found if BOUNDS.get(each.name, size) == size]
            in_parallel(taking_part, "cell", **asdict(cell))
            # A training step changes the table: the first is compared.
            if task == "forward" or number == 0:
                check(taking_part, cell)
            times: dict[str, list[float]] = {each.name: [] for each in taking_part}
            runs = RUNS_OF_LARGEST if size == SIZES[-1] else RUNS
            for _ in range(BATCHES + (QUICK_RUNS if quick else runs)):
                for each in random.sample(taking_part, len(taking_part)):
                    times[each.name].append(each.do("time"))
            # The first calls compile, and get memory.
            medians = {name: statistics.median(each[BATCHES:]) for name, each in times.items()}
            rows.append(Row(task, cell, medians))
            print(rows[-1].line(), flush=True)
    return rows


def in_parallel(found: Sequence[Process], what: str, **fields: Any) -> None:
    """Send the same command to all, and wait for the answers."""
    for each in found:
        each.send(what, **fields)
    for each in found:
        each.receive()


def check(found: Sequence[Process], cell: Cell) -> None:
    """Compare what the peers compute."""
    found = [each for each in found if each.name not in BOUNDS]
    arrays: list[Any] = []
    with tempfile.TemporaryDirectory() as directory:
        for each in found:
            path = f"{directory}/{each.name}.npz"
            each.do("check", path=path)
            with np.load(path) as file:
                arrays.append(dict(file))
    for name in ("sums", "rows"):
        for each, other in zip(found[1:], arrays[1:], strict=True):
            if not np.allclose(arrays[0][name], other[name], rtol=1e-4, atol=TOLERANCE):
                raise SystemExit(f"{cell}: {name} of {each.name} and {found[0].name} differ")


def merge(path: Path, rows: Sequence[Row]) -> list[Row]:
    """Return the rows of a file and these, which replace those of the same task and cell.

    All are written to the file.
    """
    held = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    kept = [Row(each["task"], Cell(**each["cell"]), each["times"]) for each in held]
    found = {(row.task, row.cell): row for row in [*kept, *rows]}
    path.write_text(json.dumps([asdict(row) for row in found.values()]), encoding="utf-8")
    return list(found.values())


def main() -> None:
    """Run the benchmark."""
    parser = arguments(__doc__)
    parser.add_argument("--task", choices=TITLES, action="append", help="default: all")
    parser.add_argument("--widths", default=",".join(map(str, WIDTHS)))
    parser.add_argument("--peers", metavar="NAMES", help="default: all")
    parser.add_argument("--only", default="", metavar="WORD", help="cells with a word in them")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="add rows to those of a file")
    args = parser.parse_args()
    widths = [int(each) for each in args.widths.split(",")]
    chosen = args.peers.split(",") if args.peers else None
    rows: list[Row] = []
    groups = [*itertools.product(args.task or TITLES, widths)]
    for task, width in random.sample(groups, len(groups)):
        cells = [Cell(width, *size, ids) for ids, size in itertools.product(IDS, SIZES)]
        cells = [cell for cell in cells if args.only in str(cell)]
        names = [name for name in PEERS[task] if chosen is None or name in chosen]
        if cells and names:
            rows += measure(task, cells, names, args.quick)
    if args.keep:
        rows = merge(args.keep, rows)
    with processes(["ours"]) as (ours,):
        found = tables(rows, ours.do("call_costs"))
    publish("embedding.py", found, args, ["torch", "fbgemm-gpu-cpu"])


if __name__ == "__main__":
    main()
