"""Buffers that exceed the limits of a program end it with an error, on all devices."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sdykit.sparsecore as sc
import sdykit.sparsecore.limits as sdykit_limits
from sdykit.bridge.errors import BridgeError
from sdykit.sparsecore.optimizers import SGD
from sdykit.sparsecore.preprocess import Layout, preprocess
from sdykit.sparsecore.stacking import stack
from support.bridge.ffi_programs import run_python
from support.embedding import embedding_cases as cases

RUN_ERRORS = (jax.errors.JaxRuntimeError, ValueError)


def buffers(ids: int, unique: int, layout: Layout = "sdykit") -> tuple[Any, np.ndarray]:
    """Return buffers for a program with these limits, and a table; most samples have ids 0 and 4."""
    table = sc.TableSpec("items", 40, 8, max_ids_per_partition=64)
    stacks = stack([sc.FeatureSpec("seen", table, 32)], system := sc.System(1, 4))
    batch = np.tile(np.array([[0, 4]]), (32, 1))
    batch[9] = [1, 5]
    done = preprocess({"seen": batch}, stacks, system, layout=layout)
    made = sc.DeviceBuffers.from_stack(done.buffers["items"], stacks[0], system)
    limits = {"max_ids_per_partition": ids, "max_unique_ids_per_partition": unique}
    return dataclasses.replace(made, **limits), np.ones((64, 8), np.float32)


def error_of(function: Any, *arguments: Any) -> str:
    with pytest.raises(RUN_ERRORS) as raised:
        jax.block_until_ready(function(*arguments))
    return str(raised.value).splitlines()[0].removeprefix("INVALID_ARGUMENT: ")


IDS = (
    "device 0, SparseCore 0, minibatch 0: 16 ids for partition 0; the program is compiled for 15 "
    "(max_ids_per_partition); expected at most 15, or a program that is compiled for 16"
)
UNIQUE = (
    "device 0, SparseCore 0, minibatch 0: 2 unique ids for partition 0; the program is compiled "
    "for 1 (max_unique_ids_per_partition); expected at most 1, or a program that is compiled for 2"
)


@pytest.mark.parametrize("layout", ["sdykit", "jax_tpu_embedding"])
@pytest.mark.parametrize(("ids", "unique", "expected"), [(15, 15, IDS), (16, 1, UNIQUE)])
def test_lookups_and_updates_of_too_many_ids_are_errors(
    layout: Layout, ids: int, unique: int, expected: str
) -> None:
    made, table = buffers(ids, unique, layout)
    assert error_of(jax.jit(sc.lookup), table, made) == f"lookup: {expected}"

    def update(table: Any, made: Any) -> Any:
        return sc.grad_update(table, {}, made, None, jnp.ones((32, 8)), optimizer=SGD(0.1))[0]

    kept = jnp.asarray(table)
    assert error_of(jax.jit(update), kept, made) == f"grad_update: {expected}"
    assert np.array_equal(kept, table)

    def gradient(table: Any) -> Any:
        return jax.grad(lambda t: sc.lookup(t, made).sum())(table)

    assert error_of(jax.jit(gradient), table) == f"lookup: {expected}"


@pytest.mark.parametrize("layout", ["sdykit", "jax_tpu_embedding"])
def test_buffers_at_their_limits_are_looked_up(layout: Layout) -> None:
    made, table = buffers(16, 2, layout)
    assert np.array_equal(jax.jit(sc.lookup)(table, made), np.full((32, 8), 2.0))


def layer_with(**limits: Any) -> sc.Embedding:
    """Return a layer with a table that has these limits."""
    table = sc.TableSpec("items", 40, 8, SGD(0.1), **limits)
    return sc.Embedding([sc.FeatureSpec("seen", table, 32)])


def test_a_layer_has_its_own_limits_whichever_a_batch_was_made_with() -> None:
    """The error names table and feature."""
    layer, wide = layer_with(max_ids_per_partition=15), layer_with(max_ids_per_partition=64)
    variables = layer.init(jax.random.key(0), jax.nn.initializers.ones)
    batch = wide.preprocess({"seen": np.tile([0, 4], (32, 1))})
    where = "table 'items' (feature 'seen')"
    assert error_of(jax.jit(layer.lookup), variables, batch) == f"lookup: {where}: {IDS}"
    gradients = {"seen": jnp.ones((32, 8))}
    found = error_of(jax.jit(layer.update), variables, batch, gradients)
    assert found == f"update: {where}: {IDS}"
    few = np.tile([0, 4], (32, 1))
    few[::2, 1] = -1
    of_both = [
        jax.jit(layer.lookup)(variables, each.preprocess({"seen": few}))["seen"]
        for each in (layer, wide)
    ]
    assert np.array_equal(*of_both)


def test_a_layer_with_a_file_of_limits_holds_each_partition_to_its_own(tmp_path: Path) -> None:
    """SparseCores send 8 ids to partition 0 and 2 to partition 3; then 5 to partition 3."""
    ids = np.full((32, 2), -1)
    ids[:, 0], ids[::4, 1] = 4, 3
    path = tmp_path / "limits.json"
    sdykit_limits.write_limits(path, limits_of(ids, layer_with()))
    layer = sc.Embedding(
        layer_with().features,
        config=sc.SparsecoreConfig(xla_sparse_core_max_ids_file=str(path)),
    )
    (stack_,) = layer.stacks
    assert stack_.compiled_limits == {
        "max_ids_per_partition": 8,
        "max_unique_ids_per_partition": 1,
        "max_ids_of_partitions": (8, 1, 1, 2),
        "max_unique_ids_of_partitions": None,
    }
    variables = layer.init(jax.random.key(0), jax.nn.initializers.ones)
    found = jax.jit(layer.lookup)(variables, layer.preprocess({"seen": ids}))["seen"]
    assert found.sum() == 8 * 40
    ids[:4, 1] = 3
    more = layer_with().preprocess({"seen": ids})
    assert error_of(jax.jit(layer.lookup), variables, more) == (
        "lookup: table 'items' (feature 'seen'): device 0, SparseCore 0, minibatch 0: 5 ids for "
        "partition 3; the program is compiled for 2 (max_ids_per_partition); expected at "
        "most 2, or a program that is compiled for 5"
    )


def limits_of(ids: np.ndarray, layer: sc.Embedding) -> sdykit_limits.Limits:
    """Return the limits that a batch needs."""
    return sdykit_limits.compute_limits([{"seen": ids}], layer.stacks, layer.system)


def test_an_index_without_observed_figures_is_an_error() -> None:
    made, table = buffers(64, 64)
    with pytest.raises(BridgeError) as raised:
        sc.lookup(table, dataclasses.replace(made, observed=None))
    assert str(raised.value) == (
        "lookup: ids.observed is None; expected the whole index, or none of it"
    )
    with pytest.raises(BridgeError) as raised:
        sc.lookup(table, dataclasses.replace(made, observed=made.observed[1:]))
    assert str(raised.value) == "lookup: ids.observed is int32[31]; expected int32[32]"


def test_sample_minibatches_keep_to_the_limits() -> None:
    case = cases.buffers_case(0, samples_per_core=20, minibatching="sample", limit=6)
    assert case.ids.num_minibatches[0] > 1
    assert case.ids.max_ids_per_partition == 6
    assert cases.same(sc.lookup(case.flat, case.ids), case.lookup())


DEVICES = """
import dataclasses
import time
import numpy as np
import sdykit.sparsecore as sc
sc.lookup
import jax, jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P
from sdykit.sparsecore.optimizers import SGD
from sdykit.sparsecore.preprocess import preprocess
from sdykit.sparsecore.stacking import stack

