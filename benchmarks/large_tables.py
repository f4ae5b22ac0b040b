"""Look up and update tables of 3 GiB and of more than 2^31 elements, and check the results.

    python benchmarks/large_tables.py
    python benchmarks/large_tables.py --write docs/native-bridge.md

Tables are address space: only pages that something touches take memory. A row of the output is a
table; it has the time of one call on ids from all over the table (the best of some), and what the
process had in memory at most. Every value is compared with one computed on the host; the update is
in place: no other row may change, nor the address of the table.
"""

from __future__ import annotations

import mmap
import resource
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import numpy as np
from report import Cells, Table, arguments, figure, publish, seconds

from sdykit.bridge import ffi
from sdykit.bridge.embedding import grad_update, lookup
from sdykit.sparsecore.optimizers import SGD

BATCH, VALENCY, RUNS = 4096, 4, 5
RATE = 0.5
GIB = 1 << 30
UNTOUCHED = """
func.func @untouched(%table: memref<?x?xf32>) attributes {sparsecore.entry} {
  return
}
"""


def ids_of(rows: int) -> np.ndarray:
    """Draw different ids, the first and the last row among them."""
    rng = np.random.default_rng(0)
    found = np.unique(rng.integers(0, rows, 2 * BATCH * VALENCY))[1:-1]
    ids = rng.permutation(found)[: BATCH * VALENCY].astype(np.int32).reshape(BATCH, VALENCY)
    ids[0, 0], ids[-1, -1] = 0, rows - 1
    return ids


def pages(rows: int, width: int, dtype: str) -> np.ndarray:
    """Return zeros, `[rows, width]`, in page-aligned memory, which JAX uses without a copy."""
    size = rows * width * np.dtype(dtype).itemsize
    return np.frombuffer(mmap.mmap(-1, size), dtype).reshape(rows, width)


def look_up(rows: int, width: int, dtype: str) -> float:
    """Compare a lookup with numpy's, and return the seconds that it takes."""
    ids, rng = ids_of(rows), np.random.default_rng(1)
    host = pages(rows, width, dtype)
    host[ids] = rng.integers(-100, 100, (BATCH, VALENCY, width))
    table = jax.device_put(host, may_alias=True)
    run = jax.jit(lookup)
    expected = np.zeros((BATCH, width), np.float32)
    for column in range(VALENCY):
        expected += host[ids[:, column]].astype(np.float32)
    np.testing.assert_array_equal(run(table, ids), expected)
    return min(seconds(lambda: run(table, ids).block_until_ready()) for _ in range(RUNS))


def update(rows: int, width: int, dtype: str) -> float:
    """Compare steps of SGD in place with numpy's, and return the seconds of one."""
    ids, rng = ids_of(rows), np.random.default_rng(2)
    gradients = rng.uniform(-1, 1, (BATCH, width)).astype(np.float32)
    table = ffi.call(UNTOUCHED, [], [jax.ShapeDtypeStruct((rows, width), dtype)])[0]
    place = table.unsafe_buffer_pointer()
    step: Any = jax.jit(partial(grad_update, optimizer=SGD(RATE)), donate_argnums=0)
    read = jax.jit(lookup)
    beside = np.clip(ids + 1, 0, rows - 1)
    beside = beside[~np.isin(beside, ids)][:, None]
    expected, before = np.asarray(read(table, ids.reshape(-1, 1))), read(table, beside)
    times: list[float] = []
    for _ in range(RUNS):
        made: list[Any] = [table]
        del table

        def run(made: list[Any] = made) -> None:
            made.append(jax.block_until_ready(step(made.pop(), {}, ids, None, gradients)))

        times.append(seconds(run))
        table, _ = made.pop()
        expected = expected - np.float32(RATE) * np.repeat(gradients, VALENCY, axis=0)
    assert table.unsafe_buffer_pointer() == place
    np.testing.assert_array_equal(read(table, ids.reshape(-1, 1)), expected)
    np.testing.assert_array_equal(read(table, beside), before)
    return min(times)


@dataclass(frozen=True)
class Case:
    """A table, and what is done with it; a call returns the seconds that it takes."""

    name: str
    rows: int
    width: int
    dtype: str
    run: Callable[[int, int, str], float]

    @property
    def elements(self) -> int:
        """Elements of the table."""
        return self.rows * self.width


CASES = (
    Case("lookup", 3 * GIB // 512, 128, "float32", look_up),
    Case("lookup", (1 << 31) // 64 + 1000, 64, "int8", look_up),
    Case("SGD, in place", (1 << 31) // 128 + 1000, 128, "float32", update),
)


def main() -> None:
    """Run the benchmark."""
    args = arguments(__doc__, quick="the first table only").parse_args()
    heads = ["", "elements", "GB", "one call, ms", "in memory at most, GB"]
    rows: list[Cells] = []
    for case in CASES[:1] if args.quick else CASES:
        found = case.run(case.rows, case.width, case.dtype)
        size = case.elements * np.dtype(case.dtype).itemsize
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        figures = [figure(found * 1e3, ".1f"), figure(peak / 1e9, ".1f")]
        name = f"{case.name}, {case.dtype}"
        rows.append([name, f"{case.elements:,}", f"{size / 1e9:.1f}", *figures])
    publish("large_tables.py", [Table("Large tables", heads, rows)], args)


if __name__ == "__main__":
    main()
