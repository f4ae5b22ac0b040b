"""The part of a device's ids that is sent to each owner in a round: those from one id up to another."""

from __future__ import annotations

import jax

from sdykit.bridge import ffi
from sdykit.sparsecore.exchange import HEAD, Exchange

_FILL = f"""
func.func @fill_round(%ids: memref<?xi32> {{sparsecore.name = "ids"}},
                      %begins: memref<?xi32> {{sparsecore.name = "begins"}},
                      %limits: memref<?xi32> {{sparsecore.name = "limits"}},
                      %error: memref<i32> {{sparsecore.name = "error"}},
                      %ends: memref<?xi32> {{sparsecore.name = "ends"}},
                      %numbers: memref<?x?xi32> {{sparsecore.name = "numbers"}},
                      %words: memref<?x?xi32> {{sparsecore.name = "words"}})
    attributes {{sparsecore.entry}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %head = arith.constant {HEAD} : index
  %none = arith.constant -1 : i32
  %no = arith.constant 0 : i32
  %size = memref.dim %ids, %c0 : memref<?xi32>
  %last = arith.subi %size, %c1 : index
  %owners = memref.dim %begins, %c0 : memref<?xi32>
  %room = memref.dim %numbers, %c1 : memref<?x?xi32>
  %width = memref.dim %words, %c1 : memref<?x?xi32>
  scf.parallel (%owner) = (%c0) to (%owners) step (%c1) {{
    %begin = memref.load %begins[%owner] : memref<?xi32>
    %limit = memref.load %limits[%owner] : memref<?xi32>
    // The number of the first id that is not below the begin, by bisection: 32 steps halve any size to nothing.
    %first, %high = scf.for %step = %c0 to %c32 step %c1
        iter_args(%low = %c0, %high = %size) -> (index, index) {{
      %both = arith.addi %low, %high : index
      %middle = arith.shrui %both, %c1 : index
      %held = arith.minsi %middle, %last : index
      %found = memref.load %ids[%held] : memref<?xi32>
      %is_below = arith.cmpi slt, %found, %begin : i32
      %is_open = arith.cmpi slt, %low, %high : index
      %is_later = arith.andi %is_below, %is_open : i1
      %after = arith.addi %middle, %c1 : index
      %next_low = arith.select %is_later, %after, %low : index
      %next_high = arith.select %is_later, %high, %middle : index
      scf.yield %next_low, %next_high : index, index
    }}
    %beyond = arith.addi %first, %room : index
    %at_end = arith.minsi %beyond, %last : index
    %following = memref.load %ids[%at_end] : memref<?xi32>
    %is_known = arith.cmpi slt, %beyond, %size : index
    %known = arith.select %is_known, %following, %limit : i32
    %end = arith.minsi %known, %limit : i32
    memref.store %end, %ends[%owner] : memref<?xi32>
    scf.for %k = %c0 to %room step %c1 {{
      %number = arith.addi %first, %k : index
      %at = arith.minsi %number, %last : index
      %id = memref.load %ids[%at] : memref<?xi32>
      %is_held = arith.cmpi slt, %number, %size : index
      %is_below_end = arith.cmpi slt, %id, %end : i32
      %is_sent = arith.andi %is_held, %is_below_end : i1
      %short = arith.index_cast %number : index to i32
      %own = arith.select %is_sent, %short, %none : i32
      %word = arith.select %is_sent, %id, %none : i32
      %place = arith.addi %head, %k : index
      memref.store %own, %numbers[%owner, %k] : memref<?x?xi32>
      memref.store %word, %words[%owner, %place] : memref<?x?xi32>
    }}
    %used = arith.addi %head, %room : index
    scf.for %place = %used to %width step %c1 {{
      memref.store %none, %words[%owner, %place] : memref<?x?xi32>
    }}
  }}
  scf.parallel (%all) = (%c0) to (%c1) step (%c1) {{
    %left = scf.for %owner = %c0 to %owners step %c1 iter_args(%so_far = %no) -> (i32) {{
      %end = memref.load %ends[%owner] : memref<?xi32>
      %limit = memref.load %limits[%owner] : memref<?xi32>
      %is_short = arith.cmpi slt, %end, %limit : i32
      %short = arith.extui %is_short : i1 to i32
      %either = arith.ori %so_far, %short : i32
      scf.yield %either : i32
    }}
    %number = memref.load %error[] : memref<i32>
    scf.for %owner = %c0 to %owners step %c1 {{
      %end = memref.load %ends[%owner] : memref<?xi32>
      memref.store %number, %words[%owner, %c0] : memref<?x?xi32>
      memref.store %end, %words[%owner, %c1] : memref<?x?xi32>
      memref.store %left, %words[%owner, %c2] : memref<?x?xi32>
    }}
  }}
  return
}}
"""


def fill_round(
    exchange: Exchange,
    ids: jax.Array,
    begins: jax.Array,
    limits: jax.Array,
    *,
    error: jax.Array,
    width: int,
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Return what a device sends to each owner.

    Args:
        exchange: the sizes.
        ids: int32 `[ids]`, ascending.
        begins: int32 `[devices]`: the first id that is sent to each owner, or one before it.
        limits: int32 `[devices]`: one past the last id of each owner.
        error: int32, the first of the words before the ids.
        width: the number of words for each owner, at least `HEAD + capacity`.

    Returns:
        int32 `[devices]`: the first id of each owner that there is no room for, or its limit; int32
        `[devices * capacity]`: the numbers of the ids that are sent, -1 in room that is not used; and
        int32 `[devices, width]`: the words `error`, this end, and 1 if this device has ids left for any
        owner, else 0; then the ids, and -1.
    """
    numbers = jax.ShapeDtypeStruct((exchange.devices, exchange.capacity), ids.dtype)
    words = jax.ShapeDtypeStruct((exchange.devices, width), ids.dtype)
    ends, own, sent = ffi.call(_FILL, [ids, begins, limits, error], [begins, numbers, words])
    return ends, own.reshape(-1), sent
