"""Ctrl-C while a kernel runs: it ends with an error, and the program gets its KeyboardInterrupt."""

from __future__ import annotations

import pytest

from support.bridge.ffi_programs import run_python

PROGRAM = """
import os, signal, sys, threading, time
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu, tpu_sc as plsc

import sdykit.sparsecore as sc

sc.configure("7x", pallas={mode!r})
{before}

@pl.kernel(
    out_type=jax.ShapeDtypeStruct((16, 16), jnp.float32),
    mesh=plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore", num_cores=1),
    scratch_types=[pltpu.VMEM((16,), jnp.float32), pltpu.VMEM((16,), jnp.int32)],
)
def kernel(x, count, out, row, held):
    subcore = jax.lax.axis_index("subcore")
    pltpu.sync_copy(count, held)
    pltpu.sync_copy(x.at[subcore], row)
    {body}
    pltpu.sync_copy(row, out.at[subcore])

x = jnp.ones((16, 16))
run = jax.jit(kernel)
jax.block_until_ready(run(x, jnp.zeros(16, jnp.int32)))

def interrupt():
    global sent
    sent = time.monotonic()
    os.kill(os.getpid(), signal.SIGINT)

threading.Timer(0.3, interrupt).start()
try:
    jax.block_until_ready(run(x, jnp.full(16, {count}, jnp.int32)))
    print("ended")
except (jax.errors.JaxRuntimeError, ValueError) as error:
    print(str(error).partition(" at <string>")[0], time.monotonic() - sent < 1)
    try:
        time.sleep(5)
    except KeyboardInterrupt:
        print("interrupted")
print(float(jax.block_until_ready(run(x, jnp.zeros(16, jnp.int32))).sum()))
"""

NESTED = """
    @pl.loop(0, held[...][0])
    def _(_):
        @pl.loop(0, held[...][0])
        def _(_):
            row[...] = row[...] * 1.5 + 1
"""
DMAS = """
    plsc.subcore_barrier()

    @pl.loop(0, held[...][0])
    def _(_):
        pltpu.sync_copy(row, out.at[subcore])
"""
MOST = 2**31 - 1


@pytest.mark.parametrize(
    ("mode", "body"),
    [("fast", NESTED), ("check", NESTED), ("check", DMAS), ("reference", DMAS)],
)
def test_an_interrupt_ends_a_kernel(mode: str, body: str) -> None:
    program = PROGRAM.format(mode=mode, before="", body=body, count=MOST)
    first, *lines = run_python(program).splitlines()
    assert first.startswith("INVALID_ARGUMENT: kernel 'kernel': vector subcore (0, ")
    assert first.endswith(") was interrupted True")
    assert lines == ["interrupted", "256.0"]


def test_who_handles_the_signal_decides_what_ends() -> None:
    handler = 'signal.signal(signal.SIGINT, lambda *_: print("handled"))'
    program = PROGRAM.format(mode="fast", before=handler, body=DMAS, count=2_000_000)
    assert run_python(program) == "handled\nended\n256.0\n"
