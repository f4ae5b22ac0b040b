"""An embedding bag: for each sample, the mean of the rows that its ids name.

A subcore takes the 128 ids of 8 samples at a time, fetches their rows by one indirect transfer, and
averages them. Samples with fewer than 16 ids are padded with -1: `plsc.Indices` leaves those rows out of
the transfer, so that they cost no bandwidth, and the sum leaves them out as well, because what the
buffer holds there is not defined.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

BAG = 16  # ids of a sample
SAMPLES = 8  # samples that a subcore has in VMEM at once: 128 ids


def embedding_bag(table: jax.Array, ids: jax.Array) -> jax.Array:
    """Return the mean of the rows of each sample, `[samples, width]`; zeros for a sample without ids.

    Args:
        table: float32, `[rows, width]`, width a multiple of 128.
        ids: int32, `[samples, 16]`, padded with -1; the number of samples is a multiple of 8.
    """
    samples, width = ids.shape[0], table.shape[1]
    lanes = plsc.get_sparse_core_info().num_lanes
    mesh = plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore")

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((samples, width), jnp.float32),
        mesh=mesh,
        scratch_types=[
            pltpu.VMEM((SAMPLES * BAG,), jnp.int32),
            pltpu.VMEM((SAMPLES * BAG, width), jnp.float32),
            pltpu.VMEM((SAMPLES, width), jnp.float32),
        ],
        compiler_params=pltpu.CompilerParams(needs_layout_passes=False),
        name="embedding_bag",
    )
    def kernel(table_hbm, ids_hbm, out_hbm, ids_vmem, rows_vmem, means_vmem):
        def average(sample):
            first = sample * BAG
            parts = [ids_vmem[pl.ds(first + start, lanes)] for start in range(0, BAG, lanes)]
            count = sum(plsc.all_reduce_population_count(part >= 0) for part in parts)
            scale = 1 / jnp.maximum(count, 1).astype(jnp.float32)
            is_id = [part[lane] >= 0 for part in parts for lane in range(lanes)]

            @plsc.parallel_loop(0, width, step=lanes)
            def _(column):
                total = jnp.zeros(lanes, jnp.float32)
                for i in range(BAG):
                    row = rows_vmem[first + i, pl.ds(column, lanes)]
                    total += jnp.where(is_id[i], row, 0)
                means_vmem[sample, pl.ds(column, lanes)] = total * scale

        @pl.loop(jax.lax.axis_index(("core", "subcore")), samples // SAMPLES, step=mesh.size)
        def _(block):
            pltpu.sync_copy(ids_hbm.at[pl.ds(block * SAMPLES * BAG, SAMPLES * BAG)], ids_vmem)
            pltpu.sync_copy(table_hbm.at[plsc.Indices(ids_vmem, ignored_value=-1)], rows_vmem)
            pl.loop(0, SAMPLES)(average)
            pltpu.sync_copy(means_vmem, out_hbm.at[pl.ds(block * SAMPLES, SAMPLES)])

    return kernel(table, ids.reshape(-1))  # pyright: ignore[reportCallIssue]


def example_arguments() -> tuple[np.ndarray, ...]:
    """Return a table of 1,000 rows of 128 floats, and 0 to 16 ids for each of 128 samples."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(1000, 128)).astype(np.float32)
    ids = rng.integers(0, 1000, (128, BAG)).astype(np.int32)
    is_padding = np.arange(BAG) >= rng.integers(0, BAG + 1, (128, 1))
    return table, np.where(is_padding, np.int32(-1), ids)


def expected(table: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Return what `embedding_bag` computes, by numpy."""
    is_id = ids >= 0
    total = np.where(is_id[:, :, None], table[np.maximum(ids, 0)], 0).sum(axis=1)
    return total / np.maximum(is_id.sum(axis=1, keepdims=True), 1).astype(np.float32)


def main() -> None:
    """Run the kernel and compare its result with numpy's."""
    arguments = example_arguments()
    ours = jax.jit(embedding_bag)(*arguments)
    np.testing.assert_allclose(ours, expected(*arguments), rtol=1e-5, atol=1e-6)
    print("embedding_bag: as numpy")


if __name__ == "__main__":
    main()
