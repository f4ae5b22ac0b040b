"""Words of a partition, taken from all sorters, and sorted by the bits of rows above the lowest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.update.radix_sort import Digit
from sdykit.sparsecore.tile.update.row_digits import Counters, RowDigits
from sdykit.sparsecore.tile.update.words import Words

_COUNTED_AT_ONCE = 4
"""Words that are counted at once, each in a copy of the counters, which together fit in a first cache."""


@dataclass(frozen=True)
class Grouping:
    """The words of a partition.

    Attributes:
        builder: the builder that ops are added with.
        starts: where each of the first digits begins in the words of each sorter.
        words: the two copies of the words, i64 `[2, entries]`.
        digits: the digits of rows.
        partition: the number of the partition.
        sorters: the number of sorters.
        first: the first of the partition's digits.
        last: one past the last of them.
        begin: the position of the first of the partition's words, when they are grouped.
        end: one past the position of the last one.
        total: the number of words of all partitions.
    """

    builder: Builder
    starts: ir.Value
    words: ir.Value
    digits: RowDigits
    partition: ir.Value
    sorters: ir.Value
    first: ir.Value
    last: ir.Value
    begin: ir.Value
    end: ir.Value
    total: ir.Value

    @staticmethod
    def of(
        b: Builder,
        arguments: Mapping[str, ir.Value],
        digits: RowDigits,
        partition: ir.Value,
        counts: tuple[ir.Value, ir.Value],
    ) -> Grouping:
        """Return the words of one of some partitions, which have even shares, in whole digits.

        Args:
            b: the builder that ops are added with.
            arguments: the arguments of the program, by name.
            digits: the digits of rows.
            partition: the number of the partition.
            counts: the number of sorters, and that of partitions.
        """
        starts, (sorters, partitions) = arguments["starts"], counts

        def sum_of(digit: ir.Value | int) -> ir.Value:
            def add(sorter: ir.Value, sum_: ir.Value) -> list[ir.Value]:
                return [b.add(sum_, b.load_index(starts, sorter, digit))]

            return b.loop(0, sorters, add, [b.at(0)])[0]

        base = sum_of(0)
        total = b.sub(sum_of(digits.count), base)

        def first_of(number: ir.Value) -> ir.Value:
            """Return the first digit with the share of all words before it."""
            share = b.add(b.div(b.mul(number, total), partitions), base)

            def is_open(low: ir.Value, high: ir.Value) -> ir.Value:
                return b.compare("slt", low, high)

            def halve(low: ir.Value, high: ir.Value) -> list[ir.Value]:
                middle = b.div(b.add(low, high), 2)
                is_less = b.compare("slt", sum_of(middle), share)
                return [b.select(is_less, b.add(middle, 1), low), b.select(is_less, high, middle)]

            return b.repeat([b.at(0), digits.count], is_open, halve)[0]

        first, last = first_of(partition), first_of(b.add(partition, 1))
        begin, end = (b.sub(sum_of(each), base) for each in (first, last))
        words = arguments["words"]
        return Grouping(
            b, starts, words, digits, partition, sorters, first, last, begin, end, total
        )

    def sort_collected(self) -> None:
        """Take the words from all sorters, sorted by their second digit."""
        b, scatter = self.builder, self._scatter(1)

        def count_of(sorter: ir.Value, to: ir.Value) -> list[ir.Value]:
            first, last = (b.load_index(self.starts, sorter, at) for at in (self.first, self.last))
            scatter.count(first, last, to)
            return [b.add(to, b.sub(last, first))]

        b.loop(0, self.sorters, count_of, [self.begin])
        scatter.counters.become_positions(self.begin)

        # One sorter's digits are one after another.
        all_digits = b.maximum(b.sub(self.last, self.first), 1)
        some = b.select(b.compare("eq", self.sorters, 1), all_digits, 1)

        def of_digits(which: ir.Value) -> tuple[()]:
            def of_sorter(sorter: ir.Value) -> tuple[()]:
                ends = (which, b.add(which, some))
                scatter.move(*(b.load_index(self.starts, sorter, at) for at in ends))
                return ()

            b.loop(0, self.sorters, of_sorter)
            return ()

        b.loop(self.first, self.last, of_digits, step=some)

    def sort_grouped(self) -> None:
        """Sort the words, which are sorted by the first two digits, by the third."""
        scatter = self._scatter(2)
        scatter.count(self.begin, self.end, self.begin)
        scatter.counters.become_positions(self.begin)
        scatter.move(self.begin, self.end)

    def _scatter(self, number: int) -> _Scatter:
        """Return what moves words by the digit of a pass, from one copy of them to the other."""
        b, digits = self.builder, self.digits
        source, target = (b.row_of(self.words, digits.copy(each)) for each in (number - 1, number))
        counters = Counters.cleared(b, digits.count, _COUNTED_AT_ONCE)
        return _Scatter(Words(b, source, None), target, digits.digit(number), counters)


@dataclass(frozen=True)
class _Scatter:
    """Moves words to places of their own, by a digit.

    Attributes:
        source: the words.
        target: where they are moved to, i64 `[entries]`.
        digit: the digit.
        counters: counters of its values.
    """

    source: Words
    target: ir.Value
    digit: Digit
    counters: Counters

    def count(self, first: ir.Value, last: ir.Value, to: ir.Value) -> None:
        """Count the words from `first` to before `last`, and prefetch as many places from `to` on."""
        b = self.source.builder
        moved = b.sub(to, first)

        def some(position: ir.Value, number: int) -> tuple[()]:
            b.prefetch(self.target, b.add(position, moved), write=True)
            for copy in range(number):
                word = self.source.word(b.add(position, copy))
                self.counters.next(self.digit.of(b, word), copy)
            return ()

        rest = b.rem(b.sub(last, first), _COUNTED_AT_ONCE)
        whole = b.sub(last, rest)
        b.loop(first, whole, lambda at: some(at, _COUNTED_AT_ONCE), step=_COUNTED_AT_ONCE)
        b.loop(whole, last, lambda at: some(at, 1))

    def move(self, first: ir.Value, last: ir.Value) -> None:
        """Move the words from `first` to before `last`; the counters have become positions."""
        b = self.source.builder

        def one(position: ir.Value) -> tuple[()]:
            word = self.source.word(position)
            to = self.counters.next(self.digit.of(b, word))
            b.store(b.to_integer(word, "i64"), self.target, to)
            return ()

        b.loop(first, last, one)
