"""A program that sums the rows of samples as several devices would: those of each owner, then by owner."""

from __future__ import annotations

from functools import cache

import jax
import jax.numpy as jnp

from sdykit.bridge import ffi

_SUM = """
func.func @sum_by_owner(%owners: memref<?x?xi32> {{sparsecore.name = "owners", sparsecore.work = 64 : i64}},
                        %numbers: memref<?x?xi32> {{sparsecore.name = "numbers"}},
                        {argument}
                        %rows: memref<?x?xf32> {{sparsecore.name = "rows"}},
                        %sums: memref<?x?xf32> {{sparsecore.name = "sums"}})
    attributes {{sparsecore.entry}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lanes = arith.constant {lanes} : index
  %none = arith.constant 0 : i32
  %zero = arith.constant dense<0.0> : vector<{lanes}xf32>
  %samples = memref.dim %numbers, %c0 : memref<?x?xi32>
  %valency = memref.dim %numbers, %c1 : memref<?x?xi32>
  %dim = memref.dim %sums, %c1 : memref<?x?xf32>
  scf.parallel (%sample) = (%c0) to (%samples) step (%c1) {{
    scf.for %column = %c0 to %dim step %lanes {{
      %total, %part, %last = scf.for %k = %c0 to %valency step %c1
          iter_args(%before = %zero, %own = %zero, %previous = %none)
          -> (vector<{lanes}xf32>, vector<{lanes}xf32>, i32) {{
        %owner = memref.load %owners[%sample, %k] : memref<?x?xi32>
        %number = memref.load %numbers[%sample, %k] : memref<?x?xi32>
        %is_row = arith.cmpi sge, %number, %none : i32
        %next:3 = scf.if %is_row -> (vector<{lanes}xf32>, vector<{lanes}xf32>, i32) {{
          %is_other = arith.cmpi ne, %owner, %previous : i32
          %so_far:2 = scf.if %is_other -> (vector<{lanes}xf32>, vector<{lanes}xf32>) {{
            %added = arith.addf %before, %own : vector<{lanes}xf32>
            scf.yield %added, %zero : vector<{lanes}xf32>, vector<{lanes}xf32>
          }} else {{
            scf.yield %before, %own : vector<{lanes}xf32>, vector<{lanes}xf32>
          }}
          %at = arith.index_cast %number : i32 to index
          {term}
          %more = arith.addf %so_far#1, %term : vector<{lanes}xf32>
          scf.yield %so_far#0, %more, %owner : vector<{lanes}xf32>, vector<{lanes}xf32>, i32
        }} else {{
          scf.yield %before, %own, %previous : vector<{lanes}xf32>, vector<{lanes}xf32>, i32
        }}
        scf.yield %next#0, %next#1, %next#2 : vector<{lanes}xf32>, vector<{lanes}xf32>, i32
      }}
      %sum = arith.addf %total, %part : vector<{lanes}xf32>
      vector.store %sum, %sums[%sample, %column] : memref<?x?xf32>, vector<{lanes}xf32>
    }}
  }}
  return
}}
"""
_GAINS = '%gains: memref<?x?xf32> {sparsecore.name = "gains"},'
_ROW = "vector.load %rows[%at, %column] : memref<?x?xf32>, vector<{lanes}xf32>"
_SCALED = f"""%row = {_ROW}
          %gain = memref.load %gains[%sample, %k] : memref<?x?xf32>
          %factor = vector.broadcast %gain : f32 to vector<{{lanes}}xf32>
          %term = arith.mulf %factor, %row : vector<{{lanes}}xf32>"""
_MAX_LANES = 16


@cache
def _program(dim: int, *, has_gains: bool) -> str:
    lanes = next(size for size in (_MAX_LANES, 8, 4, 2, 1) if dim % size == 0)
    term = (_SCALED if has_gains else f"%term = {_ROW}").format(lanes=lanes)
    return _SUM.format(lanes=lanes, argument=_GAINS if has_gains else "", term=term)


def sum_by_owner(
    rows: jax.Array, owners: jax.Array, numbers: jax.Array, gains: jax.Array | None
) -> jax.Array:
    """Return the sum of the rows of each sample, each operation rounded, float32 `[samples, dim]`.

    The rows of each owner are added by position, to +0, and these sums by owner, to +0.

    Args:
        rows: float32 `[rows, dim]`.
        owners: int32 `[samples, valency]`: the device that owns each row, which no negative number is.
        numbers: int32 of this shape: the number of each row; negative: none.
        gains: float32 of this shape, by which rows are multiplied; None: all are 1.
    """
    weights = [] if gains is None else [gains]
    if numbers.shape[1] > 1:
        found = jax.lax.sort((owners, numbers, *weights), dimension=1, num_keys=1)
        owners, numbers, *weights = found
    shape = jax.ShapeDtypeStruct((numbers.shape[0], rows.shape[1]), jnp.float32)
    program = _program(rows.shape[1], has_gains=gains is not None)
    (sums,) = ffi.call(program, [owners, numbers, *weights, rows], [shape])
    return sums
