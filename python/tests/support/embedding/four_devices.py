"""The beginning of programs on four devices of one process."""

FOUR_DEVICES = """
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
import numpy as np
import jax, jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P
import sdykit.sparsecore as sc
from sdykit.sparsecore.optimizers import SGD, Adagrad

mesh = jax.make_mesh((4,), ("x",), axis_types=(AxisType.Auto,))
split = P("x")
rng = np.random.default_rng(0)
def mapped(function, **options):
    return jax.jit(jax.shard_map(function, mesh=mesh, in_specs=split, out_specs=split), **options)
def put(array):
    # A copy, as JAX does not own the memory of arrays of numpy.
    return jax.jit(jnp.copy)(jax.device_put(array, jax.NamedSharding(mesh, split)))
"""
