"""The part of a device's ids that is sent to each owner in a round: those from one id up to another."""

from __future__ import annotations

import jax

from sdykit.bridge import ffi
from sdykit.sparsecore.exchange import Exchange

# The first number whose id is not below a bound, found by bisection: 32 steps halve any size to nothing.
_FIRST_NOT_BELOW = """
    %low_of_{name}, %high_of_{name} = scf.for %step_of_{name} = %c0 to %c32 step %c1
        iter_args(%low = %c0, %high = %size) -> (index, index) {{
      %both = arith.addi %low, %high : index
      %middle = arith.shrui %both, %c1 : index
      %held = arith.minsi %middle, %last : index
      %found = memref.load %ids[%held] : memref<?xi32>
      %is_below = arith.cmpi slt, %found, %{name} : i32
      %is_open = arith.cmpi slt, %low, %high : index
      %is_later = arith.andi %is_below, %is_open : i1
      %after = arith.addi %middle, %c1 : index
      %next_low = arith.select %is_later, %after, %low : index
      %next_high = arith.select %is_later, %high, %middle : index
      scf.yield %next_low, %next_high : index, index
    }}
"""
_START = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %none = arith.constant -1 : i32
  %size = memref.dim %ids, %c0 : memref<?xi32>
  %last = arith.subi %size, %c1 : index
  %owners = memref.dim %begins, %c0 : memref<?xi32>
"""

_NEXT = f"""
func.func @next_bounds(%ids: memref<?xi32> {{sparsecore.name = "ids"}},
                       %begins: memref<?xi32> {{sparsecore.name = "begins"}},
                       %limits: memref<?xi32> {{sparsecore.name = "limits"}},
                       %room: memref<i32> {{sparsecore.name = "room"}},
                       %ends: memref<?xi32> {{sparsecore.name = "ends"}})
    attributes {{sparsecore.entry}} {{{_START}
  scf.parallel (%owner) = (%c0) to (%owners) step (%c1) {{
    %begin = memref.load %begins[%owner] : memref<?xi32>
    %limit = memref.load %limits[%owner] : memref<?xi32>
    {_FIRST_NOT_BELOW.format(name="begin")}
    %short = memref.load %room[] : memref<i32>
    %held_in_round = arith.index_cast %short : i32 to index
    %beyond = arith.addi %low_of_begin, %held_in_round : index
    %at = arith.minsi %beyond, %last : index
    %following = memref.load %ids[%at] : memref<?xi32>
    %is_held = arith.cmpi slt, %beyond, %size : index
    %known = arith.select %is_held, %following, %limit : i32
    %end = arith.minsi %known, %limit : i32
    memref.store %end, %ends[%owner] : memref<?xi32>
  }}
  return
}}
"""

_FILL = f"""
func.func @fill_round(%ids: memref<?xi32> {{sparsecore.name = "ids"}},
                      %begins: memref<?xi32> {{sparsecore.name = "begins"}},
                      %ends: memref<?xi32> {{sparsecore.name = "ends"}},
                      %numbers: memref<?x?xi32> {{sparsecore.name = "numbers"}},
                      %sent: memref<?x?xi32> {{sparsecore.name = "sent"}})
    attributes {{sparsecore.entry}} {{{_START}
  %room = memref.dim %numbers, %c1 : memref<?x?xi32>
  scf.parallel (%owner) = (%c0) to (%owners) step (%c1) {{
    %begin = memref.load %begins[%owner] : memref<?xi32>
    %end = memref.load %ends[%owner] : memref<?xi32>
    {_FIRST_NOT_BELOW.format(name="begin")}
    scf.for %k = %c0 to %room step %c1 {{
      %number = arith.addi %low_of_begin, %k : index
      %at = arith.minsi %number, %last : index
      %id = memref.load %ids[%at] : memref<?xi32>
      %is_held = arith.cmpi slt, %number, %size : index
      %is_below_end = arith.cmpi slt, %id, %end : i32
      %is_sent = arith.andi %is_held, %is_below_end : i1
      %short = arith.index_cast %number : index to i32
      %own = arith.select %is_sent, %short, %none : i32
      %word = arith.select %is_sent, %id, %none : i32
      memref.store %own, %numbers[%owner, %k] : memref<?x?xi32>
      memref.store %word, %sent[%owner, %k] : memref<?x?xi32>
    }}
  }}
  return
}}
"""


def next_bounds(
    exchange: Exchange, ids: jax.Array, begins: jax.Array, limits: jax.Array
) -> jax.Array:
    """Return the first id of each owner that there is no room for, or its limit, int32 `[devices]`.

    Args:
        exchange: the sizes.
        ids: int32 `[ids]`, ascending.
        begins: int32 `[devices]`: the first id of each owner that has not been sent, or one before it.
        limits: int32 `[devices]`: one past the last id of each owner.
    """
    room = jax.numpy.int32(exchange.capacity)
    (ends,) = ffi.call(_NEXT, [ids, begins, limits, room], [begins])
    return ends


def fill_round(
    exchange: Exchange, ids: jax.Array, begins: jax.Array, ends: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Return the numbers of the ids that are sent to each owner, and the ids, int32 `[devices * capacity]`.

    Both are -1 in room that is not used.

    Args:
        exchange: the sizes.
        ids: int32 `[ids]`, ascending.
        begins: int32 `[devices]`: the first id that is sent to each owner, or one before it.
        ends: int32 `[devices]`: the first that is not; there is room for all before it.
    """
    shape = jax.ShapeDtypeStruct((exchange.devices, exchange.capacity), ids.dtype)
    numbers, sent = ffi.call(_FILL, [ids, begins, ends], [shape, shape])
    return numbers.reshape(-1), sent.reshape(-1)
