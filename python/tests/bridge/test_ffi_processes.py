"""Compiled programs on several devices, in other processes, and at the end of a process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from support.bridge.ffi_programs import KEEP_IN_JAX_CACHE, run_in, run_python, start_python

# `sdykit.bridge.ffi` and a call, for processes of their own.
CALL = """
import jax, jax.numpy as jnp, numpy as np
from pathlib import Path
from sdykit.bridge import ffi
from support.bridge.ffi_programs import DOUBLE, ADD_ROWS, REVERSED_TWICE, checked
def double(x):
    return ffi.call(DOUBLE, [x], [x])[0]
def add_rows(table, ids):
    return ffi.call(ADD_ROWS, [table, ids], [table], input_output_aliases={0: 0})[0]
"""

SHARDED = """
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
count = DEVICES
assert jax.device_count() == count
mesh = jax.make_mesh((count // 2, 2) if count > 1 else (1, 1), ("a", "b"))
sharding = NamedSharding(mesh, P(("a", "b")))
table = np.random.default_rng(0).normal(size=(16 * count, 8)).astype(np.float32)
ids = np.random.default_rng(1).integers(0, 16, (4,)).astype(np.int32)
expected = table.copy()
for part in range(count):
    for each in ids:
        expected[16 * part + each] += np.float32(1)
for check_vma in (True, False):
    # The ids are the same on all devices, the table is not.
    step = jax.jit(
        jax.shard_map(
            lambda table, ids: (add_rows(table, ids), double(table[:, 0])),
            mesh=mesh, in_specs=(P(("a", "b")), P()), out_specs=(P(("a", "b")),) * 2,
            check_vma=check_vma),
        donate_argnums=0)
    placed = jax.device_put(table, sharding)
    got, doubled = step(placed, ids)
    np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(doubled, 2 * table[:, 0])
only_update = jax.jit(
    jax.shard_map(add_rows, mesh=mesh, in_specs=(P(("a", "b")), P()), out_specs=P(("a", "b"))),
    donate_argnums=0)
# What is put may still be numpy's memory, which cannot be donated.
placed = jax.jit(jnp.copy)(jax.device_put(table, sharding))
pointers = [shard.data.unsafe_buffer_pointer() for shard in placed.addressable_shards]
got = only_update(placed, ids)
assert [shard.data.unsafe_buffer_pointer() for shard in got.addressable_shards] == pointers
np.testing.assert_array_equal(got, expected)
text = only_update.lower(got, ids).compile().as_text()
assert "all-gather" not in text and "all-reduce" not in text
if count > 1:
    partly = jax.jit(
        jax.shard_map(double, mesh=mesh, in_specs=P("a"), out_specs=P("a"), axis_names={"a"}))
    np.testing.assert_array_equal(partly(table[:, 0]), 2 * table[:, 0])
large = jax.device_put(np.arange(count << 18, dtype=np.float32), sharding)
sharded = jax.jit(jax.shard_map(
    lambda x: ffi.call(REVERSED_TWICE, [x], [x, x])[1],
    mesh=mesh, in_specs=P(("a", "b")), out_specs=P(("a", "b"))))
for _ in range(5):
    np.testing.assert_array_equal(sharded(large), 2 * np.asarray(large))
print("done")
"""


@pytest.mark.parametrize("devices", [1, 2, 4, 8])
def test_calls_work_in_a_shard_map(devices: int) -> None:
    flags = f"--xla_force_host_platform_device_count={devices}"
    program = CALL + SHARDED.replace("DEVICES", str(devices))
    assert run_python(program, XLA_FLAGS=flags, NPROC=str(2 * devices)) == "done\n"


def test_a_serialized_executable_runs_in_another_process(tmp_path: Path) -> None:
    writes = """
    from jax.experimental import serialize_executable as serializing
    import pickle
    compiled = jax.jit(add_rows, donate_argnums=0).lower(jnp.ones((4, 8)), np.ones(3, np.int32)).compile()
    Path("program").write_bytes(pickle.dumps(serializing.serialize(compiled)))
    """
    reads = """
    import jax, jax.numpy as jnp, numpy as np, pickle
    from pathlib import Path
    from jax.experimental import serialize_executable as serializing
    import sdykit.bridge.ffi
    loaded = serializing.deserialize_and_load(*pickle.loads(Path("program").read_bytes()))
    table = jnp.ones((4, 8))
    place = table.unsafe_buffer_pointer()
    got = loaded(table, jnp.full(3, 1, np.int32))
    print(np.asarray(got).sum(axis=1), got.unsafe_buffer_pointer() == place)
    """
    run_in(tmp_path, CALL, writes)
    assert run_in(tmp_path, reads) == "[ 8. 32.  8.  8.] True\n"
    no_handler = reads.replace("import sdykit.bridge.ffi", "").replace(
        "print(", "raise SystemExit("
    )
    with pytest.raises(AssertionError, match="sdykit_sparsecore"):
        run_in(tmp_path, no_handler)


def test_an_exported_program_runs_in_another_process(tmp_path: Path) -> None:
    pytest.importorskip("flatbuffers", reason="jax.export serializes with it")
    writes = """
    exported = jax.export.export(
        jax.jit(double), disabled_checks=[jax.export.DisabledSafetyCheck.custom_call(ffi.TARGET)]
    )(jax.ShapeDtypeStruct((4,), jnp.float32))
    Path("program").write_bytes(exported.serialize())
    """
    reads = """
    import jax, numpy as np
    from pathlib import Path
    import sdykit.bridge.ffi
    exported = jax.export.deserialize(bytearray(Path("program").read_bytes()))
    print(exported.call(np.arange(4, dtype=np.float32)))
    """
    run_in(tmp_path, CALL, writes)
    assert run_in(tmp_path, reads) == "[0. 2. 4. 6.]\n"


def test_the_compilation_cache_of_jax_is_used(tmp_path: Path) -> None:
    program = """
    print(jax.jit(double)(np.arange(4, dtype=np.float32)))
    tell_hits()
    """
    parts = (KEEP_IN_JAX_CACHE, CALL, program)
    assert run_in(tmp_path, *parts) == "[0. 2. 4. 6.]\n0\n"
    assert run_in(tmp_path, *parts) == "[0. 2. 4. 6.]\n1\n"


def test_processes_share_compiled_objects(tmp_path: Path) -> None:
    program = """
    print(double(np.arange(4, dtype=np.float32)))
    """
    for _ in range(2):
        assert run_in(tmp_path, CALL, program) == "[0. 2. 4. 6.]\n"
        assert len(list((tmp_path / "objects" / "objects").iterdir())) == 1


# A phase of half a second, by one thread or several; Python ends in the middle of it.
SLOW = """
text = '''
func.func @slow(%x: memref<64xf32>, %y: memref<64xf32>)
    attributes {sparsecore.entry, sparsecore.serial_bytes = SERIAL : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %many = arith.constant 500000 : index
  scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
    scf.for %k = %c0 to %many step %c1 {
      %v = memref.load %x[%i] : memref<64xf32>
      %o = memref.load %y[%i] : memref<64xf32>
      %w = math.sin %o : f32
      %s = arith.addf %v, %w : f32
      memref.store %s, %y[%i] : memref<64xf32>
    }
  }
  return
}'''
# XLA runs what it takes for small on the calling thread: make it take this for large.
@jax.jit
def slow(x, big):
    big = jnp.sin(big) @ jnp.cos(big)
    return ffi.call(text, [x + big[0, :64] * 0], [x])[0]
big = jnp.ones((512, 512))
slow.lower(jnp.ones(64), big).compile()
running = slow(jnp.ones(64), big)
assert not running.is_ready()
"""

ENDS = {
    "the process": "",
    "exception": "raise SystemExit(0)",
    "arrays deleted": "del running, slow",
}


@pytest.mark.parametrize("serial_bytes", [0, 1 << 40])
@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_a_process_can_end_while_a_program_runs(end: str, serial_bytes: int) -> None:
    for _ in range(3):
        assert run_python(CALL + SLOW.replace("SERIAL", str(serial_bytes)) + end) == ""


FAULTS = """
import resource, statistics
from sdykit.bridge import ffi
IF_KEPT
import jax, jax.numpy as jnp
x = jnp.ones(1 << 24)
add = jax.jit(lambda x: x + 1)
def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    add(x).block_until_ready()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
# What is kept has its final size after some calls.
print(int(statistics.median([faults() for _ in range(60)][20:])))
"""


def test_the_memory_of_large_arrays_is_kept() -> None:
    """64 MiB in pages of 4 KiB, or of 2 MiB where the system has those."""
    kept = run_python(FAULTS.replace("IF_KEPT", "print(ffi.keep_freed_memory())")).split()
    if kept[0] == "False":  # As with an address sanitizer.
        pytest.skip("the C library has no such setting")
    fresh = run_python(FAULTS.replace("IF_KEPT", "print(False)")).split()
    assert int(kept[1]) < 10 < int(fresh[1]), (kept, fresh)


# 64 iterations of a second in all; sampled: how many threads could run, if there were a core.
CROWD = """
import os, statistics, time
from jax.sharding import NamedSharding, PartitionSpec as P
mesh = jax.make_mesh((8,), ("x",))
run = jax.jit(jax.shard_map(
    lambda x: ffi.call(TEXT, [x], [x])[0], mesh=mesh, in_specs=P("x"), out_specs=P("x")))
x = jax.device_put(jnp.zeros(512), NamedSharding(mesh, P("x")))
def runnable():
    states = []
    for task in os.listdir("/proc/self/task"):
        try:
            line = Path(f"/proc/self/task/{task}/stat").read_text()
        except OSError:  # It has ended.
            continue
        states.append(line.rpartition(")")[2].split()[0])
    return states.count("R")
medians = []
for _ in range(3):
    y, counts = run(x), []
    while not y.is_ready():
        counts.append(runnable())
        time.sleep(0.01)
    medians.append(statistics.median(counts))
print(statistics.median(medians))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_devices_share_the_cores() -> None:
    """A device asks for no more threads than there are cores that no other device uses."""
    start, _, _ = SLOW.partition("# XLA runs")
    text = start.replace("SERIAL", "0").replace("text =", "TEXT =")
    flags = "--xla_force_host_platform_device_count=8"
    printed = run_python(CALL + text + CROWD, XLA_FLAGS=flags, NPROC="16")
    # Besides one for each device: those of the first one, the main thread, one that ends.
    assert float(printed) <= max(8, os.cpu_count() or 1) + 3


ENDS_WITH_AN_EXCEPTION = """
import jax.numpy as jnp
from support.bridge.ffi_programs import DOUBLE
from sdykit.bridge import ffi

ffi.call(DOUBLE, [jnp.ones(4)], [jnp.ones(4)])
raise ValueError("mine")
"""


def test_the_last_line_of_a_failing_process_is_its_exception() -> None:
    done = start_python(ENDS_WITH_AN_EXCEPTION)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, "ValueError: mine")
