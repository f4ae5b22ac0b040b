"""What is built on the library's primitives, compared with dense models on several CPU devices.

    JAX_NUM_CPU_DEVICES=4 python python/tests/support/jax_tpu_embedding/layer_programs.py linen nnx

A process of its own: the number of devices is fixed when JAX starts. It prints a JSON object with
the error, if any, of each program.
"""

from __future__ import annotations

import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import flax.linen as nn
import jax
import numpy as np
import optax
from flax import nnx
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P
from jax_tpu_embedding.sparsecore.lib.fdo.csv_file_fdo_client import CSVFileFDOClient
from jax_tpu_embedding.sparsecore.lib.fdo.file_fdo_client import NPZFileFDOClient
from jax_tpu_embedding.sparsecore.lib.flax.linen import embed as linen_embed
from jax_tpu_embedding.sparsecore.lib.flax.linen import embed_optimizer
from jax_tpu_embedding.sparsecore.lib.flax.nnx import embed as nnx_embed
from jax_tpu_embedding.sparsecore.lib.nn import embedding, table_stacking
from jax_tpu_embedding.sparsecore.utils import utils

from sdykit.bridge.pipelining import asynchronous_hlo
from support.embedding.schedules import check_in_order, check_pipelined
from support.jax_tpu_embedding import layer_cases as cases
from support.jax_tpu_embedding.layer_runs import run

STEPS = 3


class LinenModel(nn.Module):
    """The model of `layer_cases` on the linen layer."""

    rows: linen_embed.SparseCoreEmbed
    names: Any

    @nn.compact
    def __call__(self, looked_up: Any) -> Any:
        weights = self.param("weights", lambda _: jax.numpy.asarray(cases.kernel(self.names)))
        return weights, self.rows(looked_up)


class NnxModel(nnx.Module):
    """The model of `layer_cases` on the nnx layer."""

    def __init__(self, features: Any, mesh: Mesh, names: Any = cases.FEATURES) -> None:
        self.rows = nnx_embed.SparseCoreEmbed(features, cases.AXIS, mesh, nnx.Rngs(0))
        self.weights = nnx.Param(jax.numpy.asarray(cases.kernel(names)))

    def __call__(self, looked_up: Any, target: Any) -> Any:
        activations: Any = self.rows(looked_up)
        return cases.loss_of(self.weights[...], activations, target)


def make_mesh() -> Mesh:
    """Return all devices along one axis."""
    return Mesh(jax.devices(), [cases.AXIS])


def linen_step(model: LinenModel, optimizer: Any) -> Any:
    """Make `((params, state), ids, target) -> ((params, state), loss)`."""

    def loss(params: Any, ids: Any, target: Any) -> jax.Array:
        weights, activations = model.apply(params, ids)
        return cases.loss_of(weights, activations, target)

    def step(carry: Any, ids: Any, target: Any) -> Any:
        params, state = carry
        value, slopes = jax.value_and_grad(loss)(params, ids, target)
        changes, state = optimizer.update(slopes, state, params)
        return (embed_optimizer.apply_updates_for_sc_model(params, changes), state), value

    return step


def linen_model(
    names: Any, *, enable_minibatching: bool = False, adagrad: Any = cases.ADAGRAD
) -> Any:
    """Make model, optimizer, carry and `params -> (weights, tables)`."""
    mesh = make_mesh()
    limit = 2 if enable_minibatching else 256
    features = cases.make_features(mesh, names, limit, adagrad)
    layer = linen_embed.SparseCoreEmbed(
        features, sharding_axis=cases.AXIS, enable_minibatching=enable_minibatching
    )
    model = LinenModel(layer, names)
    first = layer.preprocess_inputs(0, cases.make_batch(0, names).ids, None)
    params = jax.jit(model.init)(jax.random.key(0), first)
    optimizer = embed_optimizer.create_optimizer_for_sc_model(params, optax.sgd(cases.RATE))

    def parts(params: Any) -> Any:
        inner = nn.meta.unbox(params)["params"]
        variables = inner["rows"][linen_embed.EMBEDDING_PARAM_NAME]
        return np.array(inner["weights"]), cases.unstacked(features, variables, mesh)

    return model, optimizer, (params, optimizer.init(params)), parts


