"""The distinct ids of a device, in ascending order: the order of the devices that own their rows."""

from __future__ import annotations

import dataclasses
from functools import cache

import jax
import jax.numpy as jnp

from sdykit.bridge import ffi
from sdykit.sparsecore.specs import INT32_MAX

_DIGIT_BITS = 11
"""The maximum number of bits that a pass sorts by, so that the counters stay in the first cache."""

# Sorted by the lowest digit first, stably. What is not an id counts as the number of rows.
_PROGRAM = """
func.func @number_ids(%ids: memref<?xi32> {{sparsecore.name = "ids"}},
                      %distinct: memref<?xi32> {{sparsecore.name = "distinct"}},
                      %numbers: memref<?xi32> {{sparsecore.name = "numbers"}},
                      %entries: memref<?xi32> {{sparsecore.name = "entries"}},
                      %starts: memref<?xi32> {{sparsecore.name = "starts"}},
                      %counters: memref<{passes}x{values}xi32> {{sparsecore.name = "counters"}})
    attributes {{sparsecore.entry}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %passes = arith.constant {passes} : index
  %values = arith.constant {values} : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant -1 : i32
  %pad = arith.constant {INT32_MAX} : i32
  %vocabulary = arith.constant {vocabulary} : i32
  %width = arith.constant {width} : i32
  %mask = arith.constant {mask} : i32
  %size = memref.dim %ids, %c0 : memref<?xi32>
  scf.parallel (%all) = (%c0) to (%c1) step (%c1) {{
    scf.for %pass = %c0 to %passes step %c1 {{
      scf.for %value = %c0 to %values step %c1 {{
        memref.store %zero, %counters[%pass, %value] : memref<{passes}x{values}xi32>
      }}
    }}
    scf.for %i = %c0 to %size step %c1 {{
      %id = memref.load %ids[%i] : memref<?xi32>
      %key = arith.minui %id, %vocabulary : i32
      scf.for %pass = %c0 to %passes step %c1 {{
        %number = arith.index_cast %pass : index to i32
        %shift = arith.muli %number, %width : i32
        %shifted = arith.shrui %key, %shift : i32
        %digit = arith.andi %shifted, %mask : i32
        %value = arith.index_cast %digit : i32 to index
        %count = memref.load %counters[%pass, %value] : memref<{passes}x{values}xi32>
        %more = arith.addi %count, %one : i32
        memref.store %more, %counters[%pass, %value] : memref<{passes}x{values}xi32>
      }}
    }}
    scf.for %pass = %c0 to %passes step %c1 {{
      %end = scf.for %value = %c0 to %values step %c1 iter_args(%begin = %zero) -> (i32) {{
        %count = memref.load %counters[%pass, %value] : memref<{passes}x{values}xi32>
        memref.store %begin, %counters[%pass, %value] : memref<{passes}x{values}xi32>
        %next = arith.addi %begin, %count : i32
        scf.yield %next : i32
      }}
    }}
{moves}
    %last, %id = scf.for %i = %c0 to %size step %c1
        iter_args(%count = %none, %before = %none) -> (i32, i32) {{
      %own = memref.load %distinct[%i] : memref<?xi32>
      %is_new = arith.cmpi ne, %own, %before : i32
      %more = arith.extui %is_new : i1 to i32
      %number = arith.addi %count, %more : i32
      %at = arith.index_cast %number : i32 to index
      %is_pad = arith.cmpi eq, %own, %vocabulary : i32
      %kept = arith.select %is_pad, %pad, %own : i32
      memref.store %kept, %distinct[%at] : memref<?xi32>
      scf.if %is_new {{
        %start = arith.index_cast %i : index to i32
        memref.store %start, %starts[%at] : memref<?xi32>
      }}
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

# The keys and the numbers of entries move to and fro between two pairs of arrays.
_MOVE = """
    scf.for %i = %c0 to %size step %c1 {{
      %id = memref.load %{keys}[%i] : memref<?xi32>
      %key = arith.minui %id, %vocabulary : i32
      {entry}
      %shift = arith.constant {shift} : i32
      %which = arith.constant {number} : index
      %shifted = arith.shrui %key, %shift : i32
      %digit = arith.andi %shifted, %mask : i32
      %value = arith.index_cast %digit : i32 to index
      %to = memref.load %counters[%which, %value] : memref<{passes}x{values}xi32>
      %more = arith.addi %to, %one : i32
      memref.store %more, %counters[%which, %value] : memref<{passes}x{values}xi32>
      %at = arith.index_cast %to : i32 to index
      memref.store %key, %{next_keys}[%at] : memref<?xi32>
      memref.store %entry, %{next_entries}[%at] : memref<?xi32>
    }}
"""
_FIRST_ENTRY = "%entry = arith.index_cast %i : index to i32"
_ENTRY = "%entry = memref.load %{entries}[%i] : memref<?xi32>"
_PAIRS = (("distinct", "entries"), ("numbers", "starts"))
"""Arrays of the result: the last pass writes the first pair, and the other one is free until then."""


@dataclasses.dataclass(frozen=True)
class Route:
    """The distinct ids of a device.

    Attributes:
        ids: int32 `[entries]`, ascending; after the last, 2^31 - 1.
        numbers: int32 `[entries]`: for each entry the number of its id in `ids`; -1: it is none.
        entries: int32 `[entries]`: the numbers of the entries, in the order of their ids.
        starts: int32 `[entries + 1]`: the place in `entries` of the first of each of `ids`; after the
            last, the number of entries.
    """

    ids: jax.Array
    numbers: jax.Array
    entries: jax.Array
    starts: jax.Array


def make_route(ids: jax.Array, vocabulary: int) -> Route:
    """Return the distinct ids of a device.

    Args:
        ids: int32 `[entries]`; a number that is negative, or no row, is not an id.
        vocabulary: the number of rows of the table on all devices.
    """
    program, counters = _program(vocabulary)
    starts = jax.ShapeDtypeStruct((ids.size + 1,), jnp.int32)
    scratch = jax.ShapeDtypeStruct(counters, jnp.int32)
    return Route(*ffi.call(program, [ids], [ids, ids, ids, starts, scratch])[:-1])


@cache
def _program(vocabulary: int) -> tuple[str, tuple[int, int]]:
    """Return the program for so many rows, and the shape of its counters."""
    bits = vocabulary.bit_length()
    passes = -(-bits // _DIGIT_BITS)
    width = -(-bits // passes)
    sizes = {"passes": passes, "values": 2**width, "width": width, "mask": 2**width - 1}
    moves, keys, entry = "", "ids", _FIRST_ENTRY
    for number in range(passes):
        to = _PAIRS[(passes - 1 - number) % 2]
        names = {"keys": keys, "entry": entry, "next_keys": to[0], "next_entries": to[1]}
        moves += _MOVE.format(shift=number * width, number=number, **names, **sizes)
        keys, entry = to[0], _ENTRY.format(entries=to[1])
    given = {"moves": moves, "vocabulary": vocabulary, "INT32_MAX": INT32_MAX}
    return _PROGRAM.format(**given, **sizes), (passes, 2**width)
