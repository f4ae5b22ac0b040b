"""Time the cost model: a step of 200 tables on 64 chips, lookups and updates.

    python benchmarks/cost_model.py             # print the table
    python benchmarks/cost_model.py --quick     # fewer tables and runs

Figures of batches are drawn at random. The first call also finds how work follows from figures, once for
each kind of program: later calls have it.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
from rich.console import Console

from sdykit.sparsecore.cost import (
    Figures,
    Pairs,
    lookup_figures,
    of_figures,
    update_figures,
)
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec, UpdateSpec

DEVICES, TILES, WIDTHS = 64, 16, (8, 16, 32, 64, 128)


def programs_of(tables: int) -> tuple[list[TileSpec], list[Figures]]:
    """Return the specs of lookups and updates, and the figures of a batch of each."""
    rng = np.random.default_rng(0)
    specs: list[TileSpec] = []
    figures: list[Figures] = []
    for number in range(tables):
        dim, label = WIDTHS[number % len(WIDTHS)], f"table {number}"
        lookup = LookupSpec(dim=dim, samples_per_core=256, num_devices=DEVICES, label=label)
        update = UpdateSpec(dim=dim, samples_per_core=256, num_devices=DEVICES, label=label)
        pairs = rng.integers(0, 80, (lookup.all_cores, lookup.all_cores))
        source, partition = np.nonzero(pairs)
        ids = pairs[source, partition]
        of_pairs = Pairs(source, partition, ids, ids // 2 + 1, np.minimum(ids, ids // 10 + 1))
        total = pairs.sum(axis=0)[None]
        row_ids = total[..., None] // TILES + rng.integers(-9, 9, (1, lookup.all_cores, TILES))
        by_tile = {"rows": row_ids // 3, "row_ids": row_ids, "device_rows": row_ids // 2}
        specs += [lookup, update]
        figures += [lookup_figures(lookup, of_pairs), update_figures(update, total, by_tile)]
    return specs, figures


def milliseconds(specs: list[TileSpec], figures: list[Figures]) -> tuple[float, float]:
    """Return the wall time and the CPU time of the costs of a step, in milliseconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    assert of_figures(specs, figures).total.seconds > 0
    return 1e3 * (time.perf_counter() - wall), 1e3 * (time.process_time() - cpu)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer tables and runs")
    args = parser.parse_args()
    tables, runs = (20, 5) if args.quick else (200, 30)
    specs, figures = programs_of(tables)
    console = Console()
    console.print(
        f"{tables} tables on {DEVICES} v5p, first call: {milliseconds(specs, figures)[0]:.0f} ms"
    )
    wall, cpu = zip(*(milliseconds(specs, figures) for _ in range(runs)), strict=True)
    for name, found in (("wall", wall), ("CPU", cpu)):
        console.print(
            f"{name}: {min(found):.1f} ms at least, median {statistics.median(found):.1f} ms"
        )


if __name__ == "__main__":
    main()