def linen(*, enable_minibatching: bool = False) -> None:
    """Train with the linen layer."""
    names = cases.FEATURES
    model, optimizer, carry, parts = linen_model(names, enable_minibatching=enable_minibatching)
    dense = cases.DenseModel(*parts(carry[0]))
    step = jax.jit(linen_step(model, optimizer), donate_argnums=0)
    for number in range(STEPS):
        batch = cases.make_batch(number)
        ids = model.rows.preprocess_inputs(number, batch.ids, batch.weights)
        assert (ids.num_minibatches[0] > 1) == enable_minibatching, ids.num_minibatches
        carry, loss = step(carry, ids, batch.target)
        np.testing.assert_allclose(loss, dense.learn(batch), rtol=1e-5)
    cases.assert_same(parts(carry[0]), (dense.weights, dense.tables))


def nnx_step(model: NnxModel, optimizer: Any, mesh: Mesh) -> Any:
    """Compile `(model, optimizer, ids, target) -> loss`, which trains both in place."""
    split = jax.sharding.NamedSharding(mesh, P(cases.AXIS))
    shardings = (
        nnx_embed.get_named_sharding(model, mesh),
        nnx_embed.get_named_sharding(optimizer, mesh),
    )

    @partial(
        nnx.jit,
        in_shardings=(*shardings, split, split),
        donate_argnames=("model", "optimizer"),
    )
    def step(model: Any, optimizer: Any, ids: Any, target: Any) -> Any:
        loss, slopes = nnx.value_and_grad(NnxModel.__call__)(model, ids, target)
        optimizer.update(model, slopes)
        return loss

    return step


def nnx_parts(model: NnxModel, features: Any, mesh: Mesh) -> Any:
    """Return the dense layer and the tables of a model."""
    variables = model.rows.embedding_table.get_value()
    return np.array(model.weights[...]), cases.unstacked(features, variables, mesh)


def nnx_layer() -> None:
    """Train with the nnx layer, its optimizer, and its shardings for `nnx.jit`."""
    mesh = make_mesh()
    features = cases.make_features(mesh)
    model = NnxModel(features, mesh)
    optimizer = nnx_embed.PartitionedOptimizer(model, optax.sgd(cases.RATE))
    step = nnx_step(model, optimizer, mesh)
    dense = cases.DenseModel(*nnx_parts(model, features, mesh))
    for number in range(STEPS):
        batch = cases.make_batch(number)
        ids, _ = cases.preprocessed(features, mesh, batch)
        loss = step(model, optimizer, ids, batch.target)
        np.testing.assert_allclose(loss, dense.learn(batch), rtol=1e-5)
    cases.assert_same(nnx_parts(model, features, mesh), (dense.weights, dense.tables))


def auto_pipelining() -> None:
    """Train with lookups that run beside the dense layer of the batch before."""
    from jax_tpu_embedding.sparsecore.lib.auto_pipelining import auto_pipelining as pipelining

    names = {"liked": cases.FEATURES["liked"]}  # The library takes one stack.
    model, optimizer, carry, parts = linen_model(names)
    dense = cases.DenseModel(*parts(carry[0]), late=1)
    step = pipelining.auto_pipelining(linen_step(model, optimizer), out_shardings=(None, None))
    state = pipelining.init_state()
    losses = []
    for number in range(STEPS):
        batch = cases.make_batch(number, names)
        ids = model.rows.preprocess_inputs(number, batch.ids, batch.weights)
        state, (carry, loss) = step(state, carry, ids, batch.target)
        losses.append(loss)
    state, (carry, loss) = pipelining.finalize_pipelining(step, state, carry)
    expected = [dense.learn(cases.make_batch(number, names)) for number in range(STEPS)]
    assert losses[0] is None, losses[0]
    np.testing.assert_allclose([*losses[1:], loss], expected, rtol=1e-5)
    cases.assert_same(parts(carry[0]), (dense.weights, {"movies": dense.tables["movies"]}))


def auto_pipelining_schedule() -> None:
    """As asynchronous HLO, a step looks its batch up beside the dense layer of the batch before."""
    from jax_tpu_embedding.sparsecore.lib.auto_pipelining import auto_pipelining as pipelining

    names = {"liked": cases.FEATURES["liked"]}
    model, optimizer, carry, _ = linen_model(names)
    step: Any = pipelining.auto_pipelining(linen_step(model, optimizer), out_shardings=(None, None))
    state = pipelining.init_state()
    batch = cases.make_batch(0, names)
    ids = model.rows.preprocess_inputs(0, batch.ids, batch.weights)
    for _ in range(2):
        state, (carry, _) = step(state, carry, ids, batch.target)
    compiled = step.train_step_func.lower(state, carry, ids, batch.target).compile()
    check_pipelined(asynchronous_hlo(compiled), tables=1)
    plain = jax.jit(linen_step(model, optimizer)).lower(carry, ids, batch.target).compile()
    check_in_order(asynchronous_hlo(plain), tables=1)


