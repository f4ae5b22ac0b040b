"""The number of minibatches, on which all devices must agree."""

from __future__ import annotations

from functools import cache

import jax

from sdykit.bridge import ffi
from sdykit.bridge.embedding.axes import Axes
from sdykit.sparsecore.tile.checks.buffers import MINIBATCHES

_PROGRAM = """
func.func @check_minibatches(%counts: memref<?xi32> {{sparsecore.name = "num_minibatches"}},
                             %agreed: memref<1xi32> {{sparsecore.name = "agreed"}},
                             %status: memref<8xi64> {{sparsecore.status}})
    attributes {{sparsecore.entry, sparsecore.messages = ["",
      "{message}"]}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1 : i32
  %room = arith.constant {room} : i32
  %bad = arith.constant 1 : i64
  %devices = memref.dim %counts, %c0 : memref<?xi32>
  scf.parallel (%all) = (%c0) to (%c1) step (%c1) {{
    %first = memref.load %counts[%c0] : memref<?xi32>
    memref.store %first, %agreed[%c0] : memref<1xi32>
    scf.for %device = %c0 to %devices step %c1 {{
      %count = memref.load %counts[%device] : memref<?xi32>
      %is_other = arith.cmpi ne, %count, %first : i32
      %is_low = arith.cmpi slt, %count, %one : i32
      %is_high = arith.cmpi sgt, %count, %room : i32
      %is_outside = arith.ori %is_low, %is_high : i1
      %is_wrong = arith.ori %is_other, %is_outside : i1
      scf.if %is_wrong {{
        %number = arith.index_cast %device : index to i64
        %found = arith.extsi %count : i32 to i64
        memref.store %bad, %status[%c0] : memref<8xi64>
        memref.store %number, %status[%c1] : memref<8xi64>
        memref.store %found, %status[%c2] : memref<8xi64>
      }}
    }}
  }}
  return
}}
"""


@cache
def _program(room: int) -> str:
    return _PROGRAM.format(room=room, message=MINIBATCHES.replace("{3}", str(room)))


def check_minibatches(axes: Axes, count: jax.Array, room: int, *, where: str) -> jax.Array:
    """Return the number of minibatches that all devices agree on.

    Each device reads the buffers of all by it. It is an error when this runs if the numbers differ,
    or row pointers have no room for so many; all devices see it, and fail together.

    Args:
        axes: the axes that the table is split over.
        count: int32 `[1]`, the number of this device.
        room: the number of segments of row pointers that a SparseCore has.
        where: the prefix of messages: the function, and the table if it has a name.

    Returns:
        int32 `[1]`.
    """
    counts = count if axes.devices == 1 else axes.gather(count)
    shape = jax.ShapeDtypeStruct((1,), count.dtype)
    (agreed,) = ffi.call(_program(room), [counts], [shape], where=where)
    return agreed
