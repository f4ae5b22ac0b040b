"""A check of raw ids and gains before a device makes buffers of them."""

from __future__ import annotations

import json
from functools import cache

import jax
import jax.numpy as jnp

from sdykit.bridge import ffi
from sdykit.bridge.embedding.programs.gains import MARK, NO_SUM
from sdykit.sparsecore.tile.checks.ids import MESSAGES

_PROGRAM = """
func.func @check_raw_ids(%ids: memref<?x?xi32> {{sparsecore.name = "ids"}},
                         %gains: memref<?x?xf32> {{sparsecore.name = "gains"}},
                         %after: memref<?x?xf32> {{sparsecore.name = "after"}},
                         %status: memref<8xi64> {{sparsecore.status}})
    attributes {{sparsecore.entry, sparsecore.messages = ["", {no_sum}, {no_row}]}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %ok = arith.constant 0 : i64
  %no_sum = arith.constant 1 : i64
  %no_row = arith.constant 2 : i64
  %mark = arith.constant {mark}
  %marked = arith.bitcast %mark : f32 to i32
  %vocabulary = arith.constant {vocabulary} : i64
  %samples = memref.dim %ids, %c0 : memref<?x?xi32>
  %valency = memref.dim %ids, %c1 : memref<?x?xi32>
  scf.parallel (%i) = (%c0) to (%samples) step (%c1) {{
    scf.for %k = %c0 to %valency step %c1 {{
      %short = memref.load %ids[%i, %k] : memref<?x?xi32>
      %id = arith.extsi %short : i32 to i64
      %gain = memref.load %gains[%i, %k] : memref<?x?xf32>
      %bits = arith.bitcast %gain : f32 to i32
      %has_no_row = arith.cmpi sge, %id, %vocabulary : i64
      %has_no_sum = arith.cmpi eq, %bits, %marked : i32
      %is_wrong = arith.ori %has_no_row, %has_no_sum : i1
      %before = memref.load %status[%c0] : memref<8xi64>
      %is_first = arith.cmpi eq, %before, %ok : i64
      %report = arith.andi %is_wrong, %is_first : i1
      scf.if %report {{
        %number = arith.select %has_no_row, %no_row, %no_sum : i64
        %sample = arith.index_cast %i : index to i64
        %position = arith.index_cast %k : index to i64
        memref.store %number, %status[%c0] : memref<8xi64>
        memref.store %sample, %status[%c1] : memref<8xi64>
        memref.store %position, %status[%c2] : memref<8xi64>
        memref.store %id, %status[%c3] : memref<8xi64>
        memref.store %vocabulary, %status[%c4] : memref<8xi64>
      }}
    }}
  }}
  return
}}
"""


def find_wrong_id(
    ids: jax.Array, gains: jax.Array | None, *, vocabulary: int
) -> tuple[str, jax.Array, jax.Array]:
    """Return the text of the program that checks ids, these ids, and its status, int32 `[16]`.

    What is wrong is as in `check_raw_ids`.

    Args:
        ids: int32 `[samples, valency]`, those of this device.
        gains: float32 of this shape, those of `fold_gains`; None: they need no check.
        vocabulary: the number of rows of the table on all devices.
    """
    weights = jnp.zeros(ids.shape, jnp.float32) if gains is None else gains
    after = jnp.zeros((1, 1), jnp.float32)
    program = _program(vocabulary)
    aliases = {0: 0, 1: 1}
    operands, results = [ids, weights, after], [ids, weights]
    checked, _, status = ffi.call(
        program, operands, results, input_output_aliases=aliases, returns_status=True
    )
    return program, checked, status


def check_raw_ids(
    ids: jax.Array, gains: jax.Array, after: jax.Array, *, vocabulary: int, where: str
) -> tuple[jax.Array, jax.Array]:
    """Return ids and gains; it is an error when this runs if one of them is wrong.

    An id is wrong that is not a row of the table, and a gain of a sample whose weights sum to 0.
    On several devices both are those of all, and neither result is there before all is checked: a
    device that fails is in no collective of which others wait for it.

    Args:
        ids: int32 `[samples, valency]`; a negative number is not an id.
        gains: float32 of this shape, those of `fold_gains`, or weights.
        after: float32 `[rows, dim]` of any size, of a collective that ends before this runs.
        vocabulary: the number of rows of the table on all devices.
        where: the prefix of messages.
    """
    program = _program(vocabulary)
    aliases = {0: 0, 1: 1}
    checked, held = ffi.call(
        program, [ids, gains, after], [ids, gains], input_output_aliases=aliases, where=where
    )
    return checked, held


@cache
def _program(vocabulary: int) -> str:
    no_sum, no_row = json.dumps(NO_SUM), json.dumps(MESSAGES[0])
    return _PROGRAM.format(no_sum=no_sum, no_row=no_row, mark=MARK, vocabulary=vocabulary)
