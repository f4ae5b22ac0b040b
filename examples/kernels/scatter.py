"""Scatter rows to the places that ids name: `out[ids[i]] = rows[i]`, by indirect transfers.

Each id may occur once only: subcores work at the same time, and nobody can say which of two rows with
the same id would stay. `scatter_add.py` shows what to do with repeated ids.
"""

from __future__ import annotations

import jax
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

WINDOW = 128  # ids of one indirect transfer: no chip takes more


def scatter(rows: jax.Array, ids: jax.Array) -> jax.Array:
    """Return an array whose row `ids[i]` is `rows[i]`.

    Args:
        rows: `[n, width]`, 32 bits an element, width a multiple of 128, `n` of 128.
        ids: int32, `[n]`: a permutation of `0 ... n - 1`.
    """
    n, width = rows.shape

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct(rows.shape, rows.dtype),
        mesh=plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore"),
        name="scatter",
    )
    def kernel(rows_hbm, ids_hbm, out_hbm):
        def body(rows_vmem, ids_vmem):
            pltpu.sync_copy(rows_vmem, out_hbm.at[ids_vmem])

        pltpu.emit_pipeline(
            body,
            grid=(n // WINDOW,),
            in_specs=[
                pl.BlockSpec((WINDOW, width), lambda i: (i, 0)),
                pl.BlockSpec((WINDOW,), lambda i: (i,)),
            ],
            core_axis_name=("core", "subcore"),
            dimension_semantics=(pltpu.PARALLEL,),
        )(rows_hbm, ids_hbm)

    return kernel(rows, ids)  # pyright: ignore[reportCallIssue]


def example_arguments() -> tuple[np.ndarray, ...]:
    """Return 4,096 rows of 128 floats, and a permutation."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(4096, 128)).astype(np.float32), rng.permutation(4096).astype(np.int32)


def expected(rows: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Return what `scatter` computes, by numpy."""
    out = np.empty_like(rows)
    out[ids] = rows
    return out


def main() -> None:
    """Run the kernel and compare its result with numpy's."""
    arguments = example_arguments()
    np.testing.assert_array_equal(jax.jit(scatter)(*arguments), expected(*arguments))
    print("scatter: as numpy")


if __name__ == "__main__":
    main()
