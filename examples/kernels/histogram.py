"""Count how often each value occurs: vectors that add to memory by index.

Each vector subcore counts its share of the values in its own VMEM, where nobody else adds, and writes
its counts to HBM; XLA adds them up. A vector may hold a value more than once: `scan_count` gives the
last of each a running count, and only those lanes add.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

CHUNK = 1024  # values that a subcore has in VMEM at once


def histogram(values: jax.Array, bins: int = 256) -> jax.Array:
    """Return how often each of `0 ... bins - 1` occurs.

    Args:
        values: int32, `[n]`, in `[0, bins)`; `n` is a multiple of 1,024.
        bins: a multiple of 128.
    """
    lanes = plsc.get_sparse_core_info().num_lanes
    mesh = plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore")

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((mesh.size * bins,), jnp.int32),
        mesh=mesh,
        scratch_types=[pltpu.VMEM((CHUNK,), jnp.int32), pltpu.VMEM((bins,), jnp.int32)],
        compiler_params=pltpu.CompilerParams(needs_layout_passes=False),
        name="histogram",
    )
    def kernel(values_hbm, out_hbm, values_vmem, counts_vmem):
        worker = jax.lax.axis_index(("core", "subcore"))

        @plsc.parallel_loop(0, bins, step=lanes)
        def _(start):
            counts_vmem[pl.ds(start, lanes)] = jnp.zeros(lanes, jnp.int32)

        @pl.loop(worker, values.size // CHUNK, step=mesh.size)
        def _(chunk):
            pltpu.sync_copy(values_hbm.at[pl.ds(chunk * CHUNK, CHUNK)], values_vmem)

            @pl.loop(0, CHUNK, step=lanes)
            def _(start):
                keys = values_vmem[pl.ds(start, lanes)]
                counts, last = plsc.scan_count(keys)
                plsc.addupdate_scatter(counts_vmem, [keys], counts, mask=last)

        pltpu.sync_copy(counts_vmem, out_hbm.at[pl.ds(worker * bins, bins)])

    return kernel(values).reshape(mesh.size, bins).sum(axis=0)  # pyright: ignore[reportCallIssue]


def example_arguments() -> tuple[np.ndarray, ...]:
    """Return 65,536 values below 256, small ones more often."""
    rng = np.random.default_rng(0)
    return (np.minimum(rng.geometric(0.05, 65536) - 1, 255).astype(np.int32),)


def expected(values: np.ndarray) -> np.ndarray:
    """Return what `histogram` computes, by numpy."""
    return np.bincount(values, minlength=256).astype(np.int32)


def main() -> None:
    """Run the kernel and compare its result with numpy's."""
    arguments = example_arguments()
    np.testing.assert_array_equal(jax.jit(histogram)(*arguments), expected(*arguments))
    print("histogram: as numpy")


if __name__ == "__main__":
    main()
