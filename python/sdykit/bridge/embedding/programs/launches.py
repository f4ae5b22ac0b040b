"""The launches that devices execute: XLA's id of the execution, which is the same on all of them."""

from __future__ import annotations

from collections.abc import Mapping

import jax
import jax.numpy as jnp

from sdykit.bridge import ffi
from sdykit.bridge.embedding.axes import Axes

_PROGRAM = """
func.func @launch(%like: memref<?xi32> {sparsecore.name = "like"},
                  %words: memref<2xi32> {sparsecore.name = "words"},
                  %launch: memref<1xi64> {sparsecore.name = "launch", sparsecore.launch})
    attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 32 : i64
  scf.parallel (%one) = (%c0) to (%c1) step (%c1) {
    %id = memref.load %launch[%c0] : memref<1xi64>
    %shifted = arith.shrui %id, %half : i64
    %low = arith.trunci %id : i64 to i32
    %high = arith.trunci %shifted : i64 to i32
    memref.store %low, %words[%c0] : memref<2xi32>
    memref.store %high, %words[%c1] : memref<2xi32>
  }
  return
}
"""


def launches_of(everyone: Axes, arrays: Mapping[str, jax.Array]) -> jax.Array:
    """Return the ids of the launches of all devices, int32: the low word of each, and the high one.

    Args:
        everyone: the axes of the devices.
        arrays: inputs of the program, one of them int32; the type of the result varies as they do.
    """
    like = next(each for each in arrays.values() if each.dtype == jnp.int32)
    shape = jax.ShapeDtypeStruct((2,), jnp.int32)
    (own,) = ffi.call(_PROGRAM, [like.reshape(-1)], [shape])
    return own if everyone.devices == 1 else everyone.gather(own)
