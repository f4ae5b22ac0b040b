"""Tables and slots that do not fit in the HBM of a device are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.optimizers import SGD, Adagrad, RowWiseAdagrad

KEY, NORMAL = jax.random.key(0), jax.nn.initializers.normal(1.0)
FULL = 2**20
"""Bytes of the chip's HBM."""


@pytest.fixture(name="small_chip")
def make_small_chip(tmp_path: Path) -> str:
    file = tmp_path / "small.toml"
    file.write_text(f'base = "v5p"\nhbm_bytes = {FULL}\n')
    return str(file)


def layer_of(rows: int, chip: str, optimizer: Any) -> sc.Embedding:
    table = sc.TableSpec("table", rows, 32, optimizer)
    return sc.Embedding([sc.FeatureSpec("feature", table, 16)], chip=chip)


@pytest.mark.parametrize("is_abstract", [False, True])
def test_init_refuses_tables_that_do_not_fit_in_hbm(small_chip: str, is_abstract: bool) -> None:
    """4096 rows of 32 floats are half a MiB."""

    def made(rows: int, optimizer: Any) -> Any:
        layer = layer_of(rows, small_chip, optimizer)
        if is_abstract:
            return jax.eval_shape(lambda key: layer.init(key, NORMAL), KEY)
        return layer.init(KEY, NORMAL)

    made(2048 + 512, Adagrad(0.1))
    made(4096, RowWiseAdagrad(0.1))
    with pytest.raises(SparseCoreError) as raised:
        made(4096, Adagrad(0.1))
    assert str(raised.value).startswith(
        "init: Ran out of memory in HBM: 1247488 bytes are needed on each device, and a device of "
        "chip small has 1048576. The largest: table: table 524288 (float32[4096,32]); "
        "table: accumulator 524288 (float32[4096,32]); "
    )
    assert ". To make it fit: use more devices, a narrower dtype, narrower rows, " in str(
        raised.value
    )


def test_lookups_refuse_variables_that_do_not_fit_in_hbm(small_chip: str) -> None:
    """They may have been made for a chip with more memory."""
    large = layer_of(8192, "v5p", Adagrad(0.1))
    layer = layer_of(8192, small_chip, Adagrad(0.1))
    variables = large.init(KEY, NORMAL)
    batch = large.preprocess({"feature": np.zeros((16, 1), np.int32)})
    found = large.lookup(variables, batch)
    calls = {
        "lookup": lambda: layer.lookup(variables, batch),
        "update": lambda: layer.update(variables, batch, found),
        "from_tables": lambda: layer.from_tables(large.tables(variables)),
    }
    for where, call in calls.items():
        with pytest.raises(
            SparseCoreError, match=f"^{where}: Ran out of memory in HBM: .* table: table"
        ):
            call()


def test_lowering_refuses_tables_that_do_not_fit_in_hbm() -> None:
    """The arrays of 286 GiB are only shapes."""
    rows = jax.ShapeDtypeStruct((100_000_000, 256), jnp.float32)
    ids = jax.ShapeDtypeStruct((8, 2), jnp.int32)
    gradients = jax.ShapeDtypeStruct((8, 256), jnp.float32)

    def step(table: Any, slot: Any, ids: Any, gradients: Any) -> Any:
        slots = {"accumulator": slot}
        return sc.grad_update(table, slots, ids, None, gradients, optimizer=Adagrad(0.1))

    def descend(table: Any, ids: Any, gradients: Any) -> Any:
        return sc.grad_update(table, {}, ids, None, gradients, optimizer=SGD(0.1))

    jax.jit(sc.lookup).lower(rows, ids)  # 96 GiB of the default chip hold the table alone.
    jax.jit(descend).lower(rows, ids, gradients)
    with pytest.raises(SparseCoreError) as raised:
        jax.jit(step).lower(rows, rows, ids, gradients)
    assert str(raised.value).startswith(
        "grad_update: Ran out of memory in HBM: 204800041416 bytes are needed on each device, and a "
        "device of chip v5p has 103079215104. The largest: table 102400000000 "
        "(float32[100000000,256]); accumulator 102400000000 (float32[100000000,256]); "
    )


def test_the_dense_gradient_of_a_lookup_needs_a_second_table() -> None:
    rows = jax.ShapeDtypeStruct((80_000_000, 256), jnp.float32)
    ids = jax.ShapeDtypeStruct((8, 2), jnp.int32)

    def loss(table: Any, ids: Any) -> Any:
        return sc.lookup(table, ids).sum()

    jax.jit(loss).lower(rows, ids)
    figures = "table 81920000000 .*; table that is looked up 81920000000 "
    with pytest.raises(SparseCoreError, match=f"^lookup: dense gradient: Ran out .*: {figures}"):
        jax.eval_shape(jax.grad(loss), rows, ids)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int8", "int32"])
def test_every_way_to_a_table_of_more_than_the_hbm_is_refused(small_chip: str, dtype: Any) -> None:
    """Tables of 32 MiB; as one array, with raw ids and with buffers, and under transformations."""
    table = sc.TableSpec("table", 2**23 // jnp.dtype(dtype).itemsize, 4, dtype=dtype)
    layer = sc.Embedding([sc.FeatureSpec("feature", table, 16)], chip="v5p")
    batch = layer.preprocess({"feature": np.zeros((16, 1), np.int32)})
    array = jax.ShapeDtypeStruct((layer.stacks[0].vocabulary_size, 8), dtype)
    ids = jax.ShapeDtypeStruct((16, 1), jnp.int32)
    vmapped = jax.ShapeDtypeStruct((2, 16, 1), jnp.int32)
    sc.configure(small_chip)
    try:
        for call in (
            lambda: jax.eval_shape(sc.lookup, array, ids),
            lambda: jax.eval_shape(sc.lookup, array, batch["table"]),
            lambda: jax.jit(sc.lookup).lower(array, ids),
            lambda: jax.eval_shape(jax.vmap(sc.lookup, in_axes=(None, 0)), array, vmapped),
        ):
            with pytest.raises(
                SparseCoreError, match=r"^lookup: Ran out of memory in HBM: .* table"
            ):
                call()
    finally:
        sc.configure()
