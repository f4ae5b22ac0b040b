"""Take repeated ids out of each block of 128: sort, mark where a new id begins, count.

What comes before a gather of rows that many samples share. A vector subcore sorts one vector at once, with
the places of its ids beside them; 128 ids are 8 or 16 vectors, which an odd-even transposition sort of
whole vectors brings into order: neighbours are merged, the smaller half stays left. In sorted ids, one
that differs from the one before it is new, and the sum of those marks is its number.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

BLOCK = 128  # ids that are made unique among themselves


def deduplicate(ids: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Return the different ids of each block in ascending order, each id's place there, and how many.

    Args:
        ids: int32, `[n]`, not negative; `n` is a multiple of 128.

    Returns:
        `unique [n / 128, 128]`, padded with -1, `inverse [n / 128, 128]`, `counts [n / 128]`, with
        `unique[b, inverse[b, i]] == ids[128 * b + i]`.
    """
    (n,) = ids.shape
    lanes = plsc.get_sparse_core_info().num_lanes
    mesh = plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore")
    block_of_ids = pltpu.VMEM((BLOCK,), jnp.int32)

    @pl.kernel(
        out_type=[jax.ShapeDtypeStruct((size,), jnp.int32) for size in (n, n, n // BLOCK * lanes)],
        mesh=mesh,
        scratch_types=[block_of_ids] * 4 + [pltpu.VMEM((lanes,), jnp.int32)],
        compiler_params=pltpu.CompilerParams(needs_layout_passes=False),
        name="deduplicate",
    )
    def kernel(ids_hbm, unique_hbm, inverse_hbm, counts_hbm, keys, places, unique, inverse, counts):
        lane = jax.lax.iota(jnp.int32, lanes)

        @pl.loop(jax.lax.axis_index(("core", "subcore")), n // BLOCK, step=mesh.size)
        def _(block):
            here = pl.ds(block * BLOCK, BLOCK)
            pltpu.sync_copy(ids_hbm.at[here], keys)
            sort(keys, places, lane)
            counts[...] = jnp.full(lanes, number(keys, places, unique, inverse, lane), jnp.int32)
            pltpu.sync_copy(unique, unique_hbm.at[here])
            pltpu.sync_copy(inverse, inverse_hbm.at[here])
            pltpu.sync_copy(counts, counts_hbm.at[pl.ds(block * lanes, lanes)])

    unique, inverse, counts = kernel(ids)  # pyright: ignore[reportCallIssue]
    return unique.reshape(-1, BLOCK), inverse.reshape(-1, BLOCK), counts[::lanes]


def sort(keys, places, lane) -> None:
    """Sort the keys of a block in place; `places` then holds where each was before."""
    lanes = lane.size

    @pl.loop(0, BLOCK, step=lanes)
    def _(start):
        here = pl.ds(start, lanes)
        keys[here], places[here] = plsc.sort_key_val(keys[here], start + lane)

    @pl.loop(0, BLOCK // lanes)
    def _(turn):
        @pl.loop((turn % 2) * lanes, BLOCK - lanes, step=2 * lanes)
        def _(start):
            left, right = pl.ds(start, lanes), pl.ds(start + lanes, lanes)
            a, b = keys[left], jnp.flip(keys[right])
            a_places, b_places = places[left], jnp.flip(places[right])
            a_first = a <= b
            keys[left], places[left] = plsc.sort_key_val(
                jnp.where(a_first, a, b), jnp.where(a_first, a_places, b_places)
            )
            keys[right], places[right] = plsc.sort_key_val(
                jnp.where(a_first, b, a), jnp.where(a_first, b_places, a_places)
            )


def number(keys, places, unique, inverse, lane) -> jax.Array:
    """Write the different keys, and the number of each key at its place; return how many there are."""
    lanes = lane.size

    @plsc.parallel_loop(0, BLOCK, step=lanes)
    def _(start):
        unique[pl.ds(start, lanes)] = jnp.full(lanes, -1, jnp.int32)

    def body(i, found):
        start = i * lanes
        here = pl.ds(start, lanes)
        before = plsc.load_gather(keys, [jnp.maximum(start + lane - 1, 0)])
        is_new = (keys[here] != before) | (start + lane == 0)
        numbers = found + plsc.cumsum(is_new.astype(jnp.int32)) - 1
        plsc.store_scatter(unique, [numbers], keys[here], mask=is_new)
        plsc.store_scatter(inverse, [places[here]], numbers)
        return found + plsc.all_reduce_population_count(is_new)[0]

    return jax.lax.fori_loop(0, BLOCK // lanes, body, jnp.int32(0))


def example_arguments() -> tuple[np.ndarray, ...]:
    """Return 8,192 ids below 100,000, a few of them often."""
    rng = np.random.default_rng(0)
    return ((rng.zipf(1.3, 8192) % 100_000).astype(np.int32),)


def expected(ids: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what `deduplicate` computes, by numpy."""
    blocks = [np.unique(block, return_inverse=True) for block in ids.reshape(-1, BLOCK)]
    counts = np.array([len(unique) for unique, _ in blocks], np.int32)
    padded = [np.pad(unique, (0, BLOCK - len(unique)), constant_values=-1) for unique, _ in blocks]
    return np.stack(padded), np.stack([inverse for _, inverse in blocks]).astype(np.int32), counts


def main() -> None:
    """Run the kernel and compare its results with numpy's."""
    arguments = example_arguments()
    for ours, theirs in zip(jax.jit(deduplicate)(*arguments), expected(*arguments), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    print("deduplicate: as numpy")


if __name__ == "__main__":
    main()
