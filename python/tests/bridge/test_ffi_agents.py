"""Tile programs with phases of agents under JAX: results, errors, devices, signals."""

from __future__ import annotations

import dataclasses
import json
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sdykit.bridge import ffi
from sdykit.sparsecore.codegen import MachineSettings, ObjectCache, Program, compile_module
from support.bridge.ffi_programs import run_python
from support.machine.programs import LOCKSTEP, SUBCORE, agents, call

AGENTS = 32

# Agent i adds what its next neighbour of the core has, 100 times; y holds the sums meanwhile.
RING = agents(
    f"""
    %shared = memref.alloc() {{sparsecore.shared}} : memref<16xi32>
    %half = arith.constant 16 : index
    %members = arith.constant 16 : i64
    %sixteen = arith.constant 16 : i64
    %core = arith.divui %v, %sixteen : i64
    %at = arith.remui %i, %half : index
    %after = arith.addi %at, %c1 : index
    %next = arith.remui %after, %half : index
    %first = memref.load %x[%i] : memref<?xi32>
    %rounds = arith.constant 100 : index
    %sum = scf.for %r = %c0 to %rounds step %c1 iter_args(%old = %first) -> i32 {{
      memref.store %old, %shared[%at] : memref<16xi32>
      {call("sc_barrier", "core", "members", "k0")}
      %other = memref.load %shared[%next] : memref<16xi32>
      {call("sc_barrier", "core", "members", "k1")}
      %new = arith.addi %old, %other : i32
      scf.yield %new : i32
    }}
    memref.store %sum, %y[%i] : memref<?xi32>
    """,
    cores=[0] * 16 + [1] * 16,
    arguments="%x: memref<?xi32>, %y: memref<?xi32>",
)

DEADLOCK = agents(
    f"""
    %is_last = arith.cmpi eq, %v, %k2 : i64
    scf.if %is_last {{
      {call("sc_wait", "k0", "k4", "k0", "k1")}
    }} else {{
      {call("sc_barrier", "k0", "k3", "k0")}
    }}
    """,
    cores=[0] * 3,
    places=[-1],
    arguments="%x: memref<?xi32>, %y: memref<?xi32>",
).replace("sparsecore.entry", 'sparsecore.entry, sparsecore.locations = ["k.py:7", "k.py:9"]')


def ring_of(x: np.ndarray) -> np.ndarray:
    """Return what RING computes, in numpy."""
    sums = x.reshape(2, 16)
    for _ in range(100):
        sums = sums + np.roll(sums, -1, axis=1)
    return sums.reshape(-1)


def run(program: str | Mapping[str, Any], x: jax.Array) -> jax.Array:
    """Return y of a program with an x."""
    return ffi.call(program, [x], [jax.ShapeDtypeStruct(x.shape, x.dtype)])[0]


def _compile_with_order(spec: Mapping[str, Any], cache: ObjectCache | None) -> Program:
    program = compile_module(spec["program"], cache=cache)
    return dataclasses.replace(program, settings=MachineSettings(order=spec["order"]))


ffi.register_kind("agents in an order", _compile_with_order)


def in_order(program: str, order: int) -> dict[str, Any]:
    """Return the spec of a program whose agents run in an order."""
    return {"version": 1, "kind": "agents in an order", "program": program, "order": order}


@pytest.mark.parametrize("order", [LOCKSTEP, SUBCORE, *range(20)])
def test_agents_compute_the_same_in_all_orders(order: int) -> None:
    x = np.arange(AGENTS, dtype=np.int32)
    np.testing.assert_array_equal(run(in_order(RING, order), jnp.asarray(x)), ring_of(x))


def test_1000_runs_of_which_some_fail_do_not_disturb_each_other() -> None:
    x = np.arange(AGENTS, dtype=np.int32)
    ring = jax.jit(lambda x: run(RING, x))
    stuck = jax.jit(lambda x: run(DEADLOCK, x))
    expected = ring_of(x)
    for number in range(1000):
        np.testing.assert_array_equal(ring(x), expected)
        if number % 10 == 0:
            with pytest.raises(jax.errors.JaxRuntimeError, match="deadlock"):
                stuck(x).block_until_ready()


def test_a_deadlock_is_an_error_with_the_lines_of_all_agents() -> None:
    with pytest.raises(jax.errors.JaxRuntimeError) as caught:
        run(DEADLOCK, jnp.zeros(3, jnp.int32)).block_until_ready()
    lines = str(caught.value).splitlines()
    assert lines[0].endswith("kernel 'agents': deadlock: no subcore can go on:")
    text = "\n".join(lines)
    assert "wait at the barrier with 2 of 3 subcores, at k.py:7" in text
    assert "waits for 4 on a semaphore that has 0, at k.py:9" in text


def test_signals_may_come_while_agents_run() -> None:
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    try:
        x = np.arange(AGENTS, dtype=np.int32)
        expected, ring = ring_of(x), jax.jit(lambda x: run(RING, x))
        while len(seen) < 50:
            np.testing.assert_array_equal(ring(x), expected)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


DEVICES = f"""
import jax, numpy as np
from concurrent.futures import ThreadPoolExecutor
from jax.sharding import PartitionSpec as P
from sdykit.bridge import ffi
RING, DEADLOCK = {json.dumps([RING, DEADLOCK])}
mesh = jax.make_mesh((8,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
def on_all(program):
    def part(x):
        return ffi.call(program, [x], [jax.ShapeDtypeStruct(x.shape, x.dtype)])[0]
    return jax.jit(jax.shard_map(part, mesh=mesh, in_specs=P("d"), out_specs=P("d"), check_vma=False))
x = np.arange(8 * 32, dtype=np.int32)
sums = x.reshape(8, 2, 16)
for _ in range(100):
    sums = sums + np.roll(sums, -1, axis=2)
ring = on_all(RING)
for _ in range(20):
    np.testing.assert_array_equal(ring(x), sums.reshape(-1))
with ThreadPoolExecutor(4) as pool:
    for got in pool.map(lambda _: np.asarray(ring(x)), range(40)):
        np.testing.assert_array_equal(got, sums.reshape(-1))
try:
    on_all(DEADLOCK)(x).block_until_ready()
except jax.errors.JaxRuntimeError as error:
    assert "waits for 4 on a semaphore that has 0" in str(error), error
else:
    raise SystemExit("no error")
np.testing.assert_array_equal(ring(x), sums.reshape(-1))
print("done")
"""


IN_A_PROCESS = f"""
import json
import jax.numpy as jnp
from sdykit.bridge import ffi
from sdykit.bridge.kernels.compile import compilations
x = jnp.arange(32, dtype=jnp.int32)
y = ffi.call({json.dumps(RING)}, [x], [x])[0]
(made,) = compilations()
print(json.dumps([made.origin, y.tolist()]))
"""


def test_another_process_takes_the_machine_code_from_the_disk(tmp_path: Path) -> None:
    expected = ring_of(np.arange(AGENTS, dtype=np.int32)).tolist()
    for origin in ("compiled", "disk"):
        printed = run_python(IN_A_PROCESS, SDYKIT_CACHE_DIR=str(tmp_path))
        assert json.loads(printed) == [origin, expected]


def test_agents_of_8_devices_run_at_once() -> None:
    assert run_python(DEVICES, JAX_NUM_CPU_DEVICES="8").endswith("done\n")
