"""Loads of a table's elements as float32."""

from __future__ import annotations

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.columns import Columns, widths
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.spec import LookupSpec


def load_float32(
    b: Builder, spec: LookupSpec, columns: Columns, buffer: ir.Value, row: ir.Value
) -> list[ir.Value]:
    """Load columns of a row and convert them to float32.

    A chip may have wider vectors for bfloat16: they are split into those for float32.

    Args:
        b: the builder that ops are added with.
        spec: the spec of the lookup.
        columns: the columns, in vectors of float32.
        buffer: a buffer of rows of the table.
        row: the row in this buffer.
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
    """Load columns of a row, in the chip's vectors for elements of the table."""
    lanes = spec.hardware.float32_lanes
    if spec.dtype != "bfloat16" or spec.hardware.bfloat16_lanes <= lanes:
        return columns.load(b, buffer, row)
    wide = Columns(columns.start, widths(sum(columns.widths), spec.hardware.bfloat16_lanes))
    return [part for value in wide.load(b, buffer, row) for part in _split(b, value, lanes)]


def _split(b: Builder, value: ir.Value, lanes: int) -> list[ir.Value]:
    """Return a vector, split into parts of `lanes` elements if it has more."""
    count = ir.VectorType(value.type).shape[0]
    if count <= lanes:
        return [value]
    return [b.slice_vector(value, start, lanes) for start in range(0, count, lanes)]
