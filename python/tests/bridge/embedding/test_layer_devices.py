"""A layer over four devices: placement of arrays, and calls inside and outside of `shard_map`."""

from __future__ import annotations

import textwrap

import pytest

from support.bridge.ffi_programs import run_python

START = """
import numpy as np
import sdykit.sparsecore as sc
from support.embedding.many_tables import FEATURES, make_ids
sc.lookup  # Sets NPROC.
import jax, jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

def layer(kind, axis_name=None, **options):
    mesh = jax.make_mesh((2, 2), ("a", "b"), axis_types=(kind,) * 2)
    embedding = sc.Embedding(FEATURES, mesh=mesh, axis_name=axis_name, **options)
    variables = embedding.init(jax.random.key(0), jax.nn.initializers.normal(0.1))
    return embedding, variables, embedding.preprocess(*make_ids(0))

def equal(one, other):
    assert jax.tree.structure(one) == jax.tree.structure(other)
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other)):
        np.testing.assert_array_equal(a, b)
"""

CALLS = """
results = []
for kind in (AxisType.Auto, AxisType.Explicit):
    embedding, variables, batch = layer(kind)
    assert (embedding.system.num_devices, embedding.spec) == (4, P(("a", "b")))
    for leaf in jax.tree.leaves((variables, batch)):
        assert leaf.sharding.is_equivalent_to(embedding.sharding, leaf.ndim), leaf.sharding
    found = embedding.lookup(variables, batch)
    equal(found, jax.jit(embedding.lookup)(variables, batch))
    inside = jax.jit(jax.shard_map(embedding.lookup, mesh=embedding.mesh,
        in_specs=embedding.spec, out_specs=embedding.spec))
    equal(found, inside(variables, batch))
    ones = {name: np.ones(each.shape, np.float32) for name, each in found.items()}
    after = embedding.update(variables, batch, ones, 3)
    # Gradients may be on one device, or made in the program.
    equal(after, embedding.update(variables, batch, jax.tree.map(jnp.asarray, ones), 3))
    equal(after, jax.jit(embedding.update)(variables, batch, ones, 3))
    made = lambda v, b: embedding.update(v, b, {n: jnp.ones(x.shape) for n, x in ones.items()}, 3)
    equal(after, jax.jit(made)(variables, batch))
    update = lambda v, b, g, step: embedding.update(v, b, g, step)
    inside = jax.jit(jax.shard_map(update, mesh=embedding.mesh,
        in_specs=(*[embedding.spec] * 3, P()), out_specs=embedding.spec))
    placed = jax.device_put(ones, embedding.sharding)
    equal(after, inside(variables, batch, placed, jnp.int32(3)))
    results.append((found, embedding.tables(after), embedding.tables(after, "velocity")))
equal(*results)
"""

AXES = """
# Over one axis of two; along the other all is the same.
embedding, variables, batch = layer(AxisType.Auto, "b")
assert (embedding.system.num_devices, embedding.spec) == (2, P(("b",)))
found = jax.jit(embedding.lookup)(variables, batch)
mesh = jax.make_mesh((2,), ("x",))
two = sc.Embedding(FEATURES, mesh=mesh)
same = two.init(jax.random.key(0), jax.nn.initializers.normal(0.1))
equal(found, two.lookup(same, two.preprocess(*make_ids(0))))
"""

ON_DEVICES = """
equal(layer(AxisType.Auto)[1], layer(AxisType.Auto, config=sc.SparsecoreConfig(
    initialize_tables_on_host=False))[1])
"""

PARTS = {"calls": CALLS, "axes": AXES, "made on devices": ON_DEVICES}


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_a_layer_works_on_four_devices(part: str) -> None:
    flags = "--xla_force_host_platform_device_count=4"
    assert run_python(START + textwrap.dedent(part), XLA_FLAGS=flags) == ""
