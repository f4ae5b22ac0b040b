"""Counters of the library's programs go by the names of its stacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.jax_tpu_embedding.plugin_programs import run_with_plugin

pytest.importorskip("jax_tpu_embedding")

# Tables of one shape, which are lowered alike but for their names.
PROGRAM = """
import sys
from functools import partial
import jax, numpy as np
import sdykit.sparsecore as sc
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
from jax_tpu_embedding.sparsecore.lib.nn import embedding, embedding_spec

sc.configure(counters=True)
mesh = Mesh(jax.devices(), ["x"])
features = []
for name in ("a/b (c)", "d"):
    table = embedding_spec.TableSpec(
        name=name, vocabulary_size=64, embedding_dim=8, initializer=jax.nn.initializers.ones,
        optimizer=embedding_spec.SGDOptimizerSpec(learning_rate=0.5), combiner="sum")
    features.append(embedding_spec.FeatureSpec(
        name=name, table_spec=table, input_shape=(32, 1), output_shape=(32, 8)))
embedding.prepare_feature_specs_for_training(features, mesh.size)
split = partial(jax.shard_map, mesh=mesh, out_specs=P("x"), check_vma=False)
lookup = split(
    partial(embedding.tpu_sparse_dense_matmul, global_device_count=mesh.size,
            feature_specs=features), in_specs=(P("x"), P("x")))
update = split(
    partial(embedding.tpu_sparse_dense_matmul_grad, feature_specs=features), in_specs=P("x"))

@jax.jit
def step(variables, ids):
    return update(lookup(ids, variables), ids, variables)

variables = embedding.init_embedding_variables(
    jax.random.key(0), embedding.get_table_specs(features), NamedSharding(mesh, P("x", None)))
ids = [np.arange(32, dtype=np.int32)[:, None], np.zeros((32, 1), np.int32)]
batch, _ = embedding.preprocess_sparse_dense_matmul_input(
    ids, None, features, mesh.size, mesh.size)
jax.block_until_ready(step(variables, batch))
found = {}
for each in sc.counters():
    key = each.spec.kind, each.spec.label
    read = each.of_tiles("bytes read from table").sum()
    assert read == each.totals["gather: bytes read from table"]
    found[key] = found.get(key, 0) + read.item()
print(sorted(found.items()))
"""


@pytest.mark.parametrize("devices", [1, 4])
def test_counters_are_labelled_by_stack(tmp_path: Path, devices: int) -> None:
    found = run_with_plugin(tmp_path, PROGRAM, JAX_NUM_CPU_DEVICES=str(devices))
    # Of the first 32 rows; of the second one, which a lookup gathers for each SparseCore.
    gathered = 32 * 4 * devices
    assert found == (
        f"[(('lookup', 'a/b (c)'), 1024), (('lookup', 'd'), {gathered}), "
        "(('update', 'sgd-a/b (c)'), 1024), (('update', 'sgd-d'), 32)]\n"
    )
