"""Errors of wrong calls over several devices, with their text."""

from __future__ import annotations

import textwrap

import pytest

from support.bridge.ffi_programs import run_python

START = """
import re
import numpy as np
import sdykit.sparsecore as sc
from support.embedding.embedding_cases import buffers_case
from sdykit.bridge.errors import BridgeError
from sdykit.sparsecore.optimizers import SGD
sc.lookup  # Sets NPROC.
import jax, jax.numpy as jnp
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

def error(function, *args):
    try:
        function(*args)
    except BridgeError as found:
        return str(found)
    raise AssertionError("there is no error")

mesh = jax.make_mesh((2, 2), ("a", "b"), axis_types=(AxisType.Auto,) * 2)
table = np.ones((16, 8), np.float32)
ids = np.zeros((8, 2), np.int32)
def mapped(function, in_specs, **options):
    options = {"out_specs": P(("a", "b")), **options}
    return jax.jit(jax.shard_map(function, mesh=mesh, in_specs=in_specs, **options))
"""

PLAIN = """
for sharding in (NamedSharding(mesh, P("a")), NamedSharding(mesh, P())):
    place = lambda x: jax.device_put(x, sharding)
    run = lambda table, ids: sc.lookup(table, ids)
    update = lambda table, ids: sc.grad_update(
        table, {}, ids, None, jnp.ones((8, 8)), optimizer=SGD(0.1))
    for where, function in (("lookup", run), ("grad_update", update)):
        expected = (f"{where}: the program runs on 4 devices without jax.shard_map; expected "
            "jax.shard_map, in which each device has its part of table and batch")
        for each in (function, jax.jit(function)):
            found = error(each, place(table), place(ids))
            assert found == expected, found
        # Outside of a jit, each operation is a program for itself.
        assert error(function, place(table), ids) == expected
# A program on one of several devices is as any other.
one = jax.device_put(table, jax.devices()[1])
assert sc.lookup(one, ids).devices() == {jax.devices()[1]}
assert jax.jit(sc.lookup)(one, ids).devices() == {jax.devices()[1]}
# What is closed over in shard_map is known there, and each device has all of it.
whole = jax.device_put(np.arange(128, dtype=np.float32).reshape(16, 8), NamedSharding(mesh, P()))
run = mapped(lambda ids: sc.lookup(whole, ids, axis_name=()), P(("a", "b")))
rows = np.arange(8, dtype=np.int32)[:, None]
assert np.array_equal(run(rows), np.asarray(whole)[:8])
"""

AXES = """
both = P(("a", "b"))
for name, expected in [
    ("c", "names 'c'; the manual axes of the mesh are ('a', 'b')"),
    (("a", "a"), "names 'a' twice; expected each axis once"),
]:
    run = mapped(lambda table, ids: sc.lookup(table, ids, axis_name=name), (both, both))
    found = error(run, table, ids)
    assert found == f"lookup: axis_name {expected}", found
run = mapped(lambda table, ids: sc.lookup(table, ids, axis_name="b"), (P("a"), P("a")),
             axis_names={"a"}, out_specs=P("a"))
found = error(run, table, ids)
assert found == "lookup: axis_name names 'b'; the manual axes of the mesh are 'a'", found
"""

WHOLE = """
run = mapped(lambda table, ids: sc.lookup(table, ids), (P("a"), P(("a", "b"))))
found = error(run, table, ids)
assert found == (
    "lookup: table is the same on all devices along 'b'; expected a part of it on each, by "
    "in_specs as P(('a', 'b')), or an axis_name without it"
), found
# With the axis named, each half of the devices has a table of its own.
run = mapped(lambda table, ids: sc.lookup(table, ids, axis_name="a"), (P("a"), P(("a", "b"))))
np.testing.assert_array_equal(run(table, ids), np.full((8, 8), 2))
def update(table, slot, ids):
    from sdykit.sparsecore.optimizers import Adagrad
    return sc.grad_update(table, {"accumulator": slot}, ids, None, jnp.ones((2, 8)),
                          optimizer=Adagrad(0.1))
run = mapped(update, (P(("a", "b")), P(), P(("a", "b"))))
found = error(run, table, table[:4], ids)
assert found == (
    "grad_update: slots['accumulator'] is the same on all devices along ('a', 'b'); expected a part of it "
    "on each, by in_specs as P(('a', 'b')), or an axis_name without it"
), found
"""

