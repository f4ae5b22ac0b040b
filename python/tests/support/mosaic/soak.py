"""Run random kernels in all engines and orders, and random accesses of loops in both checks.

    python python/tests/support/mosaic/soak.py --first 1000 --count 500

Of a kernel that differs, or fails, the seed is printed: `random_kernel(seed, meets=...)` has its text.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from support.mosaic.loop_events import conflicts_in_loop
from support.mosaic.random_kernels.engines import assert_engines_agree

_LOOPS_PER_KERNEL = 50
"""How many loops with random accesses are compared for each kernel: they take less time."""


def main() -> int:
    """Run the command, and return its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=200, help="how many kernels of each kind")
    options = parser.parse_args()
    failed = 0
    for seed in range(options.first, options.first + _LOOPS_PER_KERNEL * options.count):
        try:
            conflicts_in_loop(seed)
        except Exception as error:
            failed += 1
            print(f"loop of seed {seed}: {type(error).__name__}: {error}", flush=True)
    for seed in range(options.first, options.first + options.count):
        for meets in (False, True):
            try:
                assert_engines_agree(seed, meets=meets, modes=["fast"])
            except Exception as error:
                failed += 1
                print(f"seed {seed}, meets={meets}: {type(error).__name__}: {error}", flush=True)
    print(
        f"{2 * options.count} kernels, {_LOOPS_PER_KERNEL * options.count} loops, {failed} failed"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
