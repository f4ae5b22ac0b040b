"""Add one to a matrix: a pipeline whose blocks are shared out over all cores and subcores.

`emit_pipeline` with `core_axis_name=` gives each vector subcore its own part of the grid, and copies
the next block in and the last one out while the body works: two buffers for each array, so the VMEM
of a subcore has to hold twice its blocks.
"""

from __future__ import annotations

import jax
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

BLOCK = (8, 128)  # a tile of a TensorCore's layout: each block is one piece of HBM


def add_one(x: jax.Array) -> jax.Array:
    """Return `x + 1` for a float32 matrix whose sizes are multiples of 8 and 128."""
    lanes = plsc.get_sparse_core_info().num_lanes

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct(x.shape, x.dtype),
        mesh=plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore"),
        compiler_params=pltpu.CompilerParams(needs_layout_passes=False),
        name="add_one",
    )
    def kernel(x_hbm, out_hbm):
        def body(x_vmem, out_vmem):
            @pl.loop(0, BLOCK[0])
            def _(row):
                @plsc.parallel_loop(0, BLOCK[1], step=lanes)
                def _(column):
                    here = (row, pl.ds(column, lanes))
                    out_vmem[here] = x_vmem[here] + 1

        block = pl.BlockSpec(BLOCK, lambda i, j: (i, j))
        pltpu.emit_pipeline(
            body,
            grid=(x.shape[0] // BLOCK[0], x.shape[1] // BLOCK[1]),
            in_specs=[block],
            out_specs=[block],
            core_axis_name=("core", "subcore"),
            dimension_semantics=(pltpu.PARALLEL, pltpu.ARBITRARY),
        )(x_hbm, out_hbm)

    return kernel(x)  # pyright: ignore[reportCallIssue]


def example_arguments() -> tuple[np.ndarray, ...]:
    """Return a float32 matrix of 256 rows and 256 columns."""
    return (np.arange(256 * 256, dtype=np.float32).reshape(256, 256),)


def expected(x: np.ndarray) -> np.ndarray:
    """Return what `add_one` computes, by numpy."""
    return x + 1


def main() -> None:
    """Run the kernel and compare its result with numpy's."""
    arguments = example_arguments()
    np.testing.assert_array_equal(jax.jit(add_one)(*arguments), expected(*arguments))
    print("add_one: as numpy")


if __name__ == "__main__":
    main()