OTHER_DEVICES = """
split = P(("a", "b"))
two, four = buffers_case(0, 2), buffers_case(0, 4)
# Axes are found by the number of devices.
run = mapped(lambda table, ids: sc.lookup(table, ids), (split, split))
np.testing.assert_array_equal(run(four.flat, four.ids), four.lookup())
found = error(mapped(lambda table, ids: sc.lookup(table, ids), (P("a"), P("a")),
    check_vma=False), two.flat, two.ids)
assert found == (
    "lookup: ids are made for 2 devices, which may be those of 'a' or 'b'; expected axis_name with "
    "the axes that the table is split over"
), found
named = mapped(lambda table, ids: sc.lookup(table, ids, axis_name="b"), (P("b"), P("b")),
    out_specs=P("b"))
np.testing.assert_array_equal(named(two.flat, two.ids), two.lookup())
numbers = np.arange(16, dtype=np.int32).reshape(8, 2)  # Raw ids.
np.testing.assert_array_equal(named(two.flat, numbers), two.flat[numbers].sum(axis=1))
wide = Mesh(np.array(jax.devices()).reshape(1, 2, 2), ("one", "a", "b"))
lone = jax.jit(jax.shard_map(lambda table, ids: sc.lookup(table, ids), mesh=wide,
    in_specs=P("a"), out_specs=P("a"), axis_names={"one", "a"}))
np.testing.assert_array_equal(lone(two.flat, two.ids), two.lookup())
for devices, name, where in [(2, ("a", "b"), "4 along ('a', 'b')"), (4, "a", "2 along 'a'"),
                             (8, None, "4 along ('a', 'b')")]:
    case = buffers_case(0, devices)
    run = mapped(lambda table, ids: sc.lookup(table, ids, axis_name=name), (split, split))
    found = error(run, case.flat, case.ids)
    assert found == (
        f"lookup: ids are made for {devices} devices; the call has {where}; expected ids that are "
        "preprocessed for these devices"
    ), found
"""

LAYER = """
features = [sc.FeatureSpec("f", sc.TableSpec("t", 30, 8), 32)]
found = error(lambda: sc.Embedding(features, mesh=mesh, axis_name="c"))
assert found == "Embedding: axis_name is 'c'; expected each axis once, among 'a', 'b'", found
found = error(lambda: sc.Embedding(features, axis_name="a"))
assert found == "Embedding: axis_name is 'a' without a mesh; expected None", found
found = error(lambda: sc.Embedding(features, mesh=4))
assert found == "Embedding: mesh is 4; expected a jax.sharding.Mesh, or None", found
"""

RUNNING = """
# An error of one device is raised on all: none waits for another.
split = P(("a", "b"))
ones = np.ones((8, 2), np.float32)
no_weight, wild = ones.copy(), ids.copy()
no_weight[5], wild[2] = 0, 16
run = mapped(lambda table, ids, weights: sc.lookup(table, ids, weights, combiner="mean"),
             (split,) * 3)
for given, text in [((ids, no_weight), "weights: those of sample 9, or their squares, sum to 0"),
                    ((wild, ones), "id 16 is not in the vocabulary")]:
    for _ in range(2):
        try:
            run(table, *given).block_until_ready()
        except (jax.errors.JaxRuntimeError, ValueError) as found:
            assert text in str(found), str(found)
        else:
            raise AssertionError("there is no error")
    np.testing.assert_array_equal(run(table, ids, ones), np.ones((8, 8)))
"""

REPLICAS = """
# Each device along the axis `a` has a replica of the table's part: those without the error fail, too.
from jax._src.dispatch import runtime_tokens
from support.embedding.transport import through_collectives
seen = []
no_weight = np.ones((8, 2), np.float32)
no_weight[5] = 0
with through_collectives():
    for axes, of_table in ((("b",), P("b")), ((), P())):
        def look(table, ids, weights):
            found = sc.lookup(table, ids, weights, combiner="mean", axis_name=axes)
            jax.debug.callback(seen.append, jnp.sum(found))
            return found
        run = mapped(look, (of_table, P(("a", "b")), P(("a", "b"))))
        try:
            jax.block_until_ready(run(table, ids, no_weight))
            raise AssertionError("there is no error")
        except (jax.errors.JaxRuntimeError, ValueError) as found:
            text = "lookup: weights: those of sample 1, or their squares, sum to 0"
            assert text in str(found), str(found)
        runtime_tokens.clear()  # Callbacks leave the error to the end of the process.
        assert not seen, seen  # No device went on.
"""

PARTS = {
    "running": RUNNING,
    "replicas": REPLICAS,
    "plain jit": PLAIN,
    "axes": AXES,
    "a table that is not split": WHOLE,
    "other devices": OTHER_DEVICES,
    "layer": LAYER,
}


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_wrong_calls_on_several_devices_are_errors(part: str) -> None:
    flags = "--xla_force_host_platform_device_count=4"
    assert run_python(START + textwrap.dedent(part), XLA_FLAGS=flags) == ""