mesh = jax.make_mesh((4,), ("chips",))
split = NamedSharding(mesh, P("chips"))
system = sc.System(4, 4)
table = sc.TableSpec("items", 160, 8, max_ids_per_partition=64)
stacks = stack([sc.FeatureSpec("seen", table, 64)], system)
batch = np.arange(64)[:, None] + [0, 16, 0]
batch[40:44] = [[7, 23, 39]] * 4
for minibatching in ("off", "vocabulary"):
    done = preprocess({"seen": batch}, stacks, system, minibatching=minibatching)
    count = None if minibatching == "off" else done.num_minibatches
    made = sc.DeviceBuffers.from_stack(
        done.buffers["items"], stacks[0], system, num_minibatches=count)
    rows = jax.device_put(np.ones((256, 8), np.float32), split)
    ones = jax.device_put(np.ones((64, 8), np.float32), split)

    def on_all(function):
        return jax.jit(jax.shard_map(function, mesh=mesh, in_specs=P("chips"), out_specs=P("chips")))

    def update(table, ids, gradients):
        return sc.grad_update(table, {}, ids, None, gradients, optimizer=SGD(0.5))[0]

    for ids, unique in ((12, 3), (11, 11), (12, 2), (12, 3)):
        limited = dataclasses.replace(
            made, max_ids_per_partition=ids, max_unique_ids_per_partition=unique)
        limited = jax.device_put(limited, split)
        for function, arguments in ((sc.lookup, ()), (update, (ones,))):
            start = time.monotonic()
            try:
                print(np.asarray(on_all(function)(rows, limited, *arguments)).sum())
            except (jax.errors.JaxRuntimeError, ValueError) as error:
                print(str(error).splitlines()[0].removeprefix("INVALID_ARGUMENT: "))
            assert time.monotonic() - start < 20
"""


def test_all_devices_end_together() -> None:
    """SparseCore 2 of device 2 sends 12 ids to partition 7, of device 1, 3 of them unique."""
    flags = "--xla_force_host_platform_device_count=4"
    lines = run_python(DEVICES, XLA_FLAGS=flags).splitlines()
    start = "device 2, SparseCore 2, minibatch 0: "
    ids = f"{start}12 ids for partition 7; the program is compiled for 11 (max_ids_per_partition)"
    unique = (
        f"{start}3 unique ids for partition 7; the program is compiled for 2 "
        "(max_unique_ids_per_partition)"
    )
    for found in (lines[:8], lines[8:]):
        assert found[0] == found[6]
        assert found[1] == found[7]
        assert not found[0].startswith("device")
        for number, (where, text) in enumerate(
            [("lookup", ids), ("grad_update", ids), ("lookup", unique), ("grad_update", unique)]
        ):
            assert found[2 + number].startswith(f"{where}: {text}; expected "), found
