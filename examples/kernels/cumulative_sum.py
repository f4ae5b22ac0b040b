"""Cumulative sums of rows on scalar subcores: one for each SparseCore, without vectors.

A scalar subcore reads and writes single numbers, in SMEM; transfers bring them from HBM and back. It is
what drives the other subcores and works through lists whose next step depends on the last.
"""

from __future__ import annotations

import jax
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc


def cumulative_sum(x: jax.Array) -> jax.Array:
    """Return `x.cumsum(axis=1)` of an int32 or float32 matrix with a multiple of 128 columns."""
    rows, columns = x.shape

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct(x.shape, x.dtype),
        mesh=plsc.ScalarSubcoreMesh(axis_name="core"),
        scratch_types=[pltpu.SMEM((columns,), x.dtype)],
        name="cumulative_sum",
    )
    def kernel(x_hbm, out_hbm, row_smem):
        @pl.loop(jax.lax.axis_index("core"), rows, step=jax.lax.axis_size("core"))
        def _(row):
            pltpu.sync_copy(x_hbm.at[row], row_smem)

            @pl.loop(1, columns)
            def _(i):
                row_smem[i] += row_smem[i - 1]

            pltpu.sync_copy(row_smem, out_hbm.at[row])

    return kernel(x)  # pyright: ignore[reportCallIssue]


def example_arguments() -> tuple[np.ndarray, ...]:
    """Return an int32 matrix of 10 rows and 128 columns."""
    return (np.random.default_rng(0).integers(-99, 99, (10, 128)).astype(np.int32),)


def expected(x: np.ndarray) -> np.ndarray:
    """Return what `cumulative_sum` computes, by numpy."""
    return x.cumsum(axis=1, dtype=x.dtype)


def main() -> None:
    """Run the kernel and compare its result with numpy's."""
    arguments = example_arguments()
    np.testing.assert_array_equal(jax.jit(cumulative_sum)(*arguments), expected(*arguments))
    print("cumulative_sum: as numpy")


if __name__ == "__main__":
    main()
