"""Compiled lookups and updates in other processes, and updates in place."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import SUPPORT
from support.bridge.ffi_programs import KEEP_IN_JAX_CACHE, run_in
from support.embedding.processes import run_processes

# A step of training, for processes of their own.
STEP = """
import jax, jax.numpy as jnp, numpy as np, pickle
from pathlib import Path
import sdykit.sparsecore as sc
from support.embedding import embedding_cases as cases
from sdykit.sparsecore.optimizers import Adam
case = cases.raw_case(0)
optimizer = Adam(0.1)
gradients = np.random.default_rng(0).normal(size=case.lookup().shape).astype(np.float32)
slots = cases.make_slots(case, optimizer, 0)
def step(table, slots, ids, weights, gradients, number):
    activations = sc.lookup(table, ids, weights)
    # The update takes something of the lookup: it comes after it, and needs no copy.
    rate = jnp.where(activations[0, 0] == jnp.inf, 0, 0.1)
    return sc.grad_update(table, slots, ids, weights, gradients, optimizer=optimizer,
                          step=number, learning_rate=rate)
arguments = (case.flat, slots, case.ids, case.weights, gradients, np.int32(3))
def check(found):
    expected = case.update(slots, gradients, optimizer, 3)
    table, held = found
    for name, array in {"table": table, **held}.items():
        assert cases.same(array, expected[name]), name
    print("right")
