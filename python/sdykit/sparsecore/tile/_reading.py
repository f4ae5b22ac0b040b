"""Elements of rows as they are used: in float32, and scaled."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.mlir import ir
from sdykit.sparsecore.tile._builder import Builder
from sdykit.sparsecore.tile._columns import Columns, widths
from sdykit.sparsecore.tile.spec import LookupSpec


def load_float32(
    b: Builder, spec: LookupSpec, columns: Columns, buffer: ir.Value, row: ir.Value
) -> list[ir.Value]:
    """Load columns of a row of a table, and convert them.

    A chip may have wider vectors of bfloat16: they are split into those of float32.

    Args:
        b: where ops are added.
        spec: of the lookup.
        columns: vectors of float32.
        buffer: of the table's elements.
        row: which is loaded.
    """
    if spec.dtype == "float32":
        return columns.load(b, buffer, row)
    name = "arith.extf" if spec.dtype == "bfloat16" else "arith.sitofp"
    return [
        b.convert(name, value, f"vector<{width}xf32>")
        for value, width in zip(_load(b, spec, columns, buffer, row), columns.widths, strict=True)
    ]


def _load(
    b: Builder, spec: LookupSpec, columns: Columns, buffer: ir.Value, row: ir.Value
) -> list[ir.Value]:
    """Load columns of a row, in vectors of the chip's width for the table's elements."""
    lanes = spec.hardware.float32_lanes
    if spec.dtype != "bfloat16" or spec.hardware.bfloat16_lanes <= lanes:
        return columns.load(b, buffer, row)
    wide = Columns(columns.start, widths(sum(columns.widths), spec.hardware.bfloat16_lanes))
    return [part for value in wide.load(b, buffer, row) for part in _split(b, value, lanes)]


def _split(b: Builder, value: ir.Value, lanes: int) -> list[ir.Value]:
    """Give the parts of a vector that have no more elements."""
    type_ = ir.VectorType(value.type)
    count = type_.shape[0]
    if count <= lanes:
        return [value]
    return [
        b.op(
            "vector.extract_strided_slice",
            [value],
            [b.type(f"vector<{lanes}x{type_.element_type}>")],
            offsets=f"[{start}]",
            sizes=f"[{lanes}]",
            strides="[1]",
        ).result
        for start in range(0, count, lanes)
    ]


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
