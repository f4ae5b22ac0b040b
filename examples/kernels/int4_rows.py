"""Gather rows of int4 with a scale for each row: eighths of words, by `ref.bitcast`.

In HBM eight rows of int4 lie in one row of 32-bit words, the first in the lowest bits, so
`table.bitcast(jnp.int32)` has an eighth of the rows, of the same width. Two shifts take one number out of
a word with its sign: to the top, and back. The scales are few enough for VMEM: each subcore keeps all.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

WINDOW = 128  # ids of one indirect transfer: no chip takes more


def int4_rows(table: jax.Array, scales: jax.Array, ids: jax.Array) -> jax.Array:
    """Return `table[ids] * scales[ids]` as float32.

    Args:
        table: int4, `[rows, width]`, rows a multiple of 128, and so is the width.
        scales: float32, `[rows]`.
        ids: int32, `[n]`, in `[0, rows)`; `n` is a multiple of 128.
    """
    (n,), (rows, width) = ids.shape, table.shape
    lanes = plsc.get_sparse_core_info().num_lanes
    mesh = plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore")

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((n, width), jnp.float32),
        mesh=mesh,
        scratch_types=[
            pltpu.VMEM((rows,), jnp.float32),
            pltpu.VMEM((WINDOW,), jnp.int32),
            pltpu.VMEM((WINDOW,), jnp.int32),
            pltpu.VMEM((WINDOW, width), jnp.int32),
            pltpu.VMEM((WINDOW, width), jnp.float32),
        ],
        compiler_params=pltpu.CompilerParams(needs_layout_passes=False),
        name="int4_rows",
    )
    def kernel(
        table_hbm, scales_hbm, ids_hbm, out_hbm, scales_vmem, ids_vmem, eights_vmem, words, result
    ):
        def widen(start):
            ids_here = ids_vmem[pl.ds(start, lanes)]
            scales_here = plsc.load_gather(scales_vmem, [ids_here])
            shifts = 28 - ids_here % 8 * 4
            for i in range(lanes):

                @plsc.parallel_loop(0, width, step=lanes)
                def _(column, i=i):
                    here = (start + i, pl.ds(column, lanes))
                    number = (words[here] << jnp.full(lanes, shifts[i])) >> 28
                    result[here] = number.astype(jnp.float32) * scales_here[i]

        pltpu.sync_copy(scales_hbm, scales_vmem)

        @pl.loop(jax.lax.axis_index(("core", "subcore")), n // WINDOW, step=mesh.size)
        def _(window):
            here = pl.ds(window * WINDOW, WINDOW)
            pltpu.sync_copy(ids_hbm.at[here], ids_vmem)

            @plsc.parallel_loop(0, WINDOW, step=lanes)
            def _(start):
                eights_vmem[pl.ds(start, lanes)] = ids_vmem[pl.ds(start, lanes)] >> 3

            pltpu.sync_copy(table_hbm.bitcast(jnp.int32).at[eights_vmem], words)
            pl.loop(0, WINDOW, step=lanes)(widen)
            pltpu.sync_copy(result, out_hbm.at[here])

    return kernel(table, scales, ids)  # pyright: ignore[reportCallIssue]


def example_arguments() -> tuple[np.ndarray, ...]:
    """Return a table of 1,024 rows of 128 int4 numbers, their scales, and 512 ids."""
    rng = np.random.default_rng(0)
    table = rng.integers(-8, 8, (1024, 128)).astype(ml_dtypes.int4)
    scales = rng.uniform(0.01, 0.1, 1024).astype(np.float32)
    return table, scales, rng.integers(0, 1024, 512).astype(np.int32)


def expected(table: np.ndarray, scales: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Return what `int4_rows` computes, by numpy."""
    return table[ids].astype(np.float32) * scales[ids, None]


def main() -> None:
    """Run the kernel and compare its result with numpy's."""
    arguments = example_arguments()
    np.testing.assert_array_equal(jax.jit(int4_rows)(*arguments), expected(*arguments))
    print("int4_rows: as numpy")


if __name__ == "__main__":
    main()
