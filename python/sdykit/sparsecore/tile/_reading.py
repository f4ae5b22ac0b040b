"""Elements of rows as they are used: in float32, and scaled."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.mlir import ir
from sdykit.sparsecore.specs import Dtype
from sdykit.sparsecore.tile._builder import Builder


def to_float32(b: Builder, value: ir.Value, dtype: Dtype) -> ir.Value:
    """Convert a vector of a table's elements."""
    if dtype == "float32":
        return value
    count = ir.VectorType(value.type).shape[0]
    name = "arith.extf" if dtype == "bfloat16" else "arith.sitofp"
    return b.convert(name, value, f"vector<{count}xf32>")


def add_scaled(
    b: Builder, sums: Sequence[ir.Value], values: Sequence[ir.Value], gain: ir.Value | None
) -> list[ir.Value]:
    """Add `gain * value` to sums, product and sum rounded each.

    Args:
        b: where ops are added.
        sums: vectors of float32.
        values: the same.
        gain: a scalar; None: 1, which changes no bit of a number.
    """
    if gain is not None:
        values = [b.floats("arith.mulf", b.splat(gain, value.type), value) for value in values]
    return [b.floats("arith.addf", *pair) for pair in zip(sums, values, strict=True)]
