"""The k largest of each row, and where they are: sorts of one vector, merged.

A vector subcore sorts as many keys as it has lanes at once. The best so far and the next vector, both
sorted, hold the best of both in the lane-wise maximum of one with the other reversed (the first step of
a bitonic merge); one more sort and the best are in order again.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

ROWS = 8  # rows that a subcore has in VMEM at once


def top_k(x: jax.Array, k: int = 8) -> tuple[jax.Array, jax.Array]:
    """Return the `k` largest of each row, largest first, and their columns.

    Args:
        x: float32, `[rows, columns]`, multiples of 8 and 128, without NaN. Which of several equal
            numbers is taken is not defined.
        k: at most the number of lanes: 8, on 7x 16.
    """
    rows, columns = x.shape
    lanes = plsc.get_sparse_core_info().num_lanes
    if k > lanes:
        raise ValueError(f"k is {k}; a vector of this chip has {lanes} lanes")
    mesh = plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore")

    @pl.kernel(
        out_type=[
            jax.ShapeDtypeStruct((rows * lanes,), jnp.float32),
            jax.ShapeDtypeStruct((rows * lanes,), jnp.int32),
        ],
        mesh=mesh,
        scratch_types=[
            pltpu.VMEM((ROWS, columns), jnp.float32),
            pltpu.VMEM((ROWS * lanes,), jnp.float32),
            pltpu.VMEM((ROWS * lanes,), jnp.int32),
        ],
        compiler_params=pltpu.CompilerParams(needs_layout_passes=False),
        name="top_k",
    )
    def kernel(x_hbm, keys_hbm, columns_hbm, x_vmem, keys_vmem, columns_vmem):
        lane = jax.lax.iota(jnp.int32, lanes)

        def best_of(row):
            def add(i, best):
                start = i * lanes
                new = plsc.sort_key_val(
                    x_vmem[row, pl.ds(start, lanes)], start + lane, descending=True
                )
                new_keys, new_columns = (jnp.flip(part) for part in new)
                keep = best[0] >= new_keys
                keys = jnp.where(keep, best[0], new_keys)
                places = jnp.where(keep, best[1], new_columns)
                return tuple(plsc.sort_key_val(keys, places, descending=True))

            nothing = jnp.full(lanes, -jnp.inf, jnp.float32), jnp.zeros(lanes, jnp.int32)
            return jax.lax.fori_loop(0, columns // lanes, add, nothing)

        @pl.loop(jax.lax.axis_index(("core", "subcore")), rows // ROWS, step=mesh.size)
        def _(block):
            pltpu.sync_copy(x_hbm.at[pl.ds(block * ROWS, ROWS)], x_vmem)

            @pl.loop(0, ROWS)
            def _(row):
                here = pl.ds(row * lanes, lanes)
                keys_vmem[here], columns_vmem[here] = best_of(row)

            there = pl.ds(block * (ROWS * lanes), ROWS * lanes)
            pltpu.sync_copy(keys_vmem, keys_hbm.at[there])
            pltpu.sync_copy(columns_vmem, columns_hbm.at[there])

    keys, places = kernel(x)  # pyright: ignore[reportCallIssue]
    return keys.reshape(rows, lanes)[:, :k], places.reshape(rows, lanes)[:, :k]


def example_arguments() -> tuple[np.ndarray, ...]:
    """Return 256 rows of 512 different numbers each."""
    rng = np.random.default_rng(0)
    numbers = np.arange(512, dtype=np.float32) - 256
    return (rng.permuted(np.tile(numbers, (256, 1)), axis=1),)


def expected(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what `top_k` computes, by numpy."""
    columns = np.argsort(-x, axis=1, kind="stable")[:, :8].astype(np.int32)
    return np.take_along_axis(x, columns, axis=1), columns


def main() -> None:
    """Run the kernel and compare its results with numpy's."""
    arguments = example_arguments()
    for ours, theirs in zip(jax.jit(top_k)(*arguments), expected(*arguments), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    print("top_k: as numpy")


if __name__ == "__main__":
    main()
