"""Raw ids on several devices of one process: one program for all, in the memory that they share."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sdykit.bridge._native import Argument, Kernel, SharedRun
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.optimizers import SGD
from sdykit.sparsecore.tile.spec import LookupSpec, UpdateSpec
from support import SUPPORT
from support.bridge.ffi_programs import run_python

RUNS = SUPPORT / "embedding/shared_memory.py"

START = """
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

TRANSPORT = """
table, ids = np.ones((32, 8), np.float32), np.zeros((16, 2), np.int32)
def text():
    return mapped(lambda table, ids: sc.lookup(table, ids)).lower(table, ids).as_text()
of_process = text()
assert 'transport\\\\22:\\\\22memory' in of_process, of_process
assert "all_gather" not in of_process and "all_to_all" not in of_process
for change in ({"execute": "chip"}, {"counters": True}, {"xla_sc_detect_nan": True}):
    sc.configure(**change)
    found = text()
    assert 'transport\\\\22:\\\\22collectives' in found, change
    assert "all_gather" in found
"""

LONG = """
table = rng.normal(size=(64, 20)).astype(np.float32)
ids = rng.integers(-1, 64, (8, 1500)).astype(np.int32)
weights = rng.normal(size=ids.shape).astype(np.float32)
found = mapped(lambda *each: sc.lookup(*each))(table, ids, weights)
expected = np.zeros((8, 20), np.float32)
for sample in range(8):
    for device in range(4):
        part = np.zeros(20, np.float32)
        for id, weight in zip(ids[sample], weights[sample]):
            if id >= 0 and id // 16 == device:
                part = part + weight * table[id]
        expected[sample] = expected[sample] + part
assert np.array_equal(np.asarray(found), expected)
"""

IN_PLACE = """
def step(table, slots, ids, gradients):
    return sc.grad_update(table, slots, ids, None, gradients, optimizer=Adagrad(0.1))
run = mapped(step, donate_argnums=(0, 1))
table = put(np.ones((4096, 8), np.float32))
slots = {"accumulator": put(np.full((4096, 8), 0.1, np.float32))}
ids, gradients = put(np.zeros((16, 1), np.int32)), put(np.ones((16, 8), np.float32))
def addresses(tree):
    return [shard.data.unsafe_buffer_pointer()
            for each in jax.tree.leaves(tree) for shard in each.addressable_shards]
before = addresses((table, slots))
after = run(table, slots, ids, gradients)
assert addresses(after) == before
# Of a table that is not donated, each device changes a copy.
kept = put(np.ones((4096, 8), np.float32))
again = mapped(step)(kept, after[1], ids, gradients)
assert np.array_equal(np.asarray(kept), np.ones((4096, 8), np.float32))
assert not np.array_equal(np.asarray(again[0]), np.asarray(kept))
"""

TEMPORARIES = """
def temporaries(devices, samples):
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:devices]), ("x",))
    def step(table, ids):
        rows = sc.lookup(table, ids)
        return sc.grad_update(table, {}, ids, None, rows, optimizer=SGD(0.1))[0]
    run = jax.jit(jax.shard_map(step, mesh=mesh, in_specs=split, out_specs=split))
    shapes = [((devices * 256, 8), jnp.float32), ((devices * samples, 4), jnp.int32)]
    arrays = [jax.ShapeDtypeStruct(*each, sharding=jax.NamedSharding(mesh, split)) for each in shapes]
    return run.lower(*arrays).compile().memory_analysis().temp_size_in_bytes
assert temporaries(2, 64) == temporaries(4, 64) > 0
"""

MISSING = """
import time
from sdykit.bridge import _native
_native.set_rendezvous_timeout(1000)
table, ids = put(np.ones((32, 8), np.float32)), put(np.zeros((16, 2), np.int32))
def some(table, ids):
    look = lambda: sc.lookup(table, ids)
    none = lambda: jax.lax.pcast(jnp.zeros((4, 8), jnp.float32), "x", to="varying")
    return jax.lax.cond(jax.lax.axis_index("x") % 2 == 0, look, none)
start = time.perf_counter()
try:
    jax.block_until_ready(mapped(some)(table, ids))
    raise AssertionError("there is no error")
except jax.errors.JaxRuntimeError as error:
    assert (
        "@lookup: of 4 devices, these have not come to it within 1 s: 1, 3; expected all to run the "
        "program: see whether an error has ended one of them, or whether it is waiting for the others"
    ) in str(error), error
assert time.perf_counter() - start < 60
# The next execution is not concerned.
found = mapped(lambda *each: sc.lookup(*each))(table, ids)
assert np.array_equal(np.asarray(found), np.full((16, 8), 2, np.float32))
"""

