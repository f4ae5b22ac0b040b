"""Programs that sum rows by sample, and gradients by row."""

from __future__ import annotations

from functools import cache

import jax
import jax.numpy as jnp

from sdykit.bridge import ffi
from sdykit.bridge.embedding.exchange.entries import Entries
from sdykit.bridge.embedding.exchange.route import Route
from sdykit.sparsecore.specs import INT32_MAX

_ROWS = """
func.func @sum_rows(%owners: memref<?x?xi32> {{sparsecore.name = "owners", sparsecore.work = 64 : i64}},
                    %numbers: memref<?x?xi32> {{sparsecore.name = "numbers"}},
                    %samples: memref<?x?xi32> {{sparsecore.name = "samples"}},
                    {argument}
                    %rows: memref<?x?xf32> {{sparsecore.name = "rows"}},
                    %parts: memref<?x?xf32> {{sparsecore.name = "parts"}},
                    %sums: memref<?x?xf32> {{sparsecore.name = "sums"}},
                    %latest: memref<?xi32> {{sparsecore.name = "latest"}})
    attributes {{sparsecore.entry}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lanes = arith.constant {lanes} : index
  %none = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : vector<{lanes}xf32>
  %cores = memref.dim %numbers, %c0 : memref<?x?xi32>
  %size = memref.dim %numbers, %c1 : memref<?x?xi32>
  %all = memref.dim %sums, %c0 : memref<?x?xf32>
  %dim = memref.dim %sums, %c1 : memref<?x?xf32>
  %of_core = arith.divui %all, %cores : index
  scf.parallel (%core) = (%c0) to (%cores) step (%c1) {{
    scf.for %i = %c0 to %size step %c1 {{
      %number = memref.load %numbers[%core, %i] : memref<?x?xi32>
      %is_row = arith.cmpi sge, %number, %none : i32
      scf.if %is_row {{
        %at = arith.index_cast %number : i32 to index
        %own = memref.load %samples[%core, %i] : memref<?x?xi32>
        %sample = arith.index_cast %own : i32 to index
        %owner = memref.load %owners[%core, %i] : memref<?x?xi32>
        %before = memref.load %latest[%sample] : memref<?xi32>
        %is_other = arith.cmpi ne, %owner, %before : i32
        memref.store %owner, %latest[%sample] : memref<?xi32>
        {gain}
        scf.for %column = %c0 to %dim step %lanes {{
          %held = vector.load %parts[%sample, %column] : memref<?x?xf32>, vector<{lanes}xf32>
          %part = scf.if %is_other -> (vector<{lanes}xf32>) {{
            %total = vector.load %sums[%sample, %column] : memref<?x?xf32>, vector<{lanes}xf32>
            %more = arith.addf %total, %held : vector<{lanes}xf32>
            vector.store %more, %sums[%sample, %column] : memref<?x?xf32>, vector<{lanes}xf32>
            scf.yield %zero : vector<{lanes}xf32>
          }} else {{
            scf.yield %held : vector<{lanes}xf32>
          }}
          %row = vector.load %rows[%at, %column] : memref<?x?xf32>, vector<{lanes}xf32>
          {term}
          %next = arith.addf %part, %term : vector<{lanes}xf32>
          vector.store %next, %parts[%sample, %column] : memref<?x?xf32>, vector<{lanes}xf32>
        }}
      }}
    }}
    %first = arith.muli %core, %of_core : index
    %end = arith.addi %first, %of_core : index
    scf.for %sample = %first to %end step %c1 {{
      scf.for %column = %c0 to %dim step %lanes {{
        %part = vector.load %parts[%sample, %column] : memref<?x?xf32>, vector<{lanes}xf32>
        %total = vector.load %sums[%sample, %column] : memref<?x?xf32>, vector<{lanes}xf32>
        %sum = arith.addf %total, %part : vector<{lanes}xf32>
        vector.store %sum, %sums[%sample, %column] : memref<?x?xf32>, vector<{lanes}xf32>
      }}
    }}
  }}
  return
}}
"""

