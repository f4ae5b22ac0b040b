"""The number of threads of a tile program: those of one that has ended are free for the next."""

from __future__ import annotations

import os

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sdykit.bridge import ffi

# Each part of a phase has a status of its own. Its second word counts iterations here: `marks`
# has a 0 for each part. The last iteration takes a millisecond, all others nothing: whichever
# thread has it ends the program, alone.
MARKS = """
func.func @marks(%status: memref<8xi64> {sparsecore.status},
                 %x: memref<?xf32>, %marks: memref<?xi32>, %y: memref<?xf32>)
    attributes {sparsecore.entry, sparsecore.serial_bytes = 0 : i64,
                sparsecore.messages = [""]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %many = arith.constant 1000000 : index
  %one = arith.constant 1 : i64
  %n = memref.dim %x, %c0 : memref<?xf32>
  %end = arith.subi %n, %c1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %before = memref.load %status[%c1] : memref<8xi64>
    %after = arith.addi %before, %one : i64
    memref.store %after, %status[%c1] : memref<8xi64>
    %mark = arith.trunci %before : i64 to i32
    memref.store %mark, %marks[%i] : memref<?xi32>
    %v = memref.load %x[%i] : memref<?xf32>
    %is_last = arith.cmpi eq, %i, %end : index
    %steps = arith.select %is_last, %many, %c1 : index
    %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%s = %v) -> (f32) {
      %t = arith.addf %s, %v : f32
      scf.yield %t : f32
    }
    memref.store %sum, %y[%i] : memref<?xf32>
  }
  return
}
"""


def marks(x: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return the marks of all iterations, and sums."""
    made, y = ffi.call(MARKS, [x], [jax.ShapeDtypeStruct(x.shape, np.int32), x])
    return made, y


@jax.jit
def one_after_another(x: jax.Array) -> tuple[jax.Array, ...]:
    """Run a program three times, each time on the result of the run before."""
    first, x = marks(x)
    second, x = marks(x)
    third, _ = marks(x)
    return first, second, third


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="needs two cores")
def test_a_program_after_another_gets_as_many_threads() -> None:
    """XLA runs it on the thread that ended the first, which is then free."""
    runs = [one_after_another(jnp.ones(64)) for _ in range(20)]
    parts = {np.count_nonzero(np.asarray(made) == 0) for run in runs for made in run}
    assert len(parts) == 1, parts
    assert parts.pop() > 1
