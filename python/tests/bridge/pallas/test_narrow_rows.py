"""Rows of narrow elements within rows of wider ones, after a `ref.bitcast`: slices, gathers, scatters."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import sdykit.sparsecore as sc
from support.pallas.engines import MODES, Array, assert_engines_agree
from support.pallas.kernels import vector_mesh

WIDE = np.random.default_rng(11).integers(-(2**31), 2**31, (6, 32)).astype(np.int32)
PARAMS = pltpu.CompilerParams(needs_layout_passes=False)
MESH: dict[str, int] = {"num_cores": 1, "num_subcores": 1}


def narrow(wide: Array, dtype: Any) -> Array:
    """Return the narrow rows of wide ones: row k * r + j is the j-th part of each element of row r."""
    k = 4 // np.dtype(dtype).itemsize
    parts = wide.view(dtype).reshape(*wide.shape, k)
    return np.moveaxis(parts, -1, 1).reshape(-1, wide.shape[1])


def copied(dtype: Any, size: int, starts: Sequence[int]) -> Any:
    """Return a kernel that copies rows from starts that are known only when it runs."""

    @functools.partial(
        pl.kernel,
        out_type=jax.ShapeDtypeStruct((size * len(starts), 32), dtype),
        mesh=vector_mesh(**MESH),
        scratch_types=[pltpu.VMEM((6, 32), jnp.int32), pltpu.SMEM((16,), jnp.int32)],
        compiler_params=PARAMS,
    )
    def copied(wide: Any, first: Any, out: Any, held: Any, where: Any) -> None:
        pltpu.sync_copy(wide, held)
        pltpu.sync_copy(first, where)
        rows = held.bitcast(dtype)

        @pl.loop(0, len(starts))
        def _(k: Any) -> None:
            part = rows.at[pl.ds(where[k], size)]
            pltpu.sync_copy(part, out.at[pl.ds(k * size, size)])  # copy

    return copied


def padded(starts: Sequence[int]) -> Array:
    return np.pad(np.array(starts, np.int32), (0, 16 - len(starts)))


@pytest.mark.parametrize(
    ("dtype", "size", "starts"),
    [
        (jnp.bfloat16, 4, [0, 8, 2, 6]),
        (jnp.int16, 2, [10, 0, 4]),
        (jnp.int8, 8, [16, 0, 4, 12]),
        (jnp.int8, 2, [0, 1, 2, 5, 22]),
        (jnp.int8, 3, [0, 1, 20]),
        (jnp.float16, 1, [0, 3, 11]),
    ],
)
def test_rows_from_starts_that_are_not_known(dtype: Any, size: int, starts: list[int]) -> None:
    rows = narrow(WIDE, dtype)
    expected = np.concatenate([rows[start : start + size] for start in starts])
    assert_engines_agree(copied(dtype, size, starts), [WIDE, padded(starts)], [expected])


@pytest.mark.parametrize(
    ("size", "starts"), [(1, [0, 1, 7, 46]), (2, [0, 5, 9]), (3, [1, 21]), (8, [40, 0]), (16, [24])]
)
def test_rows_of_int4_in_int32(size: int, starts: list[int]) -> None:
    parts = (WIDE[:, None, :] >> (4 * np.arange(8, dtype=np.int32)[:, None])) & 15
    rows = ((parts ^ 8) - 8).reshape(-1, WIDE.shape[1]).astype(np.int8)
    expected = np.concatenate([rows[start : start + size] for start in starts])
    kernel = copied(jnp.int4, size, starts)

    def in_bytes(wide: Any, first: Any) -> Any:
        return kernel(wide, first).astype(jnp.int8)

    assert_engines_agree(in_bytes, [WIDE, padded(starts)], [expected])


@pytest.mark.parametrize(
    ("dtype", "size", "start", "parts"),
    [(jnp.bfloat16, 2, 3, 2), (jnp.int8, 2, 7, 4), (jnp.int8, 4, 2, 4), (jnp.int8, 6, 0, 4)],
)
def test_rows_that_begin_in_a_wide_row_and_go_beyond_it(
    dtype: Any, size: int, start: int, parts: int
) -> None:
    lines = Path(__file__).read_text().splitlines()
    line = next(number for number, text in enumerate(lines, 1) if text.endswith("# copy"))
    for mode in MODES:
        sc.configure("7x", pallas=mode)
        try:
            with pytest.raises(jax.errors.JaxRuntimeError) as caught:
                jax.block_until_ready(jax.jit(copied(dtype, size, [start]))(WIDE, padded([start])))
        finally:
            sc.configure()
        assert str(caught.value).splitlines()[0] == (
            f"INVALID_ARGUMENT: kernel 'copied': vector subcore (0, 0): rows {start} to "
            f"{start + size - 1} after a bitcast at test_narrow_rows.py:{line}: they neither begin "
            f"and end at multiples of {parts}, nor lie between two of them"
        ), mode


@pytest.mark.parametrize("dtype", [jnp.bfloat16, jnp.int8])
def test_gathers_of_narrow_rows(dtype: Any) -> None:
    rows = narrow(WIDE, dtype)
    ids = np.random.default_rng(2).integers(0, len(rows), 8).astype(np.int32)

    @functools.partial(
        pl.kernel,
        out_type=jax.ShapeDtypeStruct((8, 32), dtype),
        mesh=vector_mesh(**MESH),
        scratch_types=[pltpu.VMEM((8,), jnp.int32), pltpu.VMEM((8, 32), dtype)],
        compiler_params=PARAMS,
    )
    def gather(wide: Any, ids: Any, out: Any, where: Any, held: Any) -> None:
        pltpu.sync_copy(ids, where)
        pltpu.sync_copy(wide.bitcast(dtype).at[where], held)
        pltpu.sync_copy(held, out)

    assert_engines_agree(gather, [WIDE, ids], [rows[ids]])


@pytest.mark.parametrize("dtype", [jnp.bfloat16, jnp.int8])
def test_scatters_to_narrow_rows(dtype: Any) -> None:
    k = 4 // np.dtype(dtype).itemsize
    rows = np.random.default_rng(4).integers(-100, 100, (4 * k, 32)).astype(dtype)
    ids = np.random.default_rng(3).permutation(4 * k).astype(np.int32)

    @functools.partial(
        pl.kernel,
        out_type=jax.ShapeDtypeStruct((4, 32), jnp.int32),
        mesh=vector_mesh(**MESH),
        scratch_types=[pltpu.VMEM((4 * k,), jnp.int32), pltpu.VMEM((4 * k, 32), dtype)],
        compiler_params=PARAMS,
    )
    def scatter(rows: Any, ids: Any, out: Any, where: Any, held: Any) -> None:
        pltpu.sync_copy(ids, where)
        pltpu.sync_copy(rows, held)
        pltpu.sync_copy(held, out.bitcast(dtype).at[where])

    ordered = np.empty_like(rows)
    ordered[ids] = rows
    parts = np.moveaxis(ordered.reshape(4, k, 32), 1, -1)
    expected = np.ascontiguousarray(parts).view(np.int32).reshape(4, 32)
    assert_engines_agree(scatter, [rows, ids], [expected])