FEW_THREADS = """
from sdykit.bridge import host_devices
host_devices._threads = lambda: 1 << 20  # As if there were enough.
os.environ["NPROC"] = "1"
table, ids = np.arange(256, dtype=np.float32).reshape(32, 8), rng.integers(0, 32, (16, 2), np.int32)
run = mapped(lambda *each: sc.lookup(*each))
for _ in range(3):
    assert np.array_equal(np.asarray(run(table, ids)), table[ids].sum(axis=1))
assert os.environ["NPROC"] == "1"
"""


@pytest.mark.parametrize("devices", [2, 4, 8, 16])
def test_runs_neither_hang_nor_differ_and_errors_end_all_devices(devices: int) -> None:
    command = [sys.executable, str(RUNS), f"--devices={devices}", "--runs=40"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{devices} devices: 40 runs, 10 of them with errors\n"


@pytest.mark.parametrize(
    "program",
    [TRANSPORT, LONG, IN_PLACE, TEMPORARIES, MISSING, FEW_THREADS],
    ids=["transport", "long samples", "in place", "temporaries", "missing devices", "few threads"],
)
def test_on_four_devices(program: str) -> None:
    run_python(START + program)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"layout": "sdykit"}, "layout 'sdykit'; expected 'ids'"),
        ({"reading": "chip"}, "reading 'chip'; expected 'cpu'"),
        ({"check_nan": True}, "check_nan True; expected False"),
        ({"counters": True}, "counters True; expected False"),
        ({"num_devices": 1}, "num_devices 1; expected several devices"),
    ],
)
def test_other_programs_are_of_one_device(fields: dict[str, object], expected: str) -> None:
    usual = {"layout": "ids", "num_devices": 4, "transport": "memory", "dim": 8}
    for kind, more in ((LookupSpec, {}), (UpdateSpec, {"optimizer": SGD(1.0)})):
        given = {**usual, "samples_per_core": 4, **more, **fields}
        with pytest.raises(SparseCoreError) as error:
            kind(**given)  # pyright: ignore[reportArgumentType]
        assert str(error.value) == f"{kind.kind}: transport is 'memory' with {expected}"


def test_flat_tables_are_of_one_device() -> None:
    with pytest.raises(SparseCoreError) as error:
        UpdateSpec(
            dim=1,
            samples_per_core=4,
            layout="ids",
            num_devices=2,
            transport="memory",
            flat=True,
        )
    assert str(error.value) == "update: transport is 'memory' with flat True; expected False"


def test_an_unknown_transport() -> None:
    with pytest.raises(SparseCoreError) as error:
        LookupSpec(dim=8, samples_per_core=4, transport="post")  # pyright: ignore[reportArgumentType]
    expected = "lookup: transport is 'post'; expected one of collectives, memory"
    assert str(error.value) == expected


PLACE, DATA = Argument("place", "i32", [2]), Argument("data", "f32", [-1])
OFFSETS, WORK = Argument("", "i64", [2, 4]), Argument("work", "i64", [2, -1])
SHARED = {"devices": 4, "place": 0, "offsets": 2, "workspaces": [(3, [2, 10], 160)]}


@pytest.mark.parametrize(
    ("changes", "arguments", "expected"),
    [
        ({"place": 9}, {}, "the place is argument 9; expected a number below 4"),
        ({"place": 1}, {}, "the place is float32[?]; expected int32[2]"),
        ({"devices": 3}, {}, "the offsets are int64[2,4]; expected int64[2,3], for each array"),
        (
            {"workspaces": [(3, [4, 10], 320)]},
            {},
            "the workspace is int64[4,10]; expected int64[2,?]",
        ),
        ({"workspaces": [(3, [2], 16)]}, {}, "the workspace is int64[2]; expected int64[2,?]"),
        (
            {},
            {"recorded": 1},
            "runs for several devices, and is recorded, counts or is asynchronous",
        ),
    ],
)
def test_kernels_that_cannot_be_shared(
    changes: dict[str, object], arguments: dict[str, int], expected: str
) -> None:
    shared = SharedRun(**{**SHARED, **changes})  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match=r".") as error:
        Kernel(
            "k",
            [],
            [PLACE, DATA, OFFSETS, WORK],
            aliases=[],
            status=None,
            shared=shared,
            messages=[],
            scratch_bytes=0,
            serial_bytes=0,
            **arguments,  # pyright: ignore[reportArgumentType]
        )
    assert expected in str(error.value)
