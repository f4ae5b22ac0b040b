"""Run random kernels in all engines and orders, chains of them, and random accesses of loops in both checks.

    python python/tests/support/mosaic/soak.py --first 1000 --count 500

Of a kernel that differs, or fails, the seed is printed: `random_kernel(seed, meets=...)` has its text, and
`random_calls(seed)` those of a chain.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from support.mosaic.loop_events import conflicts_in_loop
from support.mosaic.random_kernels.engines import assert_calls_agree, assert_engines_agree

_LOOPS_PER_KERNEL = 50
"""How many loops with random accesses are compared for each kernel: they take less time."""


def main() -> int:
    """Run the command, and return its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=200, help="how many kernels of each kind")
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.count)
    loops = range(options.first, options.first + _LOOPS_PER_KERNEL * options.count)
    failed = sum(_fails(f"loop of seed {seed}", partial(conflicts_in_loop, seed)) for seed in loops)
    for seed in seeds:
        for meets in (False, True):
            run = partial(assert_engines_agree, seed, meets=meets, modes=["fast"])
            failed += _fails(f"seed {seed}, meets={meets}", run)
        run = partial(assert_calls_agree, seed, modes=["fast", "check"])
        failed += _fails(f"chain of seed {seed}", run)
    print(
        f"{2 * len(seeds)} kernels, {len(seeds)} chains of kernels, {len(loops)} loops, {failed} failed"
    )
    return 1 if failed else 0


def _fails(what: str, run: Callable[[], object]) -> bool:
    """Return whether a run fails, after printing why."""
    try:
        run()
    except Exception as error:
        print(f"{what}: {type(error).__name__}: {error}", flush=True)
        return True
    return False


if __name__ == "__main__":
    sys.exit(main())