def make_lookup(features: Any, mesh: Mesh) -> Any:
    """Make `(ids, variables) -> activations`."""
    whole = partial(
        embedding.tpu_sparse_dense_matmul, global_device_count=mesh.size, feature_specs=features
    )
    split = P(cases.AXIS)
    return jax.jit(
        jax.shard_map(whole, mesh=mesh, in_specs=(split, split), out_specs=split, check_vma=False)
    )


def random_tables() -> cases.Tables:
    """Draw the tables of `layer_cases`."""
    random = np.random.default_rng(5)
    return {
        name: random.standard_normal((kind.rows, kind.width)).astype(np.float32)
        for name, kind in cases.TABLES.items()
    }


def activations_of(tables: cases.Tables, batch: cases.Batch) -> dict[str, Any]:
    """Return the expected activations."""
    return {
        name: batch.matrices[name] @ tables[table] for name, (table, _) in cases.FEATURES.items()
    }


def variables_of(tables: cases.Tables, features: Any, mesh: Mesh) -> Any:
    """Stack and shard tables, and put them on the devices."""
    shards = mesh.size * utils.num_sparsecores_per_device()
    specs = dict(embedding.get_table_specs(features))
    stacks: Any = table_stacking.stack_and_shard_tables(specs, tables, shards, pad_value=np.nan)
    split = jax.sharding.NamedSharding(mesh, P(cases.AXIS, None))
    return {
        name: embedding.EmbeddingVariables(
            jax.device_put(stack.reshape(-1, stack.shape[-1]), split), ()
        )
        for name, stack in stacks.items()
    }


def stacking() -> None:
    """Look up in tables that the library stacked, and take the stacks apart in both ways."""
    mesh = make_mesh()
    features = cases.make_features(mesh)
    tables, batch = random_tables(), cases.make_batch(1)
    variables = variables_of(tables, features, mesh)
    ids, _ = cases.preprocessed(features, mesh, batch)
    found = make_lookup(features, mesh)(ids, variables)
    cases.assert_same(dict(found), activations_of(tables, batch))
    cases.assert_same(cases.unstacked(features, variables, mesh), tables)
    cores = utils.num_sparsecores_per_device()
    proto = embedding.create_proto_from_feature_specs(features, mesh.size, cores)
    stacks: Any = {name: each.table for name, each in variables.items()}
    apart = table_stacking.unstack_and_unshard_stacked_tables(stacks, proto)
    cases.assert_same(apart, tables)
    where = table_stacking.get_row_ids_in_stacked_tables(proto, {"studios": [0, 17, 39]})
    ((stack, rows),) = where.items()
    width = cases.TABLES["studios"].width
    cases.assert_same(stacks[stack][np.array(rows), :width], tables["studios"][[0, 17, 39]])


def fdo(client: Any) -> None:
    """Take limits and buffers from what was seen; the same is looked up in smaller buffers."""
    mesh = make_mesh()
    features = cases.make_features(mesh)
    tables = random_tables()
    variables = variables_of(tables, features, mesh)
    batches = [cases.make_batch(number) for number in range(STEPS)]
    before = [cases.preprocessed(features, mesh, batch) for batch in batches]
    for _, stats in before:
        client.record(stats)
    client.publish()
    cores = utils.num_sparsecores_per_device()
    embedding.update_preprocessing_parameters(features, client.load(), cores)
    lookup = make_lookup(features, mesh)
    for batch, (large, _) in zip(batches, before, strict=True):
        ids, _ = cases.preprocessed(features, mesh, batch)
        assert all(ids.lhs_gains[name].size < each.size for name, each in large.lhs_gains.items())
        cases.assert_same(dict(lookup(ids, variables)), activations_of(tables, batch))
    for stack, spec in embedding.get_stacked_table_specs(features).items():
        assert spec.max_ids_per_partition < 256, (stack, spec)


def in_new_directory(make: Any) -> Any:
    """Make a program of a client that keeps its files in a directory of its own."""

    def program() -> None:
        with tempfile.TemporaryDirectory() as directory:
            fdo(make(directory))

    return program


PROGRAMS = {
    "linen": linen,
    "linen, minibatches": partial(linen, enable_minibatching=True),
    "nnx": nnx_layer,
    "auto_pipelining": auto_pipelining,
    "auto_pipelining, schedule": auto_pipelining_schedule,
    "stacking": stacking,
    "fdo, npz": in_new_directory(NPZFileFDOClient),
    "fdo, csv": in_new_directory(CSVFileFDOClient),
}


if __name__ == "__main__":
    run(PROGRAMS)
