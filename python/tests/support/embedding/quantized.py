"""A layer of several tables, and the same as int8."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sdykit.sparsecore import Embedding, FeatureSpec, Quantization
from sdykit.sparsecore.reference import from_int8
from support.embedding.many_tables import FEATURES, make_ids


def trained(features: Sequence[FeatureSpec] = FEATURES, mesh: Any = None) -> tuple[Embedding, Any]:
    """Return a layer and its variables."""
    import jax

    embedding = Embedding(features, mesh=mesh)
    return embedding, embedding.init(jax.random.key(3), jax.nn.initializers.normal(0.1))


def with_ranges(ranges: Mapping[str, Quantization]) -> list[FeatureSpec]:
    """Return the features of float32 tables with a quantization."""
    tables = {
        each.table.name: dataclasses.replace(each.table, quantization=ranges[each.table.name])
        for each in FEATURES
    }
    return [dataclasses.replace(each, table=tables[each.table.name]) for each in FEATURES]


def check_lookups(mesh: Any = None) -> None:
    """Compare int8 lookups with simulated quantization, and with the tables that they stand for."""
    import jax

    embedding, variables = trained(mesh=mesh)
    layer, of_int8 = embedding.quantized(variables)
    assert [each.name for each in layer.stacks] == [each.name for each in embedding.stacks]
    ids, weights = make_ids(1)
    batch = embedding.preprocess(ids, weights)
    found = jax.jit(layer.lookup)(of_int8, batch)
    again = layer.lookup(of_int8, layer.preprocess(ids, weights))
    tables = {each.table.name: each.table for each in layer.features}
    ranges = {name: each.quantization for name, each in tables.items() if each.quantization}
    simulated = Embedding(with_ranges(ranges), mesh=mesh)
    expected = simulated.lookup(variables, batch)
    read = {name: from_int8(table, ranges[name]) for name, table in layer.tables(of_int8).items()}
    plain = embedding.lookup(embedding.from_tables(read), batch)
    before = embedding.lookup(variables, batch)
    for feature in FEATURES:
        name, table = feature.name, feature.table
        error = np.abs(np.asarray(found[name]) - np.asarray(before[name]))
        for each in (again, expected, plain):
            np.testing.assert_array_equal(found[name], each[name])
        gains = np.abs(weights.get(name, np.ones(ids[name].shape))).sum(1, keepdims=True)
        # Each of the rows of a sample is at most half a step from the trained one.
        most = float(ranges[table.name].step) / 2 * (1 if table.combiner == "mean" else gains)
        assert (error <= most * 1.001).all()
        assert error.any()


def main() -> None:
    """Compare lookups on all devices."""
    Embedding(FEATURES)  # Sets NPROC, and starts no backend.
    import jax

    check_lookups(jax.make_mesh((jax.device_count(),), ("x",)))