"""


def test_a_serialized_executable_runs_in_another_process(tmp_path: Path) -> None:
    writes = """
    from jax.experimental import serialize_executable as serializing
    compiled = jax.jit(step).lower(*arguments).compile()
    Path("program").write_bytes(pickle.dumps(serializing.serialize(compiled)))
    """
    reads = """
    from jax.experimental import serialize_executable as serializing
    check(serializing.deserialize_and_load(*pickle.loads(Path("program").read_bytes()))(*arguments))
    """
    run_in(tmp_path, STEP, writes)
    assert run_in(tmp_path, STEP, reads) == "right\n"


def test_an_exported_program_runs_in_another_process(tmp_path: Path) -> None:
    pytest.importorskip("flatbuffers", reason="jax.export serializes with it")
    writes = """
    from sdykit.bridge import ffi
    allowed = [jax.export.DisabledSafetyCheck.custom_call(ffi.TARGET)]
    exported = jax.export.export(jax.jit(step), disabled_checks=allowed)(*arguments)
    Path("program").write_bytes(exported.serialize())
    """
    reads = """
    check(jax.export.deserialize(bytearray(Path("program").read_bytes())).call(*arguments))
    """
    run_in(tmp_path, STEP, writes)
    assert run_in(tmp_path, STEP, "sc.lookup", reads) == "right\n"


ON_FOUR = """
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
"""

SPLIT = """
mesh = jax.make_mesh((2, 2), ("a", "b"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
split = jax.sharding.PartitionSpec(("a", "b"))
specs = (*[split] * 5, jax.sharding.PartitionSpec())
on_four = jax.jit(jax.shard_map(step, mesh=mesh, in_specs=specs, out_specs=split))
arguments = jax.tree.map(
    lambda x, spec: jax.device_put(x, jax.NamedSharding(mesh, spec)), arguments,
    (split, dict.fromkeys(slots, split), *[split] * 3, jax.sharding.PartitionSpec()))
"""


def test_programs_of_four_devices_run_in_another_process(tmp_path: Path) -> None:
    pytest.importorskip("flatbuffers", reason="jax.export serializes with it")
    start = (ON_FOUR, STEP.replace("cases.raw_case(0)", "cases.raw_case(0, 4)"), SPLIT)
    writes = """
    from jax.experimental import serialize_executable as serializing
    from sdykit.bridge import ffi
    compiled = on_four.lower(*arguments).compile()
    Path("compiled").write_bytes(pickle.dumps(serializing.serialize(compiled)))
    allowed = [jax.export.DisabledSafetyCheck.custom_call(ffi.TARGET)]
    exported = jax.export.export(on_four, disabled_checks=allowed)(*arguments)
    Path("exported").write_bytes(exported.serialize())
    """
    reads = """
    from jax.experimental import serialize_executable as serializing
    compiled = serializing.deserialize_and_load(*pickle.loads(Path("compiled").read_bytes()))
    check(compiled(*arguments))
    exported = jax.export.deserialize(bytearray(Path("exported").read_bytes()))
    assert exported.nr_devices == 4
    check(jax.jit(exported.call)(*arguments))
    """
    run_in(tmp_path, *start, writes)
    assert run_in(tmp_path, *start, reads) == "right\nright\n"


def test_a_program_of_one_process_is_refused_by_several(tmp_path: Path) -> None:
    """Each of them has enough devices, but not those of the mesh."""
    pytest.importorskip("flatbuffers", reason="jax.export serializes with it")
    start = (ON_FOUR, STEP.replace("cases.raw_case(0)", "cases.raw_case(0, 4)"), SPLIT)
    writes = """
    from sdykit.bridge import ffi
    allowed = [jax.export.DisabledSafetyCheck.custom_call(ffi.TARGET)]
    exported = jax.export.export(on_four, disabled_checks=allowed)(*arguments)
    Path("exported").write_bytes(exported.serialize())
    """
    run_in(tmp_path, *start, writes)
    worker, path = str(SUPPORT / "embedding/exported_worker.py"), str(tmp_path / "exported")
    for found in run_processes(worker, 2, path, devices=4, timeout=300):
        assert (
            "the program runs once for 4 devices, in the memory of one process, and there are 2 "
            "processes; expected a program that is traced, or exported, where jax.process_count()"
        ) in found


def test_the_compilation_cache_of_jax_is_used(tmp_path: Path) -> None:
    program = """
    check(jax.jit(step)(*arguments))
    tell_hits()
    """
    parts = (KEEP_IN_JAX_CACHE, STEP, program)
    assert run_in(tmp_path, *parts) == "right\n0\n"
    assert run_in(tmp_path, *parts) == "right\n1\n"


START = """
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=DEVICES"
"""

IN_PLACE = """
split = jax.sharding.PartitionSpec("x")
mesh = jax.make_mesh((DEVICES,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
place = jax.NamedSharding(mesh, split)
# What is put may still be numpy's memory, which cannot be donated.
put = lambda tree: jax.tree.map(lambda x: jax.jit(jnp.copy)(jax.device_put(x, place)), tree)
specs = (*[split] * 5, jax.sharding.PartitionSpec())
mapped = jax.shard_map(step, mesh=mesh, in_specs=specs, out_specs=split)
run = jax.jit(mapped, donate_argnums=(0, 1))
on_devices = [*map(put, arguments[:5]), jnp.int32(3)]
compiled = run.lower(*on_devices).compile()
pointers = lambda x: [each.data.unsafe_buffer_pointer() for each in x.addressable_shards]
before = [pointers(each) for each in jax.tree.leaves(on_devices[:2])]
found = compiled(*on_devices)
assert [pointers(each) for each in jax.tree.leaves(found)] == before, "elsewhere"
memory = compiled.memory_analysis()
own = case.flat.nbytes // DEVICES
assert memory.alias_size_in_bytes == 3 * own, memory.alias_size_in_bytes
assert memory.temp_size_in_bytes < own, (memory.temp_size_in_bytes, own)
check(found)
"""

BATCHES = {
    "raw ids": "cases.raw_case(0, DEVICES, rows=100_000 // DEVICES, samples=64)",
    "buffers": "cases.buffers_case(0, DEVICES, vocabulary=100_000, limit=64)",
}


@pytest.mark.parametrize("devices", [1, 4])
@pytest.mark.parametrize("make", BATCHES.values(), ids=BATCHES)
def test_a_donated_table_is_not_copied(tmp_path: Path, make: str, devices: int) -> None:
    program = START + STEP.replace("cases.raw_case(0)", make) + IN_PLACE
    assert run_in(tmp_path, program.replace("DEVICES", str(devices))) == "right\n"
