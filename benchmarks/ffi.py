"""Time calls of tile programs from JAX beside an XLA FFI handler that does nothing.

    python benchmarks/ffi.py                # print the tables
    python benchmarks/ffi.py --quick        # fewer runs
    python benchmarks/ffi.py --write docs/native-bridge.md

The first table has one call of a jitted function on 8 numbers: the time of jax.jit, XLA and the
handler. It is compared with a handler in C of the same signature that returns at once. The second
table has a program that reads one array and writes another, with one thread and with all of XLA's.
Both sides run in turns, a few calls at a time; the tables have the best of all runs, which other
work on the machine disturbs least. The third table has large results, whose memory is new at each
call, with and without `keep_freed_memory`: each in its own process, the median time of the last
calls, and the maximum of the process's memory.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from report import Cells, Figures, Table, arguments, figure, publish
from rich.console import Console

from sdykit.bridge import ffi

AIM = 2.0
CALLS = 20
SIZES = [1 << shift for shift in (14, 16, 17, 18, 19, 20, 21, 23)]

EMPTY = """
#include "xla/ffi/api/c_api.h"
XLA_FFI_Error* empty(XLA_FFI_CallFrame* frame) {
  XLA_FFI_Extension_Base* extension = frame->extension_start;
  if (extension && extension->type == XLA_FFI_Extension_Metadata) {
    XLA_FFI_Metadata* metadata = ((XLA_FFI_Metadata_Extension*)extension)->metadata;
    metadata->api_version.major_version = XLA_FFI_API_MAJOR;
    metadata->api_version.minor_version = XLA_FFI_API_MINOR;
  }
  return 0;
}
"""

PROGRAM = """
func.func @stream(%x: memref<?xf32>, %y: memref<?xf32>)
    attributes {sparsecore.entry, sparsecore.serial_bytes = SERIAL : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %part = arith.divui %n, %c64 : index
  scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
    %begin = arith.muli %i, %part : index
    %end = arith.addi %begin, %part : index
    scf.for %k = %begin to %end step %c1 {
      %v = memref.load %x[%k] : memref<?xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %y[%k] : memref<?xf32>
    }
  }
  return
}
"""


def register_empty() -> None:
    """Compile the handler that does nothing, and register it as `empty`."""
    directory = Path(tempfile.mkdtemp(prefix="ffi-"))
    source, library = directory / "empty.c", directory / "empty.so"
    source.write_text(EMPTY)
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    flags = ["-O2", "-shared", "-fPIC", "-I", jax.ffi.include_dir()]
    subprocess.run([compiler, *flags, str(source), "-o", str(library)], check=True)
    loaded = ctypes.CDLL(str(library))
    jax.ffi.register_ffi_target("empty", jax.ffi.pycapsule(loaded.empty), platform="cpu")


def empty(x: jax.Array) -> jax.Array:
    """Call the handler that does nothing."""
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return jax.ffi.ffi_call("empty", shape)(x)


def stream(x: jax.Array, serial_bytes: int) -> jax.Array:
    """Call the program, which uses several threads above `serial_bytes` of memory traffic."""
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return ffi.call(PROGRAM.replace("SERIAL", str(serial_bytes)), [x], [shape])[0]


def best(calls: dict[str, Callable[[], Any]], runs: int, repeat: int) -> dict[str, float]:
    """Time calls in turns, some at a time; return the seconds of one call in the best run."""
    times = dict.fromkeys(calls, float("inf"))
    for _ in range(runs):
        for name, call in calls.items():
            call()
            started = time.perf_counter()
            for _ in range(repeat):
                call()
            times[name] = min(times[name], (time.perf_counter() - started) / repeat)
    return times


def overhead(runs: int) -> list[Cells]:
    """Measure the rows of the first table."""
    x = jnp.ones(8)
    functions = {
        "jax.numpy: x + x": jax.jit(lambda x: x + x),
        "a handler that does nothing": jax.jit(empty),
        "a tile program, one thread": jax.jit(lambda x: stream(x, 1 << 40)),
        "a tile program, XLA's threads": jax.jit(lambda x: stream(x, 0)),
    }
    calls: dict[str, Callable[[], Any]] = {
        name: lambda function=function: function(x).block_until_ready()
        for name, function in functions.items()
    }
    found = best(calls, runs, CALLS)
    base = found["a handler that does nothing"]
    return [
        [name, figure(each * 1e6, ".1f"), figure(each / base, ".2f", "x")]
        for name, each in found.items()
    ]


def throughput(runs: int) -> list[Cells]:
    """Measure the rows of the second table."""
    one, all_ = jax.jit(lambda x: stream(x, 1 << 40)), jax.jit(lambda x: stream(x, 0))
    rows: list[Cells] = []
    for size in SIZES:
        x = jnp.arange(size, dtype=jnp.float32)
        np.testing.assert_array_equal(one(x), all_(x))
        calls: dict[str, Callable[[], Any]] = {
            "one": lambda x=x: one(x).block_until_ready(),
            "all": lambda x=x: all_(x).block_until_ready(),
        }
        found = best(calls, runs, max(1, (1 << 20) // size))
        rows.append(
            [
                f"{8 * size / 2**20:.3g}",
                *(figure(each * 1e6, ".0f") for each in found.values()),
                figure(found["one"] / found["all"], ".2f", "x"),
                figure(8 * size / min(found.values()) / 1e9, ".1f"),
            ]
        )
    return rows


RESULTS = """
import resource, statistics, sys, time
from sdykit.bridge import ffi
if sys.argv[1] == "kept" and not ffi.keep_freed_memory():
    sys.exit("the C library cannot be made to keep memory")
import jax, jax.numpy as jnp
x = jnp.ones(int(sys.argv[2]) << 18)
add = jax.jit(lambda x: x + 1)
def call():
    started = time.perf_counter()
    add(x).block_until_ready()
    return time.perf_counter() - started
times = [call() for _ in range(60)][20:]
print(statistics.median(times), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def large_results() -> list[Cells]:
    """Measure the rows of the third table."""
    rows: list[Cells] = []
    for size in (8, 32, 64, 256):
        row: list[str | Figures] = [str(size)]
        for how in ("usual", "kept"):
            command = [sys.executable, "-c", RESULTS, how, str(size)]
            found, peak = subprocess.check_output(command, text=True).split()
            row += [figure(float(found) * 1e3, ".1f"), figure(int(peak) / 2**20, ".1f")]
        rows.append(row)
    return rows


HEADS = (
    ["one call", "µs", "beside a handler that does nothing"],
    ["MiB read and written", "one thread, µs", "XLA's threads, µs", "ratio", "GB/s"],
    ["MiB of the result of x + 1", "as usual, ms", "peak, GiB", "kept, ms", "peak, GiB"],
)


def main() -> None:
    """Run the benchmark."""
    args = arguments(__doc__).parse_args()
    register_empty()
    with Console(stderr=True).status("measuring"):
        measured = [
            overhead(100 if args.quick else 500),
            throughput(20 if args.quick else 100),
            large_results(),
        ]
    titles = [f"Calls; aim: {AIM:g}x", "Threads", "New memory"]
    tables = [Table(*each) for each in zip(titles, HEADS, measured, strict=True)]
    publish("ffi.py", tables, args)


if __name__ == "__main__":
    main()
