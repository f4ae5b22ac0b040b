"""`sc.lookup(..., as_on_chip=True)`: raw ids take a chip's way, with limits and mod-sharding."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.bridge.embedding.primitives.on_chip import take_chip_way
from sdykit.bridge.embedding.primitives.source import make_source
from sdykit.sparsecore.specs import Combiner
from support.embedding.on_chip_cases import (
    COMBINERS,
    DIM,
    LIMITS,
    ON_CHIP,
    ROWS,
    by_id,
    by_partition,
    expected_sums,
    make_batch,
    on_host,
)


@pytest.fixture(autouse=True)
def settings() -> Iterator[None]:
    sc.configure()
    yield
    sc.configure()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("combiner", COMBINERS)
@pytest.mark.parametrize(("chip", "cores"), [("v5p", 4), ("v6e", 2)])
def test_buffers_are_bit_for_bit_those_of_preprocessing(
    chip: str, cores: int, combiner: Combiner, weighted: bool
) -> None:
    sc.configure(chip)
    for seed in range(4):
        batch = make_batch(seed)

        def make(ids: Any, weights: Any, table: Any = batch.table) -> Any:
            source = make_source("lookup", ids, weights, combiner=combiner)
            made, ordered = take_chip_way(source, table, LIMITS)
            return {**made.arrays, "gains": made.gains}, ordered

        found, ordered = jax.jit(make)(batch.ids, batch.weights if weighted else None)
        size = found["gains"].size
        expected = on_host(batch, size, cores, combiner, weighted=weighted)
        assert set(found) == {"row_pointers", "embedding_ids", "sample_ids", "gains"}
        for name, each in found.items():
            wanted = getattr(expected, name)
            np.testing.assert_array_equal(np.asarray(each), wanted, f"{seed} {name}", strict=True)
        np.testing.assert_array_equal(ordered, by_partition(batch.table, cores))


@pytest.mark.parametrize("execute", ["cpu", "chip"])
@pytest.mark.parametrize("combiner", COMBINERS)
def test_results_and_gradients_are_bit_for_bit_those_of_buffers(
    combiner: Combiner, execute: Any
) -> None:
    sc.configure(execute=execute)
    batch = make_batch(11)
    gradients = np.random.default_rng(1).normal(size=(24, DIM)).astype(np.float32)
    buffers = on_host(batch, None, 4, combiner, weighted=True)

    def run(lookup: Any, table: Any, *source: Any) -> Any:
        found, transposed = jax.vjp(lambda table: lookup(table, *source), table)
        return found, transposed(jnp.asarray(gradients))[0]

    on_chip = partial(sc.lookup, combiner=combiner, **ON_CHIP)
    expected, dense = jax.jit(partial(run, sc.lookup))(by_partition(batch.table), buffers)
    found, own = jax.jit(partial(run, on_chip))(batch.table, batch.ids, batch.weights)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(own, by_id(dense))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int8", "int32"])
def test_lookups_are_those_of_a_loop_in_float64(dtype: str) -> None:
    """Any number of samples, of ids in them, and of columns."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        samples, valency, dim = (int(rng.integers(1, high)) for high in (40, 12, 20))
        batch = make_batch(seed, samples, valency)
        table = jnp.asarray(rng.uniform(-9, 9, (ROWS, dim)), dtype)
        batch = batch._replace(table=np.asarray(table, np.float32))
        combiner, weighted = COMBINERS[seed % 3], bool(rng.integers(2))
        expected = expected_sums(batch, combiner, weighted=weighted)
        weights = batch.weights if weighted else None
        found = sc.lookup(table, batch.ids, weights, combiner=combiner, **ON_CHIP)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-4)
        raw = sc.lookup(table, batch.ids, weights, combiner=combiner)
        np.testing.assert_allclose(found, raw, rtol=1e-5, atol=1e-4)


