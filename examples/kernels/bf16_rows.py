"""Gather rows of bfloat16 as float32: pairs of rows, by `ref.bitcast`.

A transfer moves words of 32 bits. In HBM two rows of bfloat16 lie in one row of words, the even one in
the low halves, so `table.bitcast(jnp.int32)` has half as many rows of the same width. Row `i` is a half
of row `i // 2` there: the upper 16 bits of a float32 are a bfloat16, so a shift is all it takes.
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


def bf16_rows(table: jax.Array, ids: jax.Array) -> jax.Array:
    """Return `table[ids]` as float32.

    Args:
        table: bfloat16, `[rows, width]`, an even number of rows, width a multiple of 128.
        ids: int32, `[n]`, in `[0, rows)`; `n` is a multiple of 128.
    """
    (n,), width = ids.shape, table.shape[1]
    lanes = plsc.get_sparse_core_info().num_lanes
    mesh = plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore")

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((n, width), jnp.float32),
        mesh=mesh,
        scratch_types=[
            pltpu.VMEM((WINDOW,), jnp.int32),
            pltpu.VMEM((WINDOW,), jnp.int32),
            pltpu.VMEM((WINDOW, width), jnp.int32),
            pltpu.VMEM((WINDOW, width), jnp.float32),
        ],
        compiler_params=pltpu.CompilerParams(needs_layout_passes=False),
        name="bf16_rows",
    )
    def kernel(table_hbm, ids_hbm, out_hbm, ids_vmem, pairs_vmem, words_vmem, rows_vmem):
        def widen(start):
            halves = ids_vmem[pl.ds(start, lanes)] % 2 * 16
            for i in range(lanes):

                @plsc.parallel_loop(0, width, step=lanes)
                def _(column, i=i):
                    here = (start + i, pl.ds(column, lanes))
                    bits = jax.lax.shift_right_logical(words_vmem[here], jnp.full(lanes, halves[i]))
                    rows_vmem[here] = plsc.bitcast(bits << 16, jnp.float32)

        @pl.loop(jax.lax.axis_index(("core", "subcore")), n // WINDOW, step=mesh.size)
        def _(window):
            here = pl.ds(window * WINDOW, WINDOW)
            pltpu.sync_copy(ids_hbm.at[here], ids_vmem)

            @plsc.parallel_loop(0, WINDOW, step=lanes)
            def _(start):
                pairs_vmem[pl.ds(start, lanes)] = ids_vmem[pl.ds(start, lanes)] >> 1

            pltpu.sync_copy(table_hbm.bitcast(jnp.int32).at[pairs_vmem], words_vmem)
            pl.loop(0, WINDOW, step=lanes)(widen)
            pltpu.sync_copy(rows_vmem, out_hbm.at[here])

    return kernel(table, ids)  # pyright: ignore[reportCallIssue]


def example_arguments() -> tuple[np.ndarray, ...]:
    """Return a table of 1,000 rows of 128 bfloat16 numbers, and 512 ids."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(1000, 128)).astype(ml_dtypes.bfloat16)
    return table, rng.integers(0, 1000, 512).astype(np.int32)


def expected(table: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Return what `bf16_rows` computes, by numpy."""
    return table[ids].astype(np.float32)


def main() -> None:
    """Run the kernel and compare its result with numpy's."""
    arguments = example_arguments()
    np.testing.assert_array_equal(jax.jit(bf16_rows)(*arguments), expected(*arguments))
    print("bf16_rows: as numpy")


if __name__ == "__main__":
    main()
