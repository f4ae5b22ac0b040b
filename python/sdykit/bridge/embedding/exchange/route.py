"""The distinct ids of a device, in ascending order: the order of the devices that own their rows."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp

from sdykit.bridge import ffi
from sdykit.sparsecore.specs import INT32_MAX

_PROGRAM = f"""
func.func @number_ids(%sorted: memref<?xi32> {{sparsecore.name = "sorted"}},
                      %entries: memref<?xi32> {{sparsecore.name = "entries"}},
                      %distinct: memref<?xi32> {{sparsecore.name = "distinct"}},
                      %numbers: memref<?xi32> {{sparsecore.name = "numbers"}},
                      %starts: memref<?xi32> {{sparsecore.name = "starts"}})
    attributes {{sparsecore.entry}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant -1 : i32
  %pad = arith.constant {INT32_MAX} : i32
  %size = memref.dim %sorted, %c0 : memref<?xi32>
  scf.parallel (%all) = (%c0) to (%c1) step (%c1) {{
    %last, %id = scf.for %i = %c0 to %size step %c1
        iter_args(%count = %none, %before = %none) -> (i32, i32) {{
      %own = memref.load %sorted[%i] : memref<?xi32>
      %is_new = arith.cmpi ne, %own, %before : i32
      %more = arith.extui %is_new : i1 to i32
      %number = arith.addi %count, %more : i32
      %at = arith.index_cast %number : i32 to index
      memref.store %own, %distinct[%at] : memref<?xi32>
      scf.if %is_new {{
        %start = arith.index_cast %i : index to i32
        memref.store %start, %starts[%at] : memref<?xi32>
      }}
      %is_pad = arith.cmpi eq, %own, %pad : i32
      %known = arith.select %is_pad, %none, %number : i32
      %from = memref.load %entries[%i] : memref<?xi32>
      %entry = arith.index_cast %from : i32 to index
      memref.store %known, %numbers[%entry] : memref<?xi32>
      scf.yield %number, %own : i32, i32
    }}
    %held = arith.index_cast %last : i32 to index
    %first = arith.addi %held, %c1 : index
    scf.for %i = %first to %size step %c1 {{
      memref.store %pad, %distinct[%i] : memref<?xi32>
    }}
    %entry_count = arith.index_cast %size : index to i32
    %start_count = arith.addi %size, %c1 : index
    scf.for %i = %first to %start_count step %c1 {{
      memref.store %entry_count, %starts[%i] : memref<?xi32>
    }}
  }}
  return
}}
"""


@dataclasses.dataclass(frozen=True)
class Route:
    """The distinct ids of a device.

    Attributes:
        ids: int32 `[entries]`, ascending; after the last, 2^31 - 1.
        numbers: int32, of the shape of the ids of entries: for each its number in `ids`; -1: it is none.
        entries: int32 `[entries]`: the numbers of the entries, in the order of their ids.
        starts: int32 `[entries + 1]`: the place in `entries` of the first of each of `ids`; after the
            last, the number of entries.
    """

    ids: jax.Array
    numbers: jax.Array
    entries: jax.Array
    starts: jax.Array


def make_route(ids: jax.Array) -> Route:
    """Return the distinct ids of a device, int32 of any shape; a negative number is not an id."""
    flat = jnp.where(ids < 0, INT32_MAX, ids).reshape(-1)
    places = jax.lax.iota(jnp.int32, flat.size)
    ordered, entries = jax.lax.sort((flat, places), num_keys=1)
    starts = jax.ShapeDtypeStruct((flat.size + 1,), jnp.int32)
    distinct, numbers, first = ffi.call(_PROGRAM, [ordered, entries], [flat, flat, starts])
    return Route(distinct, numbers.reshape(ids.shape), entries, first)
