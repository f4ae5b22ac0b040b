"""Words of raw ids, sorted by the lowest bits of their rows: each sorter's in a place of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.checks.ids import each_checked_id
from sdykit.sparsecore.tile.entries.ids import Entry, Ids
from sdykit.sparsecore.tile.update.radix_sort import Digit
from sdykit.sparsecore.tile.update.row_digits import AT_ONCE, Counters, RowDigits
from sdykit.sparsecore.tile.update.words import ROW_SHIFT, Words


@dataclass(frozen=True)
class Part:
    """Entries that a sorter has.

    Attributes:
        ids: the ids of a device.
        first: the first sample.
        end: one past the last sample.
        before: the number of samples of the devices before.
    """

    ids: Ids
    first: ir.Value
    end: ir.Value
    before: ir.Value


def collect(
    b: Builder,
    arguments: Mapping[str, ir.Value],
    part: Part,
    digits: RowDigits,
    sorter: ir.Value,
) -> None:
    """Write the words of a part's ids, sorted by their first digit, and where each digit begins."""
    ids, digit, words = part.ids, digits.digit(0), b.row_of(arguments["words"], digits.copy(0))
    entries_before = b.mul(part.before, ids.valency)
    counters = Counters.cleared(b, digits.count)

    def count(position: ir.Value, entry: Entry) -> tuple[()]:
        # The words come into the caches in order; where they are written is in no order.
        b.prefetch(words, b.add(entries_before, position), write=True)
        # Entries of other devices have a counter too: so counting takes no branch.
        counters.next(b.select(entry.is_here, _digit_of(b, entry, digit), digits.count))
        return ()

    begin, end = b.mul(part.first, ids.valency), b.mul(part.end, ids.valency)
    each_checked_id(ids, begin, end, count, [])
    last = counters.become_positions(b.add(entries_before, begin))
    b.store(last, counters.counters, 0, digits.count)
    _write_starts(b, arguments["starts"], sorter, counters)
    _place(part, Words(b, words, arguments.get("pairs")), digit, counters)


def _write_starts(b: Builder, starts: ir.Value, sorter: ir.Value, counters: Counters) -> None:
    def write(which: ir.Value) -> tuple[()]:
        found = b.load_vector(counters.counters, [0, which], AT_ONCE)
        b.store_vector(found, starts, [sorter, which])
        return ()

    b.loop(0, b.add(counters.count, 1), write, step=AT_ONCE)


def _place(part: Part, words: Words, digit: Digit, counters: Counters) -> None:
    """Write the words of the ids to their places."""
    b, ids = words.builder, part.ids
    entries_before = b.mul(part.before, ids.valency)

    def sample(which: ir.Value) -> tuple[()]:
        def entry(position: ir.Value) -> tuple[()]:
            found = ids.read(position)

            def put() -> tuple[()]:
                to = counters.next(_digit_of(b, found, digit))
                row, gain = b.to_index(found.row), ids.gain(position)
                number, sample = b.add(entries_before, position), b.add(part.before, which)
                words.put(to, row, number, sample, gain)
                return ()

            b.choose(found.is_here, put)
            return ()

        first = b.mul(which, ids.valency)
        b.loop(first, b.add(first, ids.valency), entry)
        return ()

    b.loop(part.first, part.end, sample)


def _digit_of(b: Builder, entry: Entry, digit: Digit) -> ir.Value:
    return digit.of(b, b.bits("arith.shli", b.to_index(entry.row), ROW_SHIFT))
