"""Elements of a table as they are used: in float32, quantized if asked."""

from __future__ import annotations

import numpy as np

from sdykit.mlir import ir
from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.specs import Dtype
from sdykit.sparsecore.tile._builder import Builder

_INT8_OFFSET = 128
"""Bucket 0 is stored as -128."""


def to_float32(
    b: Builder, value: ir.Value, dtype: Dtype, quantization: Quantization | None
) -> ir.Value:
    """Convert a vector of a table's elements, and quantize it.

    The operations are those of `sdykit.sparsecore.reference`, each rounded to float32.
    """
    wide = _converted(b, value, dtype)
    if quantization is None:
        return wide
    low, high = _constant(b, quantization.low, wide), _constant(b, quantization.high, wide)
    step = _constant(b, quantization.step, wide)
    if dtype == "int8":
        bucket = b.floats("arith.addf", wide, _constant(b, _INT8_OFFSET, wide))
    else:
        raised = b.select(b.compare_floats("olt", wide, low), low, wide)
        clipped = b.select(b.compare_floats("ogt", raised, high), high, raised)
        steps = b.floats("arith.divf", b.floats("arith.subf", clipped, low), step)
        bucket = b.floats("math.roundeven", steps)
    return b.floats("arith.addf", low, b.floats("arith.mulf", step, bucket))


def _converted(b: Builder, value: ir.Value, dtype: Dtype) -> ir.Value:
    if dtype == "float32":
        return value
    count = ir.VectorType(value.type).shape[0]
    name = "arith.extf" if dtype == "bfloat16" else "arith.sitofp"
    return b.convert(name, value, f"vector<{count}xf32>")


def _constant(b: Builder, value: float | np.float32, like: ir.Value) -> ir.Value:
    bits = int(np.float32(value).view(np.uint32))
    return b.constant(f"dense<0x{bits:08X}>", like.type)
