"""Layers of int8 tables for inference, made from trained layers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.bridge.errors import BridgeError
from sdykit.sparsecore.limits import compute_limits
from support.bridge.ffi_programs import run_python
from support.embedding.many_tables import FEATURES, make_ids
from support.embedding.quantized import check_lookups, trained, with_ranges

TWO = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2"}


@pytest.fixture(autouse=True)
def _settings() -> Iterator[None]:
    yield
    sc.configure()
    sc.reset_counters()


@pytest.mark.parametrize("execute", ["cpu", "chip"])
def test_lookups_are_those_of_the_tables_that_int8_stands_for(execute: Any) -> None:
    sc.configure(execute=execute)
    check_lookups()


def test_the_same_holds_on_several_devices() -> None:
    run_python("from support.embedding import quantized\nquantized.main()", **TWO)


def test_a_layer_that_was_trained_with_a_range_keeps_its_lookups() -> None:
    ranges = {name: sc.Quantization(-0.15, 0.2, 64) for name in ("users", "items", "words")}
    embedding, variables = trained(with_ranges(ranges))
    layer, of_int8 = embedding.quantized(variables)
    assert {each.table.quantization for each in layer.features} == set(ranges.values())
    batch = embedding.preprocess(*make_ids(2))
    expected = embedding.lookup(variables, batch)
    for name, found in layer.lookup(of_int8, batch).items():
        np.testing.assert_array_equal(found, expected[name])


@pytest.mark.parametrize("execute", ["cpu", "chip"])
def test_a_row_takes_a_quarter_of_the_bytes(execute: Any) -> None:
    sc.configure(counters=True, execute=execute)
    embedding, variables = trained()
    layer, of_int8 = embedding.quantized(variables)
    ids = make_ids(0)
    read = []
    for each, held in ((embedding, variables), (layer, of_int8)):
        sc.reset_counters()
        jax.block_until_ready(each.lookup(held, each.preprocess(*ids)))
        read.append(
            {
                counted.spec.label: counted.totals["gather: bytes read from table"]
                for counted in sc.counters()
            }
        )
    assert read[0] == {name: 4 * count for name, count in read[1].items()}
    assert all(read[1].values())


def test_tables_take_a_quarter_of_the_memory_and_slots_none() -> None:
    embedding, variables = trained()
    layer, of_int8 = embedding.quantized(variables)
    sizes, of_layer = (each.ledger().bytes_by_kind() for each in (embedding, layer))
    assert sizes["table"] == 4 * of_layer["table"]
    assert sizes["slot"] > 0
    assert "slot" not in of_layer
    held = jax.tree.leaves(of_int8)
    assert {each.dtype for each in held} == {jnp.dtype("int8")}
    assert sum(each.nbytes for each in held) == of_layer["table"]
    with pytest.raises(BridgeError, match=r"^tables: slot is 'accumulator'; expected one of none$"):
        layer.tables(of_int8, "accumulator")


def test_limits_chip_and_minibatching_are_kept() -> None:
    plain = sc.Embedding(FEATURES, chip="v6e")
    ids = make_ids(0)
    limits = compute_limits([ids[0]], plain.stacks, plain.system)
    embedding = sc.Embedding(FEATURES, limits=limits, minibatching="sample", chip="v6e")
    variables = embedding.init(jax.random.key(0), jax.nn.initializers.normal(0.1))
    sc.configure("v4")
    layer, of_int8 = embedding.quantized(variables)
    assert layer.settings.chip == "v6e"
    assert layer.settings.config == embedding.settings.config
    assert layer.minibatching == "sample"
    for own, other in zip(layer.stacks, embedding.stacks, strict=True):
        assert own.compiled_limits == other.compiled_limits
    layer.lookup(of_int8, layer.preprocess(*ids))


def test_updates_are_refused() -> None:
    embedding, variables = trained()
    layer, of_int8 = embedding.quantized(variables)
    batch = layer.preprocess(*make_ids(0))
    found = layer.lookup(of_int8, batch)
    with pytest.raises(BridgeError) as raised:
        layer.update(of_int8, batch, found)
    assert str(raised.value) == (
        "update: the dtype of tables 'users', 'items' (features 'user', 'item', 'more items') is int8, "
        "which is for inference; expected float32, as only such tables can be updated"
    )


def test_a_broken_table_and_too_many_buckets_are_errors_with_the_names() -> None:
    embedding, variables = trained()
    tables = embedding.tables(variables)
    tables["items"][7, 2] = np.nan
    with pytest.raises(sc.SparseCoreError) as raised:
        embedding.quantized(embedding.from_tables(tables))
    assert str(raised.value) == (
        "quantized: tables 'users', 'items' (features 'user', 'item', 'more items'): int8_tables: table "
        "'items': row 7 holds nan in column 2; expected finite numbers"
    )
    layer, of_int8 = trained()[0].quantized(variables)
    expected = "table 'users' is int8[100, 16]; expected float32 [rows, width]"
    with pytest.raises(sc.SparseCoreError, match=re.escape(expected)):
        layer.quantized(of_int8)
    ranges = {name: sc.Quantization(-1, 1, 300) for name in ("users", "items", "words")}
    fine, variables = trained(with_ranges(ranges))
    expected = r"^quantized: tables 'users', .*: quantization: 300 buckets; expected at most 256"
    with pytest.raises(sc.SparseCoreError, match=expected):
        fine.quantized(variables)


def test_raw_ids_read_an_int8_table() -> None:
    table = np.random.default_rng(0).normal(0, 0.1, (50, 8)).astype(np.float32)
    tables, quantization = sc.int8_tables({"t": table})
    ids = np.arange(12).reshape(6, 2) * 4
    found = sc.lookup(tables["t"], ids, quantization=quantization)
    np.testing.assert_array_equal(found, sc.lookup(table, ids, quantization=quantization))
