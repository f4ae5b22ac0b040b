"""Scalar and vector subcores together: one brings the work, sixteen do it.

The scalar subcore of each SparseCore copies block after block from HBM to shared memory, two blocks
ahead at most, and tells its 16 vector subcores that a block is there. Each of these takes its part of the
block, squares it, writes it to HBM, and tells the scalar subcore that its part has been read: when
all 16 have, the next block may take that place. Counts of semaphores are all that they say to each other,
so each of the two places has one of its own: on a common one, 16 could be 8 fast subcores, twice.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

PART = 8  # rows of a block for each vector subcore
WIDTH = 128


def squares(x: jax.Array) -> jax.Array:
    """Return `x * x`.

    Args:
        x: float32, `[rows, 128]`; the number of rows is a multiple of 128 for each SparseCore.
    """
    lanes = plsc.get_sparse_core_info().num_lanes
    vectors = plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore")
    scalars = plsc.ScalarSubcoreMesh(axis_name="core")
    block_rows = PART * vectors.num_subcores
    blocks = x.shape[0] // (block_rows * vectors.num_cores)

    def bring(x_hbm, out_hbm, shared, part, ready, free):
        core = jax.lax.axis_index("core")

        @pl.loop(0, blocks)
        def _(i):
            pl.when(i > 1)(lambda: pl.semaphore_wait(free.at[i % 2], vectors.num_subcores))
            here = pl.ds((core * blocks + i) * block_rows, block_rows)
            pltpu.sync_copy(x_hbm.at[here], shared.at[i % 2])

            @pl.loop(0, vectors.num_subcores)
            def _(subcore):
                pl.semaphore_signal(ready, 1, device_id={"core": core, "subcore": subcore})

        @pl.loop(0, min(blocks, 2))
        def _(place):
            pl.semaphore_wait(free.at[place], vectors.num_subcores)

    def work(x_hbm, out_hbm, shared, part, ready, free):
        core, subcore = jax.lax.axis_index("core"), jax.lax.axis_index("subcore")

        @pl.loop(0, blocks)
        def _(i):
            pl.semaphore_wait(ready, 1)
            pltpu.sync_copy(shared.at[i % 2, pl.ds(subcore * PART, PART)], part)
            pl.semaphore_signal(free.at[i % 2], 1, device_id={"core": core})

            @pl.loop(0, PART)
            def _(row):
                @plsc.parallel_loop(0, WIDTH, step=lanes)
                def _(column):
                    here = (row, pl.ds(column, lanes))
                    part[here] = part[here] * part[here]

            there = (core * blocks + i) * block_rows + subcore * PART
            pltpu.sync_copy(part, out_hbm.at[pl.ds(there, PART)])

    kernel = pl.kernel(
        [bring, work],
        out_type=jax.ShapeDtypeStruct(x.shape, x.dtype),
        mesh=[scalars, vectors],
        scratch_types=[
            pltpu.VMEM_SHARED((2, block_rows, WIDTH), jnp.float32),
            (pltpu.VMEM @ vectors)((PART, WIDTH), jnp.float32),
            pltpu.SemaphoreType.REGULAR @ vectors,
            pltpu.SemaphoreType.REGULAR((2,)) @ scalars,
        ],
        compiler_params=pltpu.CompilerParams(needs_layout_passes=False),
    )
    return kernel(x)  # pyright: ignore[reportReturnType]


def example_arguments() -> tuple[np.ndarray, ...]:
    """Return a float32 matrix of 2,048 rows and 128 columns."""
    return (np.random.default_rng(0).normal(size=(2048, WIDTH)).astype(np.float32),)


def expected(x: np.ndarray) -> np.ndarray:
    """Return what `squares` computes, by numpy."""
    return x * x


def main() -> None:
    """Run the kernel and compare its result with numpy's."""
    arguments = example_arguments()
    np.testing.assert_array_equal(jax.jit(squares)(*arguments), expected(*arguments))
    print("scalar_and_vector: as numpy")


if __name__ == "__main__":
    main()
