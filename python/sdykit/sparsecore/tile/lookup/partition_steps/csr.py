"""The first step of `reduce`: the entries of a partition in the order of samples, as CSR.

Each tile filters the entries of its own samples, in vectors, then sorts them by counting: stably, so
that the entries of a sample stay in the order of the buffers.
"""

from __future__ import annotations

from sdykit.core.sparsecore.steps import REDUCE
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.lanes import (
    append,
    as_ones,
    both_masks,
    first_lanes,
    integers,
    last_lane,
    numbered_from,
    prefix_sums,
    total,
    zeros,
)
from sdykit.sparsecore.tile.lookup.core import Core, Range
from sdykit.sparsecore.tile.lookup.held import (
    CSR_GAINS,
    CSR_ROWS,
    CSR_STARTS,
    ENTRY_GAINS,
    ENTRY_ROWS,
    ENTRY_SAMPLES,
    OWN_ENTRIES,
    starts_per_tile,
)


def add_csr(core: Core, count: ir.Value) -> None:
    """Add the step, for the first `count` entries."""

    def tile(number: ir.Value) -> None:
        samples = core.samples(number)
        own = _filter(core, samples, count)
        first = core.builder.mul(number, starts_per_tile(core.spec))
        _count(core, own, first, samples)
        _sum_up(core, own, first)
        _place(core, own, first, samples)

    core.step(
        REDUCE,
        tile,
        reads=[ENTRY_SAMPLES, ENTRY_ROWS, ENTRY_GAINS, OWN_ENTRIES, CSR_STARTS],
        writes=[OWN_ENTRIES, CSR_STARTS, CSR_ROWS, CSR_GAINS],
    )


def _filter(core: Core, samples: Range, count: ir.Value) -> Range:
    """Write the numbers of the entries of a tile's samples, after those of the tiles before.

    Returns:
        Their positions in `OWN_ENTRIES`.
    """
    b, lanes = core.builder, core.lanes
    first, end = (b.splat(b.to_integer(each, "i32"), integers(b, lanes)) for each in samples)

    def entries(position: ir.Value) -> tuple[ir.Value, ir.Value]:
        values = b.load_vector(core.buffers[ENTRY_SAMPLES], [position], lanes)
        return values, first_lanes(b, b.sub(count, position), lanes)

    def count_before(position: ir.Value, found: ir.Value) -> list[ir.Value]:
        values, is_entry = entries(position)
        is_before = both_masks(b, b.compare("slt", values, first), is_entry)
        return [b.integers("arith.addi", found, as_ones(b, is_before))]

    def filter_own(position: ir.Value, to: ir.Value) -> list[ir.Value]:
        values, is_entry = entries(position)
        is_inside = both_masks(b, b.compare("sle", first, values), b.compare("slt", values, end))
        is_own = both_masks(b, is_inside, is_entry)
        numbers = numbered_from(b, position, lanes)
        return [append(b, numbers, is_own, core.buffers[OWN_ENTRIES], to)]

    (before,) = b.loop(0, count, count_before, [zeros(b, lanes)], step=lanes)
    start = b.to_index(total(b, before))
    (stop,) = b.loop(0, count, filter_own, [start], step=lanes)
    return start, stop


def _count(core: Core, own: Range, first: ir.Value, samples: Range) -> None:
    """Count the entries of each sample in `CSR_STARTS`, from `first` on."""
    b, lanes, starts = core.builder, core.lanes, core.buffers[CSR_STARTS]
    one = b.constant("1", "i32")

    def clear(offset: ir.Value) -> tuple[()]:
        b.store_vector(zeros(b, lanes), starts, [b.add(first, offset)])
        return ()

    def add(position: ir.Value) -> tuple[()]:
        _, place = _sample_of(core, position, first, samples)
        b.store(b.integers("arith.addi", b.load(starts, place), one), starts, place)
        return ()

    b.loop(0, starts_per_tile(core.spec), clear, step=lanes)
    b.loop(*own, add)


def _sum_up(core: Core, own: Range, first: ir.Value) -> None:
    """Replace the counts by their prefix sums: the end of each sample's entries."""
    b, lanes, starts = core.builder, core.lanes, core.buffers[CSR_STARTS]

    def add(offset: ir.Value, before: ir.Value) -> list[ir.Value]:
        place = b.add(first, offset)
        sums = prefix_sums(b, b.load_vector(starts, [place], lanes))
        ends = b.integers("arith.addi", sums, b.splat(before, sums.type))
        b.store_vector(ends, starts, [place])
        return [last_lane(b, ends)]

    before = b.to_integer(own[0], "i32")
    b.loop(0, starts_per_tile(core.spec), add, [before], step=lanes)


def _place(core: Core, own: Range, first: ir.Value, samples: Range) -> None:
    """Write rows and gains from the last entry to the first; the end of a sample moves to its start."""
    b, starts = core.builder, core.buffers[CSR_STARTS]
    start, stop = own
    last, one = b.add(start, b.sub(stop, 1)), b.constant("1", "i32")

    def place(position: ir.Value) -> tuple[()]:
        entry, sample = _sample_of(core, b.sub(last, position), first, samples)
        to = b.integers("arith.subi", b.load(starts, sample), one)
        b.store(to, starts, sample)
        for source, target in ((ENTRY_ROWS, CSR_ROWS), (ENTRY_GAINS, CSR_GAINS)):
            b.store(b.load(core.buffers[source], entry), core.buffers[target], b.to_index(to))
        return ()

    b.loop(start, stop, place)


def _sample_of(
    core: Core, position: ir.Value, first: ir.Value, samples: Range
) -> tuple[ir.Value, ir.Value]:
    """Return the number of an entry in `OWN_ENTRIES`, and where its sample is in `CSR_STARTS`."""
    b = core.builder
    entry = b.load_index(core.buffers[OWN_ENTRIES], position)
    sample = b.load_index(core.buffers[ENTRY_SAMPLES], entry)
    return entry, b.add(first, b.sub(sample, samples[0]))
