"""Several devices of one process: one program for all, in the memory that they share."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.optimizers import SGD
from sdykit.sparsecore.tile.spec import LookupSpec, UpdateSpec
from support import SUPPORT
from support.bridge.ffi_programs import run_python
from support.embedding.four_devices import FOUR_DEVICES
from support.embedding.shared_memory_steps import KINDS

RUNS = SUPPORT / "embedding/shared_memory.py"


TRANSPORT = """
from support.embedding.embedding_cases import buffers_case
table, ids = np.ones((32, 8), np.float32), np.zeros((16, 2), np.int32)
def text(table=table, ids=ids):
    return mapped(lambda table, ids: sc.lookup(table, ids)).lower(table, ids).as_text()
for some in ({}, {"minibatching": "vocabulary", "limit": 4}, {"layout": "jax_tpu_embedding"}):
    case = buffers_case(0, 4, **some)
    for of_process in (text(), text(case.flat, case.ids)):
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
import dataclasses
from support.embedding.embedding_cases import buffers_case
def temporaries(devices, table, ids):
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:devices]), ("x",))
    def step(table, ids):
        rows = sc.lookup(table, ids)
        return sc.grad_update(table, {}, ids, None, rows, optimizer=SGD(0.1))[0]
    run = jax.jit(jax.shard_map(step, mesh=mesh, in_specs=split, out_specs=split))
    arrays = jax.tree.map(lambda each: jax.ShapeDtypeStruct(
        each.shape, each.dtype, sharding=jax.NamedSharding(mesh, split)), (table, ids))
    return run.lower(*arrays).compile().memory_analysis().temp_size_in_bytes
def of_ids(devices):
    table = jax.ShapeDtypeStruct((devices * 256, 8), jnp.float32)
    return temporaries(devices, table, jax.ShapeDtypeStruct((devices * 64, 4), jnp.int32))
def of_buffers(devices, **some):
    case = buffers_case(0, devices, **some)
    table = jax.ShapeDtypeStruct((devices * 256, 8), jnp.float32)
    buffers = dataclasses.replace(case.ids, rows_per_core=64)
    # As many entries on each number of devices: only row pointers are more.
    entries = jax.ShapeDtypeStruct((devices * 4096,), jnp.int32)
    buffers = dataclasses.replace(buffers, embedding_ids=entries, sample_ids=entries,
        gains=jax.ShapeDtypeStruct(entries.shape, jnp.float32))
    return temporaries(devices, table, buffers)
assert of_ids(2) == of_ids(4) > 0
for some in ({"layout": "jax_tpu_embedding"}, {"minibatching": "vocabulary", "limit": 4,
             "layout": "jax_tpu_embedding"}):
    assert of_buffers(2, **some) == of_buffers(4, **some) > 0, some
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
    command = [sys.executable, str(RUNS), f"--devices={devices}", "--runs=24"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    counts = "24 runs, 6 of them with errors"
    assert done.stdout.splitlines() == [f"{devices} devices, {kind}: {counts}" for kind in KINDS]


@pytest.mark.parametrize(
    "program",
    [TRANSPORT, LONG, IN_PLACE, TEMPORARIES, FEW_THREADS],
    ids=["transport", "long samples", "in place", "temporaries", "few threads"],
)
def test_on_four_devices(program: str) -> None:
    """The programs assert what they are about; the last line shows that they came to their end."""
    assert run_python(f"{FOUR_DEVICES}{program}\nprint('done')") == "done\n"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
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


def test_an_unknown_transport() -> None:
    with pytest.raises(SparseCoreError) as error:
        LookupSpec(dim=8, samples_per_core=4, transport="post")  # pyright: ignore[reportArgumentType]
    expected = "lookup: transport is 'post'; expected one of collectives, memory"
    assert str(error.value) == expected