def test_sums_that_do_not_round_are_bit_for_bit_those_of_raw_ids() -> None:
    ids, _, table = make_batch(7)
    table = np.round(table * 4)

    def loss(table: Any, **options: Any) -> Any:
        return jnp.sum(sc.lookup(table, ids, **options) * jnp.arange(DIM))

    np.testing.assert_array_equal(sc.lookup(table, ids, **ON_CHIP), sc.lookup(table, ids))
    found, expected = jax.grad(lambda table: loss(table, **ON_CHIP))(table), jax.grad(loss)(table)
    np.testing.assert_array_equal(found, expected)


def test_a_quantized_table_is_quantized() -> None:
    ids, _, table = make_batch(2)
    options: dict[str, Any] = {"quantization": sc.Quantization(-1.0, 1.0, 16)}
    found = sc.lookup(table, ids, **options, **ON_CHIP)
    np.testing.assert_allclose(found, sc.lookup(table, ids, **options), rtol=1e-5, atol=1e-5)


def test_samples_without_ids_are_zero() -> None:
    table = np.ones((ROWS, DIM), np.float32)
    for ids in (np.full((8, 2), -1), np.zeros((8, 0), np.int32), np.zeros((0, 3), np.int32)):
        found = sc.lookup(table, ids, combiner="mean", **ON_CHIP)
        np.testing.assert_array_equal(found, np.zeros((len(ids), DIM)))


def test_many_duplicates_have_the_gains_of_preprocessing() -> None:
    batch = make_batch(5, samples=64, valency=400)
    batch = batch._replace(ids=batch.ids // 32)
    expected = sc.lookup(by_partition(batch.table), on_host(batch, None, 4, "sum", weighted=True))
    found = sc.lookup(batch.table, batch.ids, batch.weights, **ON_CHIP)
    np.testing.assert_array_equal(found, expected)


def test_scan_and_vmap_are_the_loop() -> None:
    batches = [make_batch(seed) for seed in range(3)]
    table, ids = batches[0].table, np.stack([each.ids for each in batches])

    def lookup(ids: Any) -> Any:
        return sc.lookup(table, ids, **ON_CHIP)

    expected = np.stack([lookup(each) for each in ids])
    _, scanned = jax.jit(lambda ids: jax.lax.scan(lambda _, x: (None, lookup(x)), None, ids))(ids)
    np.testing.assert_array_equal(scanned, expected)
    np.testing.assert_array_equal(jax.jit(jax.vmap(lookup))(ids), expected)


@pytest.mark.parametrize("execute", ["cpu", "chip"])
def test_the_chip_counts_a_row_once_for_each_sparse_core(execute: Any) -> None:
    sc.configure(execute=execute, counters=True)
    sc.reset_counters()
    ids, _, table = make_batch(9)
    jax.block_until_ready(sc.lookup(table, ids, **ON_CHIP))
    (counted,) = sc.counters()
    expected = np.zeros((4, 4), int)
    for core, part in enumerate(ids.reshape(4, -1)):
        for partition in range(4):
            expected[core, partition] = len(
                {i for i in part.tolist() if i >= 0 and i % 4 == partition}
            )
    np.testing.assert_array_equal(counted.by("gather: DMAs", "core", "partition"), expected)
    sc.reset_counters()


def test_the_ledger_has_the_table_and_its_copy() -> None:
    """The copy in a chip's order is the simulator's, and is not counted for the chip."""

    def run(table: Any, ids: Any) -> Any:
        return sc.lookup(table, ids, **ON_CHIP)

    table = np.ones((2**14, 32), np.float32)
    ledger = sc.program_ledger(jax.jit(run).lower(table, make_batch(0).ids).compile())
    found = [(each.kind, each.name, each.bytes) for each in ledger.entries if "table" in each.name]
    assert found == [
        ("table", "table", table.nbytes),
        ("simulator", "table in a chip's order", table.nbytes),
    ]
    (temporaries,) = (each.bytes for each in ledger.entries if each.name == "temporaries of XLA")
    assert temporaries < table.nbytes / 2
