"""Checks of the index of entries by sample; see `SampleIndex`."""

from __future__ import annotations

from collections.abc import Mapping

from sdykit.core.sparsecore.names import CHECK
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.checks.limits import LIMIT_MESSAGES, LimitChecks
from sdykit.sparsecore.tile.checks.status import largest, report
from sdykit.sparsecore.tile.spec import BufferLayout

MESSAGES = (
    "splits: SparseCore {1}: samples {2} to {3} have the entries {4} to {5} of {6}; expected a "
    "range of them, as preprocessing computes it",
    "sample_rows: position {1}: row {2} of a table of {3} rows; expected ids that were "
    "preprocessed for this table",
    *LIMIT_MESSAGES,
)
"""The messages about an index, from number 1 on."""
_SPLITS, _ROW, _LIMIT = 1, 2, 3


def add_observed_checks(b: Builder, spec: BufferLayout, arguments: Mapping[str, ir.Value]) -> None:
    """Add a phase over SparseCores and limits, which reports segments with more ids than a limit."""

    def check(core: ir.Value, limit: ir.Value) -> None:
        LimitChecks(b, spec, arguments, _LIMIT).observed(core, limit)

    b.phase({"core": spec.all_cores, "limit": len(spec.limits)}, check, **{CHECK: "unit"})


def check_splits(
    b: Builder,
    arguments: Mapping[str, ir.Value],
    core: ir.Value,
    samples: tuple[ir.Value, ir.Value],
    entries: tuple[ir.Value, ir.Value],
) -> ir.Value:
    """Return whether the entries of some samples are a range of all; report them if not.

    Args:
        b: the builder that ops are added with.
        arguments: the arguments of the program, by name.
        core: the SparseCore that has the samples.
        samples: the first sample, and one past the last.
        entries: the position of the first entry, and one past that of the last.
    """
    begin, end = entries
    count = b.dim(arguments["sample_rows"], 0)
    # Compared as unsigned numbers, so that neither may be negative.
    fits = b.integers("arith.andi", b.compare("ule", begin, end), b.compare("ule", end, count))

    def report_range() -> tuple[()]:
        report(b, arguments["status"], _SPLITS, (core, *samples, begin, end, count))
        return ()

    b.choose(fits, tuple, report_range, marks=[CHECK])
    return fits


def check_rows(
    b: Builder,
    arguments: Mapping[str, ir.Value],
    rows: ir.Value,
    first: ir.Value,
    count: ir.Value,
) -> ir.Value:
    """Return whether rows are rows of the table; report the first that is not.

    Args:
        b: the builder that ops are added with.
        arguments: the arguments of the program, by name.
        rows: the rows of a block's entries, i32.
        first: the position of the block's first entry.
        count: the number of entries.
    """
    size = b.dim(arguments["table"], 0)

    def compare() -> list[ir.Value]:
        (highest,) = largest(b, [rows], 0, count)
        return [b.compare("ult", highest, size)]

    def is_row(number: ir.Value) -> ir.Value:
        return b.compare("ult", b.load_index(rows, number), size)

    def report_first() -> tuple[()]:
        at = b.repeat([b.at(0)], is_row, lambda number: [b.add(number, 1)])[0]
        values = (b.add(first, at), b.load_index(rows, at), size)
        report(b, arguments["status"], _ROW, values)
        return ()

    truth = b.type("i1")
    none = [b.constant("1", truth)]
    fits = b.choose(b.compare("sgt", count, 0), compare, lambda: none, [truth], marks=[CHECK])[0]
    b.choose(fits, tuple, report_first, marks=[CHECK])
    return fits
