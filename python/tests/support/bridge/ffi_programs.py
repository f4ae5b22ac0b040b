"""Tile programs for the tests of the FFI handler, and runs of Python in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

from support import TESTS

DOUBLE = """
func.func @double(%x: memref<?xf32> {sparsecore.name = "x"},
                  %y: memref<?xf32> {sparsecore.name = "y"}) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %x[%i] : memref<?xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %y[%i] : memref<?xf32>
  }
  return
}
"""
"""y = 2 x"""

ADD_ROWS = """
func.func @add_rows(%table: memref<?x8xf32> {sparsecore.name = "table"},
                    %ids: memref<?xi32> {sparsecore.name = "ids"}) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %n = memref.dim %ids, %c0 : memref<?xi32>
  scf.parallel (%column) = (%c0) to (%c8) step (%c1) {
    scf.for %i = %c0 to %n step %c1 {
      %id = memref.load %ids[%i] : memref<?xi32>
      %row = arith.index_cast %id : i32 to index
      %v = memref.load %table[%row, %column] : memref<?x8xf32>
      %w = arith.addf %v, %one : f32
      memref.store %w, %table[%row, %column] : memref<?x8xf32>
    }
  }
  return
}
"""
"""table[ids] += 1, in place"""

REVERSED_TWICE = """
func.func @reversed_twice(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>)
    attributes {sparsecore.entry, sparsecore.serial_bytes = 0 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %last = arith.subi %n, %c1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %j = arith.subi %last, %i : index
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %y[%j] : memref<?xf32>
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %j = arith.subi %last, %i : index
    %v = memref.load %y[%i] : memref<?xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %z[%j] : memref<?xf32>
  }
  return
}
"""
"""y = x reversed; z = 2 y reversed: each phase reads what other threads wrote in the last one"""

CHECKED = """
func.func @checked(%status: memref<8xi64> {sparsecore.status},
                   %x: memref<?xf32>, %y: memref<?xf32>)
    attributes {sparsecore.entry, sparsecore.serial_bytes = SERIAL : i64,
                sparsecore.messages = ["", "x[{1}] is negative, {{2}} of {1} and {8}", ""]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %code = arith.constant CODE : i64
  %zero = arith.constant 0.0 : f32
  %zero64 = arith.constant 0 : i64
  %seven = arith.constant 7 : i64
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %x[%i] : memref<?xf32>
    %negative = arith.cmpf olt, %v, %zero : f32
    %before = memref.load %status[%c0] : memref<8xi64>
    %first = arith.cmpi eq, %before, %zero64 : i64
    %report = arith.andi %negative, %first : i1
    scf.if %report {
      %at = arith.index_cast %i : index to i64
      memref.store %code, %status[%c0] : memref<8xi64>
      memref.store %at, %status[%c1] : memref<8xi64>
      memref.store %seven, %status[%c2] : memref<8xi64>
    }
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %x[%i] : memref<?xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %y[%i] : memref<?xf32>
  }
  return
}
"""
"""y = 2 x, if no x is negative"""


def checked(*, serial_bytes: int = 1 << 20, code: int = 1) -> str:
    """Return `CHECKED`, with its threshold and the status of its error."""
    return CHECKED.replace("SERIAL", str(serial_bytes)).replace("CODE", str(code))


KEEP_IN_JAX_CACHE = """
import jax
from pathlib import Path
for name, value in [("jax_compilation_cache_dir", str(Path("jax").absolute())),
                    ("jax_persistent_cache_min_entry_size_bytes", -1),
                    ("jax_persistent_cache_min_compile_time_secs", 0)]:
    jax.config.update(name, value)
hits = []
jax.monitoring.register_event_listener(lambda event, **_: hits.append(event))
def tell_hits():
    print(hits.count("/jax/compilation_cache/cache_hits"))
"""
"""JAX keeps what it compiles in the working directory; `tell_hits` says how often it was there."""


def run_python(program: str, **environment: str) -> str:
    """Return what Python prints in a new process, which must neither fail nor warn."""
    done = start_python(program, **environment)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def start_python(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a new process, in which this module can be imported."""
    path = [str(TESTS), os.environ.get("PYTHONPATH", "")]
    own = {"PYTHONPATH": os.pathsep.join(filter(None, path))}
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **own, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def run_in(directory: Path, *parts: str) -> str:
    """Run Python in a directory, with the cache of machine code there too."""
    lines = ["import os", f"os.chdir({str(directory)!r})", *map(textwrap.dedent, parts)]
    return run_python("\n".join(lines), SDYKIT_CACHE_DIR=str(directory / "objects"))
