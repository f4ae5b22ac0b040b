"""Run each kernel whose subcores wait for each other in many orders of subcores: the same results.

    python python/tests/support/pallas/orders.py --count 1000

Each kernel runs once in the reference machine, which has its operands and results; then compiled, in the
modes `fast` and `check`, in the order of each seed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[4]))

import jax
import numpy as np
import numpy.typing as npt

import sdykit.sparsecore as sc
from examples.kernels import scalar_and_vector, scatter_add
from sdykit.bridge.pallas import compile as kernels
from sdykit.sparsecore.codegen import run as run_program
from sdykit.sparsecore.codegen import take_report
from sdykit.sparsecore.mosaic.lowering.compile import compile_kernel
from sdykit.sparsecore.mosaic.spec import Mode, MosaicSpec
from support.mosaic.random_kernels.engines import settings_of
from support.pallas import faults
from support.pallas.waiting import CASES

Arrays = list[npt.NDArray[Any]]


@dataclass
class Run:
    """A run in the reference machine: its arrays before and after it."""

    spec: MosaicSpec
    before: Arrays
    after: Arrays


def main() -> int:
    """Run the command, and return its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=1000, help="how many orders of each kernel")
    options = parser.parse_args()
    failed = 0
    for name, call in _calls().items():
        for made in _runs(call):
            for mode in ("fast", "check"):
                seeds = range(options.first, options.first + options.count)
                wrong = [seed for seed in seeds if not _is_right(made, mode, seed)]
                failed += len(wrong)
                print(
                    f"{name}, {mode}: {len(seeds)} orders, {len(wrong)} wrong {wrong[:5]}",
                    flush=True,
                )
    return 1 if failed else 0


def _calls() -> dict[str, Callable[[], Any]]:
    """Return what calls each kernel."""
    cases = {name: make() for name, make in CASES.items()}
    found: dict[str, Callable[[], Any]] = {
        name: lambda case=case: jax.jit(case.kernel)(*case.arguments)
        for name, case in cases.items()
    }
    for name in ("barrier", "word", "race", "race_in_hbm"):
        found[name] = jax.jit(getattr(faults, name)(False))
    found["scatter_add"] = lambda: jax.jit(scatter_add.scatter_add)(
        *scatter_add.example_arguments()
    )
    found["squares"] = lambda: jax.jit(scalar_and_vector.squares)(
        *scalar_and_vector.example_arguments()
    )
    return found


def _runs(call: Callable[[], Any]) -> list[Run]:
    sc.configure("7x", pallas="reference")
    with _recorded() as runs:
        jax.block_until_ready(call())
    sc.configure()
    return runs


@contextmanager
def _recorded() -> Iterator[list[Run]]:
    """Yield the runs of kernels in the reference machine that there are within the context."""
    runs: list[Run] = []
    before = kernels.compile_mosaic

    def compile_mosaic(spec: MosaicSpec, cache: Any) -> Any:
        run = before(spec, cache)
        assert callable(run)

        def recorded(arrays: Arrays) -> Any:
            given = [array.copy() for array in arrays]
            counted = run(arrays)
            runs.append(Run(spec, given, [array.copy() for array in arrays]))
            return counted

        return recorded

    kernels.compile_mosaic = compile_mosaic
    yield runs
    kernels.compile_mosaic = before


_programs: dict[tuple[str, Mode], Any] = {}


def _is_right(made: Run, mode: Mode, seed: int) -> bool:
    """Return whether a compiled kernel computes in an order what the reference did."""
    key = (made.spec.module, mode)
    if key not in _programs:
        _programs[key] = compile_kernel(replace(made.spec, mode=mode), cache=None)
    program, status = _programs[key], np.zeros(8, np.int64)
    arrays = [array.copy() for array in made.before]
    # In `fast` there is none for a kernel whose subcores do not wait.
    order = [] if program.interface.settings is None else [settings_of(seed, mode)]
    run_program(program, [*(array.reshape(-1) for array in arrays), *order, status])
    if take_report(program.interface, status):
        return False
    # Floats that several subcores add to are the same but for the order of additions.
    return all(
        np.allclose(found, expected, rtol=1e-5)
        if found.dtype.kind == "f"
        else np.array_equal(found, expected)
        for found, expected in zip(arrays, made.after, strict=True)
    )


if __name__ == "__main__":
    sys.exit(main())
