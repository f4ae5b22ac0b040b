"""Time training steps on 1 to 16 devices of one process, at a fixed batch in all.

    python benchmarks/many_devices.py                          # print the tables
    python benchmarks/many_devices.py --quick                  # two kinds of batches, fewer runs
    python benchmarks/many_devices.py --write docs/benchmarks.md

A step looks up rows and updates them, in one program; table and slots are donated. It is given raw ids, or
buffers of preprocessing without an index, or calls the primitives of jax-tpu-embedding on these. On each number
of devices it runs in the memory that they share, and by XLA's collectives, as devices of several processes
do. Buffers have more row pointers and padding on more devices: how much is in a table of its own. An empty
step has two programs for all devices that do nothing: what it takes is not the step's. All take turns in one
process; figures are medians. The aim is, on any number of devices, 1.3 times the time of one device and that
of the empty step.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Sequence
from unittest import mock

from many_devices_steps import (
    BUFFERS,
    IDS,
    LIBRARY,
    Cell,
    added_by_format,
    draw,
    make_empty_step,
    make_state,
    make_step,
    preprocessed,
)
from report import Cells, Figures, Table, arguments, figure, publish, seconds
from rich.console import Console

DEVICES, AIM = (1, 2, 4, 8, 16), 1.3
os.environ["XLA_FLAGS"] = (
    f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={DEVICES[-1]}"
)

SOURCES = (IDS, BUFFERS, LIBRARY)
QUICK = [
    Cell(*each, source)
    for each in ((1, 64, "uniform", "SGD"), (16, 16, "zipf", "Adagrad"))
    for source in SOURCES
]
CELLS = [
    Cell(valency, width, ids, optimizer, source)
    for source in SOURCES
    for valency in (1, 16)
    for width in (16, 64, 128)
    for ids in ("uniform", "zipf")
    for optimizer in ("SGD", "Adagrad")
]


def main() -> None:
    """Run the benchmark."""
    args = arguments(__doc__, quick="two kinds of batches, fewer runs").parse_args()
    cells, runs = (QUICK, 7) if args.quick else (CELLS, 21)
    rows: list[Cells] = []
    missed: set[int] = set()
    with Console(stderr=True).status("measuring") as status:
        for cell in cells:
            status.update(str(cell))
            measured = medians(cell, runs)
            empty = [figure(1e3 * measured["empty", devices], ".2f") for devices in DEVICES]
            if is_missed(measured):
                missed.add(len(rows))
            rows.append([str(cell), *(shown(measured, devices) for devices in DEVICES), empty[-1]])
    heads = ["step, width x valency", "1 device", *(f"{each} devices" for each in DEVICES[1:])]
    heads.append("empty step on 16")
    notes = [
        f"ms: by collectives → in memory (aim: {AIM} times one device, and the empty step).",
    ]
    tables = [Table("Devices of a process", heads, rows, missed, notes), format_table(cells)]
    publish("many_devices.py", tables, args)


def format_table(cells: Sequence[Cell]) -> Table:
    """Return what the format of buffers adds on each number of devices."""
    drawn = {(cell.valency, cell.ids): cell for cell in cells if cell.source == BUFFERS}
    rows: list[Cells] = []
    for (valency, ids), cell in drawn.items():
        figures: list[str | Figures] = [f"{ids}, valency {valency}"]
        for devices in DEVICES:
            pointers, padded = added_by_format(preprocessed(cell, draw(cell), devices))
            figures.append(Figures(f"{pointers:,} / {padded:,}", (pointers, padded)))
        rows.append(figures)
    heads = ["ids", "1 device", *(f"{each} devices" for each in DEVICES[1:])]
    return Table(
        "What buffers add on several devices",
        heads,
        rows,
        set(),
        ["row pointers / entries of padding"],
    )


Measured = dict[tuple[str, int], float]
"""The time of each kind of step on each number of devices, in seconds."""


def allowed(measured: Measured, devices: int) -> float:
    """Return the time that the aim allows a step, in seconds."""
    return AIM * measured["memory", 1] + measured["empty", devices]


def is_missed(measured: Measured) -> bool:
    """Return whether a step takes more than the aim allows."""
    several = DEVICES[1:]
    return any(measured["memory", each] > allowed(measured, each) for each in several)


def shown(measured: Measured, devices: int) -> Figures:
    """Return the cell of the table for a number of devices."""
    now = 1e3 * measured["memory", devices]
    if devices == 1:
        return figure(now, ".2f")
    before = 1e3 * measured["collectives", devices]
    aim = 1e3 * allowed(measured, devices)
    return Figures(f"{before:.1f} → {now:.2f} ({aim:.2f})", (now, before))


def medians(cell: Cell, runs: int) -> Measured:
    """Return the median time of each kind of step on each number of devices, in seconds."""
    steps: dict[tuple[str, int], Callable[[], object]] = {}
    for devices in DEVICES:
        state = make_state(cell, devices)
        steps["memory", devices] = make_step(cell, devices, state)
        if devices > 1:
            with mock.patch("sdykit.bridge.embedding.axes.Axes.are_in_one_process") as are_near:
                are_near.return_value = False
                steps["collectives", devices] = make_step(cell, devices, state)
        steps["empty", devices] = make_empty_step(devices)
    times: dict[tuple[str, int], list[float]] = {key: [] for key in steps}
    for _ in range(runs):
        for key, step in steps.items():
            times[key].append(seconds(step))
    return {key: statistics.median(each) for key, each in times.items()}


if __name__ == "__main__":
    main()
