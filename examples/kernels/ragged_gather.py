"""Gather rows for the first ids of a padded list, with two buffers: one fills while the other empties.

How many ids there are is known when the program runs, not when it is compiled. Each subcore takes every
32nd (64th on v5p) window of them; while the rows of one window go to HBM from one buffer, those of the
next one come into the other. A buffer is filled again when what was in it has been written: each has two
semaphores of its own, so that no wait takes the bytes of the other's transfers.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

WINDOW = 128  # ids of one indirect transfer: no chip takes more


def ragged_gather(table: jax.Array, ids: jax.Array, length: jax.Array) -> jax.Array:
    """Return an array whose first `length` rows are `table[ids[:length]]`; the others are undefined.

    Args:
        table: float32, `[rows, width]`, width a multiple of 128.
        ids: int32, `[n]`, `n` a multiple of 128; those from `length` on may be anything.
        length: int32, a scalar, at most `n`.
    """
    (n,), width = ids.shape, table.shape[1]
    lanes = plsc.get_sparse_core_info().num_lanes
    mesh = plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore")

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((n, width), jnp.float32),
        mesh=mesh,
        scratch_types=[
            pltpu.VMEM((lanes,), jnp.int32),
            pltpu.VMEM((2, WINDOW), jnp.int32),
            pltpu.VMEM((2, WINDOW, width), jnp.float32),
            pltpu.SemaphoreType.DMA((2,)),
            pltpu.SemaphoreType.DMA((2,)),
        ],
        compiler_params=pltpu.CompilerParams(needs_layout_passes=False),
        name="ragged_gather",
    )
    def kernel(
        table_hbm, ids_hbm, length_hbm, out_hbm, length_vmem, ids_vmem, rows_vmem, read, written
    ):
        pltpu.sync_copy(length_hbm, length_vmem)
        length = length_vmem[...][0]
        worker = jax.lax.axis_index(("core", "subcore"))
        windows = pl.cdiv(jnp.maximum(pl.cdiv(length, WINDOW) - worker, 0), mesh.size)

        def place(i):
            """Return the buffer of this subcore's `i`-th window, and where it is in HBM."""
            return i % 2, pl.ds((worker + i * mesh.size) * WINDOW, WINDOW)

        def gather(i):
            buffer, _ = place(i)
            rows = table_hbm.at[plsc.Indices(ids_vmem.at[buffer], ignored_value=-1)]
            return pltpu.make_async_copy(rows, rows_vmem.at[buffer], read.at[buffer])

        def write(i):
            buffer, here = place(i)
            return pltpu.make_async_copy(rows_vmem.at[buffer], out_hbm.at[here], written.at[buffer])

        def fetch(i):
            buffer, here = place(i)
            pltpu.sync_copy(ids_hbm.at[here], ids_vmem.at[buffer])

            @plsc.parallel_loop(0, WINDOW, step=lanes)
            def _(start):
                part = (buffer, pl.ds(start, lanes))
                position = here.start + start + jax.lax.iota(jnp.int32, lanes)
                ids_vmem[part] = jnp.where(position < length, ids_vmem[part], -1)

            gather(i).start()

        pl.when(windows > 0)(lambda: fetch(0))

        @pl.loop(0, windows)
        def _(i):
            @pl.when(i + 1 < windows)
            def _():
                pl.when(i > 0)(lambda: write(i - 1).wait())
                fetch(i + 1)

            gather(i).wait()
            write(i).start()

        pl.when(windows > 1)(lambda: write(windows - 2).wait())
        pl.when(windows > 0)(lambda: write(windows - 1).wait())

    return kernel(table, ids, jnp.full(lanes, length, jnp.int32))  # pyright: ignore[reportCallIssue]


def example_arguments() -> tuple[np.ndarray, ...]:
    """Return a table of 1,000 rows of 128 floats, 16,384 ids, and that 9,000 of them count."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(1000, 128)).astype(np.float32)
    ids = rng.integers(0, 1000, 16384).astype(np.int32)
    ids[9000:] = np.iinfo(np.int32).max
    return table, ids, np.array(9000, np.int32)


def expected(table: np.ndarray, ids: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Return the first rows that `ragged_gather` computes, by numpy."""
    return table[ids[:length]]


def main() -> None:
    """Run the kernel and compare its result with numpy's, as far as it is defined."""
    arguments = example_arguments()
    ours = jax.jit(ragged_gather)(*arguments)[: arguments[2]]
    np.testing.assert_array_equal(ours, expected(*arguments))
    print("ragged_gather: as numpy")


if __name__ == "__main__":
    main()
