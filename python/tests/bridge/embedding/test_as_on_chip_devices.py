"""`sc.lookup(..., as_on_chip=True)` on 1, 2 and 4 devices."""

from __future__ import annotations

from support.bridge.ffi_programs import run_python

DEVICES = """
import time
import numpy as np
import sdykit.sparsecore as sc
from sdykit.sparsecore.preprocess import preprocess
from sdykit.sparsecore.stacking import stack
sc.lookup
import jax, jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

on_chip = {"as_on_chip": True, "max_ids_per_partition": 64, "max_unique_ids_per_partition": 32}
rng = np.random.default_rng(0)


def place(shape, names, split):
    kinds = (AxisType.Auto,) * len(shape)
    mesh = jax.make_mesh(shape, names, devices=jax.devices()[:int(np.prod(shape))], axis_types=kinds)
    return mesh, P(split)


def compiled(mesh, spec, function, check_vma=True):
    mapped = jax.shard_map(function, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=check_vma)
    put = NamedSharding(mesh, spec)
    # Together they would have tangents together.
    return lambda *arrays: jax.jit(mapped)(*(jax.device_put(each, put) for each in arrays))


def both(mesh, spec, rows, samples, combiner, check_vma, **axes):
    ids = rng.integers(-1, rows, (samples, 5)).astype(np.int32)
    weights = rng.uniform(0.1, 2, ids.shape).astype(np.float32)
    table = rng.normal(size=(rows, 8)).astype(np.float32)
    factors = rng.normal(size=(samples, 8)).astype(np.float32)
    results = []
    for options in ({}, on_chip):
        def lookup(table, ids, weights):
            return sc.lookup(table, ids, weights, combiner=combiner, **axes, **options)
        run = compiled(mesh, spec, lookup, check_vma)
        gradient = jax.grad(lambda table: jnp.sum(run(table, ids, weights) * factors))
        results.append((run(table, ids, weights), gradient(jnp.asarray(table))))
    for one, other in zip(*results):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)
    return ids, weights, table, combiner, results[1][0]


def of_buffers(mesh, spec, ids, weights, table, combiner, found):
    devices = mesh.size
    system = sc.System(devices, 4)
    limits = {name: value for name, value in on_chip.items() if name != "as_on_chip"}
    one = sc.TableSpec("t", len(table), 8, combiner=combiner, **limits)
    (made,) = stack([sc.FeatureSpec("f", one, len(ids))], system)
    done = preprocess({"f": ids}, [made], system, weights={"f": weights})
    buffers = sc.DeviceBuffers.from_stack(done.buffers["t"], made, system)
    ordered = table.reshape(-1, 4 * devices, 8).swapaxes(0, 1).reshape(table.shape)
    assert made.vocabulary_size == len(table)
    expected = compiled(mesh, spec, sc.lookup)(ordered, jax.tree.map(jnp.asarray, buffers))
    np.testing.assert_array_equal(found, expected)


for devices in (1, 2, 4):
    for check_vma, combiner in ((True, "mean"), (False, "sum")):
        made = place((devices,), ("d",), "d")
        both(*made, devices**2 * 12, devices * 5, combiner, check_vma)
        of_buffers(*made, *both(*made, devices * 32 * 4, devices * 8, combiner, check_vma))
mesh, spec = place((2, 2), ("a", "b"), ("a", "b"))
both(mesh, spec, 64, 24, "sqrtn", True)
both(mesh, P(("b", "a")), 64, 24, "sum", True, axis_name=("b", "a"))


def error_of(mesh, spec, ids, weights, rows=64, axes=None, **limits):
    def lookup(table, ids, weights):
        chosen = {"axis_name": axes} if axes else {}
        return sc.lookup(table, ids, weights, combiner="mean", **chosen, **{**on_chip, **limits})
    start = time.monotonic()
    table_spec = P(axes) if axes else spec
    mapped = jax.shard_map(lookup, mesh=mesh, in_specs=(table_spec, spec, spec), out_specs=spec)
    arrays = [np.ones((rows, 8), np.float32), ids, weights]
    arrays = [jax.device_put(x, NamedSharding(mesh, s)) for x, s in zip(arrays, (table_spec, spec, spec))]
    try:
        jax.block_until_ready(jax.jit(mapped)(*arrays))
    except (jax.errors.JaxRuntimeError, ValueError) as error:
        print(str(error).splitlines()[0].removeprefix("INVALID_ARGUMENT: "))
    assert time.monotonic() - start < 20


ids, weights = rng.integers(0, 64, (32, 3)).astype(np.int32), np.ones((32, 3), np.float32)
zeros = weights.copy()
zeros[19] = [1, -1, 0]
wrong = ids.copy()
wrong[30, 1] = 64
error_of(mesh, spec, ids, zeros)
error_of(mesh, spec, wrong, weights)
# Devices that have replicas of the table end, too.
error_of(mesh, spec, wrong, weights, axes="b")
ids[:] = -1
ids[18:20] = [[16, 32, 0], [48, 0, 16]]
error_of(mesh, spec, ids, weights, max_ids_per_partition=5)
error_of(mesh, spec, ids, weights, rows=48)
try:
    with jax.set_mesh(mesh):
        put = NamedSharding(mesh, spec)
        jax.jit(lambda t, i: sc.lookup(t, i, **on_chip))(
            jax.device_put(np.ones((64, 8), np.float32), put), jax.device_put(ids, put))
except ValueError as error:
    print(error)
"""


def test_many_devices() -> None:
    flags = "--xla_force_host_platform_device_count=4"
    zero, wrong, replicas, limit, rows, several = run_python(DEVICES, XLA_FLAGS=flags).splitlines()
    assert "weights: those of sample 19, or their squares, sum to 0" in zero
    expected = "lookup: ids: sample 30, position 1: id 64 is not in the vocabulary of 64 rows; "
    assert wrong.startswith(expected)
    assert replicas.startswith(expected)
    assert limit.startswith(
        "lookup: device 2, SparseCore 1, minibatch 0: 6 ids for partition 0; the program is "
        "compiled for 5 (max_ids_per_partition); expected "
    )
    assert rows == (
        "lookup: table is float32[12,8]; expected a multiple of 16 rows with as_on_chip, the SparseCores "
        "of all devices (add rows that no id names)"
    )
    assert several.startswith(
        "lookup: the program runs on 4 devices without jax.shard_map; expected "
    )