_GRADIENTS = """
func.func @sum_gradients(%ids: memref<?xi32> {{sparsecore.name = "ids", sparsecore.work = 64 : i64}},
                         %starts: memref<?xi32> {{sparsecore.name = "starts"}},
                         %entries: memref<?xi32> {{sparsecore.name = "entries"}},
                         %samples: memref<?x?xi32> {{sparsecore.name = "samples"}},
                         {argument}
                         %gradients: memref<?x?xf32> {{sparsecore.name = "gradients"}},
                         %sums: memref<?x?xf32> {{sparsecore.name = "sums"}})
    attributes {{sparsecore.entry}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lanes = arith.constant {lanes} : index
  %pad = arith.constant {pad} : i32
  %zero = arith.constant dense<0.0> : vector<{lanes}xf32>
  %size = memref.dim %ids, %c0 : memref<?xi32>
  %of_core = memref.dim %samples, %c1 : memref<?x?xi32>
  %dim = memref.dim %sums, %c1 : memref<?x?xf32>
  scf.parallel (%number) = (%c0) to (%size) step (%c1) {{
    %id = memref.load %ids[%number] : memref<?xi32>
    %is_row = arith.cmpi ne, %id, %pad : i32
    scf.if %is_row {{
      %following = arith.addi %number, %c1 : index
      %from = memref.load %starts[%number] : memref<?xi32>
      %to = memref.load %starts[%following] : memref<?xi32>
      %first = arith.index_cast %from : i32 to index
      %end = arith.index_cast %to : i32 to index
      scf.for %column = %c0 to %dim step %lanes {{
        %sum = scf.for %i = %first to %end step %c1 iter_args(%so_far = %zero) -> (vector<{lanes}xf32>) {{
          %entry = memref.load %entries[%i] : memref<?xi32>
          %place = arith.index_cast %entry : i32 to index
          %core = arith.divui %place, %of_core : index
          %in_core = arith.remui %place, %of_core : index
          %own = memref.load %samples[%core, %in_core] : memref<?x?xi32>
          %sample = arith.index_cast %own : i32 to index
          %row = vector.load %gradients[%sample, %column] : memref<?x?xf32>, vector<{lanes}xf32>
          {gain}
          {term}
          %next = arith.addf %so_far, %term : vector<{lanes}xf32>
          scf.yield %next : vector<{lanes}xf32>
        }}
        vector.store %sum, %sums[%number, %column] : memref<?x?xf32>, vector<{lanes}xf32>
      }}
    }}
  }}
  return
}}
"""
_ARGUMENT = '%gains: memref<?x?xf32> {sparsecore.name = "gains"},'
_GAIN = """%gain = memref.load %gains[%core, {place}] : memref<?x?xf32>
        %factor = vector.broadcast %gain : f32 to vector<{lanes}xf32>"""
_MAX_LANES = 16


@cache
def _program(dim: int, *, is_of_rows: bool, has_gains: bool) -> str:
    lanes = next(size for size in (_MAX_LANES, 8, 4, 2, 1) if dim % size == 0)
    text, place = (_ROWS, "%i") if is_of_rows else (_GRADIENTS, "%in_core")
    gain, term = _GAIN.format(place=place, lanes=lanes), "arith.mulf %factor, %row"
    if not has_gains:
        gain, term = "", "arith.addf %row, %zero"
    return text.format(
        lanes=lanes,
        argument=_ARGUMENT if has_gains else "",
        gain=gain,
        term=f"%term = {term} : vector<{lanes}xf32>",
        pad=INT32_MAX,
    )


def sum_rows(
    rows: jax.Array, entries: Entries, route: Route, rows_per_device: int, samples: int
) -> jax.Array:
    """Return the sum of the rows of each sample, each operation rounded, float32 `[samples, dim]`.

    The rows of each owner are added in the order of the entries, to +0, and these sums by owner, to
    +0.

    Args:
        rows: float32 `[ids, dim]`: those of the ids of the route.
        entries: the entries of this device; those of a sample are in the order of their owners.
        route: the numbers of their rows.
        rows_per_device: the number of rows of the table on a device.
        samples: the number of samples.
    """
    shape = (samples, rows.shape[1])
    gains = [] if entries.gains is None else [entries.gains]
    operands = [entries.ids // rows_per_device, route.numbers, entries.samples, *gains, rows]
    results = [jnp.zeros(shape), jnp.zeros(shape), jnp.full(samples, -1, jnp.int32)]
    program = _program(rows.shape[1], is_of_rows=True, has_gains=bool(gains))
    aliases = {len(operands) + number: number for number in range(len(results))}
    _, sums, _ = ffi.call(program, [*operands, *results], results, input_output_aliases=aliases)
    return sums


def sum_gradients(gradients: jax.Array, entries: Entries, route: Route) -> jax.Array:
    """Return the sum of the gradients of each id of a route, float32 `[ids, dim]`.

    They are added in the order of the entries, to +0; what is after the last id is not defined.

    Args:
        gradients: float32 `[samples, dim]`.
        entries: the entries of this device.
        route: the order of their rows.
    """
    gains = [] if entries.gains is None else [entries.gains]
    operands = [route.ids, route.starts, route.entries, entries.samples, *gains, gradients]
    shape = jax.ShapeDtypeStruct((route.ids.size, gradients.shape[1]), jnp.float32)
    program = _program(gradients.shape[1], is_of_rows=False, has_gains=bool(gains))
    (sums,) = ffi.call(program, operands, [shape])
    return sums
