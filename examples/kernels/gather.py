"""Gather rows of a table by ids: the SparseCore's own work, one indirect transfer for 128 rows.

`table.at[ids]` as the source of a copy is an indirect transfer: the stream engine reads the ids from
VMEM and fetches one row for each. The pipeline brings the ids and takes the rows away meanwhile.
"""

from __future__ import annotations

import jax
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

WINDOW = 128  # ids of one indirect transfer: no chip takes more


def gather(table: jax.Array, ids: jax.Array) -> jax.Array:
    """Return `table[ids]`.

    Args:
        table: rows, each a multiple of 128 elements of 32 bits, `[rows, width]`.
        ids: int32, `[n]`, in `[0, rows)`; `n` is a multiple of 128.
    """
    (n,), width = ids.shape, table.shape[1]

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((n, width), table.dtype),
        mesh=plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore"),
        name="gather",
    )
    def kernel(table_hbm, ids_hbm, out_hbm):
        def body(ids_vmem, rows_vmem):
            pltpu.sync_copy(table_hbm.at[ids_vmem], rows_vmem)

        pltpu.emit_pipeline(
            body,
            grid=(n // WINDOW,),
            in_specs=[pl.BlockSpec((WINDOW,), lambda i: (i,))],
            out_specs=[pl.BlockSpec((WINDOW, width), lambda i: (i, 0))],
            core_axis_name=("core", "subcore"),
            dimension_semantics=(pltpu.PARALLEL,),
        )(ids_hbm, out_hbm)

    return kernel(table, ids)  # pyright: ignore[reportCallIssue]


def example_arguments() -> tuple[np.ndarray, ...]:
    """Return a table of 1,000 rows of 128 floats, and 4,096 ids."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(1000, 128)).astype(np.float32)
    return table, rng.integers(0, 1000, 4096).astype(np.int32)


def expected(table: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Return what `gather` computes, by numpy."""
    return table[ids]


def main() -> None:
    """Run the kernel and compare its result with numpy's."""
    arguments = example_arguments()
    np.testing.assert_array_equal(jax.jit(gather)(*arguments), expected(*arguments))
    print("gather: as numpy")


if __name__ == "__main__":
    main()
