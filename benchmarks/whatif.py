"""Time and memory of `sdykit.sparsecore.whatif` for up to 4,096 devices.

    python benchmarks/whatif.py

A batch of 262,144 samples of 16 features, which has 4 million ids of Zipf's law, is counted again for
systems of v5p, each in a process of its own, so that memory is that of one system. The last row is
estimated: a batch of 64 times as many samples.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time

import numpy as np

FEATURES, SAMPLES = 16, 2**18
ROWS = 2**20


def measure(devices: int, factor: int, samples: int) -> None:
    """Evaluate one system, and print a row."""
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
    print(
        f"{devices:>8,}{samples * factor:>13,}{'estimated' if result.is_estimated else 'counted':>11}"
        f"{seconds:>9.1f} s{peak / 2**30:>8.2f} GiB   {result.times.step}"
    )


def main() -> None:
    """Measure all systems."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", metavar=("DEVICES", "FACTOR"), nargs=2, type=int)
    parser.add_argument("--samples", type=int, default=SAMPLES, help=f"(default: {SAMPLES})")
    arguments = parser.parse_args()
    if arguments.one:
        devices, factor = arguments.one
        measure(devices, factor, arguments.samples)
        return
    print(f"{'devices':>8}{'batch':>13}{'':>11}{'time':>11}{'memory':>12}   step")
    for devices, factor in ((1, 1), (64, 1), (1024, 1), (4096, 1), (4096, 64)):
        command = [sys.executable, __file__, "--one", str(devices), str(factor)]
        subprocess.run([*command, "--samples", str(arguments.samples)], check=True)


if __name__ == "__main__":
    main()
