"""Time and memory of `sdykit.sparsecore.whatif` for up to 4,096 devices.

    python benchmarks/whatif.py

A batch of 262,144 samples of 16 features, which has 4 million ids of Zipf's law, is counted again for
systems of v5p, each in a process of its own, so that memory is that of one system. The last row is
estimated: a batch of 64 times as many samples.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import numpy as np
from report import Cells, Table, arguments, figure, publish

FEATURES, SAMPLES = 16, 2**18
ROWS = 2**20
SYSTEMS = ((1, 1), (64, 1), (1024, 1), (4096, 1), (4096, 64))
"""Numbers of devices, and how many times larger the batch is."""


def measure(devices: int, factor: int, samples: int) -> None:
    """Evaluate one system, and print how, the seconds, GiB, and the step."""
    from sdykit.sparsecore.specs import FeatureSpec, TableSpec
    from sdykit.sparsecore.whatif import Choice, compare, model_of

    random = np.random.default_rng(0)
    features = [
        FeatureSpec(f"feature{number}", TableSpec(f"table{number}", ROWS, 64), samples)
        for number in range(FEATURES)
    ]
    batch = {
        each.name: (np.minimum(random.zipf(1.2, (samples, 1)), 2**60) * 7919 % ROWS).astype(
            np.int32
        )
        for each in features
    }
    model = model_of(features, [batch])
    before = time.perf_counter()
    (result,) = compare(model, [Choice(batch=samples * factor, devices=devices)]).results
    seconds = time.perf_counter() - before
    assert result.times is not None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    how = "estimated" if result.is_estimated else "counted"
    print(how, seconds, peak / 2**30, result.times.step, sep="\t")


def main() -> None:
    """Measure all systems."""
    parser = arguments(__doc__, quick="systems of up to 64 devices")
    parser.add_argument("--one", metavar=("DEVICES", "FACTOR"), nargs=2, type=int)
    parser.add_argument("--samples", type=int, default=SAMPLES, help=f"(default: {SAMPLES})")
    args = parser.parse_args()
    if args.one:
        devices, factor = args.one
        measure(devices, factor, args.samples)
        return
    rows: list[Cells] = []
    for devices, factor in SYSTEMS[:2] if args.quick else SYSTEMS:
        command = [sys.executable, __file__, "--one", str(devices), str(factor)]
        command += ["--samples", str(args.samples)]
        how, time, memory, step = subprocess.check_output(command, text=True).strip().split("\t")
        figures = figure(float(time), ".1f", " s"), figure(float(memory), ".2f", " GiB")
        rows.append([f"{devices:,}", f"{args.samples * factor:,}", how, *figures, step])
    heads = ["devices", "batch", "batches are", "time", "memory", "step"]
    publish("whatif.py", [Table("What if there were more devices", heads, rows)], args)


if __name__ == "__main__":
    main()
