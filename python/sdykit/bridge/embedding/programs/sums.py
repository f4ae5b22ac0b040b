"""Sums of the parts of activations that the devices computed."""

from __future__ import annotations

from functools import cache

import jax

from sdykit.bridge import ffi

# A program of ours, as XLA's threads flush subnormal numbers to zero.
_PROGRAM = """
func.func @add_parts(%parts: memref<?x?xf32> {{sparsecore.name = "parts"}},
                     %sums: memref<?xf32> {{sparsecore.name = "sums"}})
    attributes {{sparsecore.entry}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s0 = arith.constant 0.0 : f32
  %size = memref.dim %sums, %c0 : memref<?xf32>
  scf.parallel (%i) = (%c0) to (%size) step (%c1) {{
{adds}
    memref.store %s{devices}, %sums[%i] : memref<?xf32>
  }}
  return
}}
"""
_ADD = """
    %k{d} = arith.constant {d} : index
    %p{d} = memref.load %parts[%k{d}, %i] : memref<?x?xf32>
    %s{next} = arith.addf %s{d}, %p{d} : f32
"""


@cache
def _program(devices: int) -> str:
    adds = "".join(_ADD.format(d=device, next=device + 1) for device in range(devices))
    return _PROGRAM.format(adds=adds, devices=devices)


def add_parts(parts: jax.Array, devices: int) -> jax.Array:
    """Return the sum of the parts of an array, added to +0 one after another.

    Args:
        parts: float32 `[devices * samples, dim]`, device after device.
        devices: the number of parts.

    Returns:
        float32 `[samples, dim]`.
    """
    samples, dim = parts.shape[0] // devices, parts.shape[1]
    flat = parts.reshape(devices, samples * dim)
    shape = jax.ShapeDtypeStruct((samples * dim,), parts.dtype)
    (sums,) = ffi.call(_program(devices), [flat], [shape])
    return sums.reshape(samples, dim)
