"""Add gradients to the rows that ids name: in shared memory, between two barriers.

Ids repeat, so rows must be added where all subcores can reach them and nothing is lost: in the memory
that the 16 vector subcores of a SparseCore share, to which a transfer with `add=True` adds atomically.
Three steps, and a barrier between them:

1. each subcore clears its share of the sums,
2. each subcore adds the gradients of its samples,
3. each subcore writes its share of the sums to HBM.

SparseCores share no such memory: each has sums of its own, and XLA adds those up.
"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

WINDOW = 128  # ids of one indirect transfer: no chip takes more


def scatter_add(ids: jax.Array, gradients: jax.Array, rows: int = 1024) -> jax.Array:
    """Return the sums of the gradients of each row, `[rows, width]`.

    Args:
        ids: int32, `[n]`, in `[0, rows)`; `n` is a multiple of 128.
        gradients: float32, `[n, width]`, width a multiple of 128.
        rows: rows of the result, a multiple of 128, that fit into shared memory.
    """
    n, width = gradients.shape
    lanes = plsc.get_sparse_core_info().num_lanes
    mesh = plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore")
    share = rows // mesh.num_subcores

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((mesh.num_cores * rows, width), jnp.float32),
        mesh=mesh,
        scratch_types=[
            pltpu.VMEM_SHARED((rows, width), jnp.float32),
            pltpu.VMEM((WINDOW,), jnp.int32),
            pltpu.VMEM((WINDOW, width), jnp.float32),
            pltpu.VMEM((share, width), jnp.float32),
        ],
        compiler_params=pltpu.CompilerParams(needs_layout_passes=False),
        name="scatter_add",
    )
    def kernel(ids_hbm, gradients_hbm, out_hbm, sums, ids_vmem, gradients_vmem, zeros):
        core, subcore = jax.lax.axis_index("core"), jax.lax.axis_index("subcore")
        my_share = pl.ds(subcore * share, share)

        @pl.loop(0, share)
        def _(row):
            @plsc.parallel_loop(0, width, step=lanes)
            def _(column):
                zeros[row, pl.ds(column, lanes)] = jnp.zeros(lanes, jnp.float32)

        pltpu.sync_copy(zeros, sums.at[my_share])
        plsc.subcore_barrier()

        @pl.loop(jax.lax.axis_index(("core", "subcore")), n // WINDOW, step=mesh.size)
        def _(window):
            here = pl.ds(window * WINDOW, WINDOW)
            pltpu.sync_copy(ids_hbm.at[here], ids_vmem)
            pltpu.sync_copy(gradients_hbm.at[here], gradients_vmem)
            pltpu.sync_copy(gradients_vmem, sums.at[ids_vmem], add=True)

        plsc.subcore_barrier()
        pltpu.sync_copy(sums.at[my_share], out_hbm.at[pl.ds(core * rows + subcore * share, share)])

    sums = kernel(ids, gradients)  # pyright: ignore[reportCallIssue]
    # Added one by one: XLA's reduction over so few takes longer than the kernel.
    return functools.reduce(jnp.add, sums.reshape(mesh.num_cores, rows, width))


def example_arguments() -> tuple[np.ndarray, ...]:
    """Return 2,048 ids below 1,024, small ones more often, and whole numbers as gradients.

    Sums of whole numbers are exact in every order, so results can be compared for equality.
    """
    rng = np.random.default_rng(0)
    ids = np.minimum(rng.geometric(0.01, 2048) - 1, 1023).astype(np.int32)
    return ids, rng.integers(-8, 9, (2048, 128)).astype(np.float32)


def expected(ids: np.ndarray, gradients: np.ndarray) -> np.ndarray:
    """Return what `scatter_add` computes, by numpy."""
    sums = np.zeros((1024, gradients.shape[1]), np.float32)
    np.add.at(sums, ids, gradients)
    return sums


def main() -> None:
    """Run the kernel and compare its result with numpy's."""
    arguments = example_arguments()
    np.testing.assert_array_equal(jax.jit(scatter_add)(*arguments), expected(*arguments))
    print("scatter_add: as numpy")


if __name__ == "__main__":
    main()
