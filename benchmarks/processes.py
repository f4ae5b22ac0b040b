"""Count the bytes that 2 and 4 processes send each other in a training step, at a fixed batch in all.

    python benchmarks/processes.py                          # print the table
    python benchmarks/processes.py --quick                  # two cells, fewer runs
    python benchmarks/processes.py --write docs/benchmarks.md

Each process has one device. A step looks up raw ids and updates the rows, in one program. Once ids and
gradients go to all devices, and sums of rows come back; and once as devices do that choose: each id goes to
the device that owns its row. Bytes are those that come by the sockets of a process, as Linux counts
them, for all processes together. Both kinds of steps take turns.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[1] / "python/tests"))

from report import Cells, Table, arguments, figure, publish, seconds
from rich.console import Console

from support.embedding.exchange_worker import mapped, received_bytes
from support.embedding.processes import run_processes

BATCH, ROWS, ZIPF, PROCESSES = 16_384, 1 << 18, 1.2, (2, 4)
CELLS = [
    (valency, width, ids)
    for valency, width in ((1, 16), (1, 64), (2, 64), (16, 32))
    for ids in ("uniform", "zipf")
]
QUICK = [(1, 64, "uniform"), (16, 32, "zipf")]


def main() -> None:
    """Run the benchmark, or one of its processes."""
    if sys.argv[1:2] and sys.argv[1].isdigit():
        number, processes, address, quick = sys.argv[1:]
        work(int(number), int(processes), address, is_quick=bool(int(quick)))
        return
    args = arguments(__doc__, quick="two cells, fewer runs").parse_args()
    rows: list[Cells] = []
    with Console(stderr=True).status("measuring") as status:
        for processes in PROCESSES:
            status.update(f"{processes} processes")
            for name, *found in measured(processes, is_quick=args.quick):
                cells = [figure(value, form) for value, form in zip(found, FORMS, strict=True)]
                rows.append([f"{processes} processes, {name}", *cells])
    notes = [
        "MB of all processes in a step, and ms of a step; SGD, float32, 16,384 samples in all."
    ]
    heads = ["step, width x valency", "to all", "now", "by `Exchange`", "ms to all", "ms now"]
    publish("processes.py", [Table("Several processes", heads, rows, notes=notes)], args)


FORMS = (".2f", ".2f", ".2f", ".1f", ".1f")


def measured(processes: int, *, is_quick: bool) -> list[Any]:
    """Return the name and the figures of each cell."""
    texts = run_processes(__file__, processes, str(int(is_quick)), timeout=1200)
    return json.loads(texts[0].splitlines()[-1])


def work(number: int, processes: int, address: str, *, is_quick: bool) -> None:
    """Run a process; the first one prints the figures of all."""
    import sdykit.sparsecore as sc

    sc.lookup  # noqa: B018  # Sets NPROC, and starts no backend.
    import jax

    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(address, processes, number)
    cells, runs = (QUICK, 5) if is_quick else (CELLS, 15)
    found = [measure(processes, *cell, runs) for cell in cells]
    if number == 0:
        print(json.dumps(found), flush=True)


def measure(processes: int, valency: int, width: int, ids: str, runs: int) -> list[str | float]:
    """Return the name of a cell, bytes in MB and times in ms."""
    import numpy as np
    from jax.experimental import multihost_utils

    from sdykit.sparsecore.exchange import Exchange

    random = np.random.default_rng(0)
    shape = (BATCH, valency)
    drawn = random.zipf(ZIPF, shape) if ids == "zipf" else random.integers(0, ROWS, shape)
    given = (np.minimum(drawn, 2**60) % ROWS).astype(np.int32)
    with mock.patch.object(Exchange, "sends_rows", False):
        to_all = make_step(processes, width, given)
    steps = {"to all": to_all, "now": make_step(processes, width, given)}
    times: dict[str, list[float]] = {name: [] for name in steps}
    received = dict.fromkeys(steps, 0)
    for _ in range(runs):
        for name, step in steps.items():
            before = received_bytes()
            times[name].append(seconds(step))
            received[name] += received_bytes() - before
    own = np.array([received[name] / runs / 1e6 for name in steps])
    mega = np.sum(multihost_utils.process_allgather(own), axis=0).tolist()
    sizes = Exchange(processes, BATCH // processes, valency, width, ROWS // processes)
    model = sizes.lookup_bytes + sizes.update_bytes
    if not sizes.sends_rows:
        model = sizes.sums_lookup_bytes + sizes.sums_update_bytes
    medians = [1e3 * statistics.median(times[name]) for name in steps]
    return [f"{ids}, {width} x {valency}", *mega, processes * model / 1e6, *medians]


def make_step(processes: int, width: int, ids: Any) -> Callable[[], object]:
    """Return a function that runs a step, which has been compiled and has run."""
    import jax
    import numpy as np

    import sdykit.sparsecore as sc
    from sdykit.sparsecore.optimizers import SGD

    def step(table: Any, ids: Any) -> Any:
        rows = sc.lookup(table, ids)
        return sc.grad_update(table, {}, ids, None, rows, optimizer=SGD(0.01))[0]

    jitted, put = mapped(step, processes, donate_argnums=0)
    held, own = [put(np.ones((ROWS, width), np.float32))], put(ids)

    def run() -> object:
        held[0] = jax.block_until_ready(jitted(held[0], own))
        return held[0]

    run()
    return run


if __name__ == "__main__":
    main()
