"""Whether an index of entries by sample fits the program; see `SampleIndex`."""

from __future__ import annotations

from collections.abc import Mapping

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.checks.status import CHECK, largest, report

MESSAGES = (
    "splits: SparseCore {1}: samples {2} to {3} have the entries {4} to {5} of {6}; expected a "
    "range of them, as preprocessing gives",
    "sample_rows: position {1}: row {2} of a table of {3} rows; expected ids that were "
    "preprocessed for this table",
)
"""What the status may say of an index."""
_SPLITS, _ROW = 1, 2


def check_splits(
    b: Builder,
    arguments: Mapping[str, ir.Value],
    core: ir.Value,
    samples: tuple[ir.Value, ir.Value],
    entries: tuple[ir.Value, ir.Value],
) -> ir.Value:
    """Say whether the entries of some samples are a range of all; report them if not.

    Args:
        b: where ops are added.
        arguments: of the program.
        core: that has the samples.
        samples: the first, and the one after the last.
        entries: position of the first, and the one after the last.
    """
    begin, end = entries
    count = b.dim(arguments["sample_rows"], 0)
    # As unsigned numbers: then neither is negative.
    fits = b.integers("arith.andi", b.compare("ule", begin, end), b.compare("ule", end, count))

    def tell() -> tuple[()]:
        report(b, arguments["status"], _SPLITS, (core, *samples, begin, end, count))
        return ()

    b.choose(fits, tuple, tell, marks=[CHECK])
    return fits


def check_rows(
    b: Builder,
    arguments: Mapping[str, ir.Value],
    rows: ir.Value,
    first: ir.Value,
    count: ir.Value,
) -> ir.Value:
    """Say whether rows are rows of the table; report the first that is not.

    Args:
        b: where ops are added.
        arguments: of the program.
        rows: of the entries of a block, from 0 on.
        first: position of the first entry.
        count: of the entries.
    """
    size = b.dim(arguments["table"], 0)

    def look() -> list[ir.Value]:
        (highest,) = largest(b, [rows], 0, count)
        return [b.compare("ult", highest, size)]

    def is_right(number: ir.Value) -> ir.Value:
        return b.compare("ult", b.load_index(rows, number), size)

    def tell() -> tuple[()]:
        at = b.repeat([b.at(0)], is_right, lambda number: [b.add(number, 1)])[0]
        values = (b.add(first, at), b.load_index(rows, at), size)
        report(b, arguments["status"], _ROW, values)
        return ()

    truth = b.type("i1")
    none = [b.constant("1", truth)]
    fits = b.choose(b.compare("sgt", count, 0), look, lambda: none, [truth], marks=[CHECK])[0]
    b.choose(fits, tuple, tell, marks=[CHECK])
    return fits
