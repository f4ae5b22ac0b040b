"""Words of a partition, taken from all sorters, and sorted by the bits of rows above the lowest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.update.radix_sort import Digit
from sdykit.sparsecore.tile.update.row_digits import Counters, RowDigits
from sdykit.sparsecore.tile.update.words import Words, words_of


@dataclass(frozen=True)
class Grouping:
    """The words of a partition.

    Attributes:
        builder: the builder that ops are added with.
        starts: where each of the first digits begins in the words of each sorter.
        words: the words.
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
    words: Words
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
        words = words_of(b, arguments)
        return Grouping(
            b, starts, words, digits, partition, sorters, first, last, begin, end, total
        )

    def sort_collected(self) -> None:
        """Take the words from all sorters, sorted by their second digit."""
        b, digit, source = self.builder, self.digits.digit(1), self.digits.copy(0)
        counters = Counters.cleared(b, self.digits.count)

        def count_of(sorter: ir.Value, to: ir.Value) -> list[ir.Value]:
            first, last = (b.load_index(self.starts, sorter, at) for at in (self.first, self.last))
            moved = b.sub(to, first)

            def count(position: ir.Value) -> tuple[()]:
                self._count(counters, digit, source, position, b.add(position, moved))
                return ()

            b.loop(first, last, count)
            return [b.add(moved, last)]

        b.loop(0, self.sorters, count_of, [self.begin])
        counters.become_positions(self.begin)

        def move(position: ir.Value) -> tuple[()]:
            self._move(counters, digit, source, position)
            return ()

        # One sorter's digits are one after another.
        all_digits = b.maximum(b.sub(self.last, self.first), 1)
        some = b.select(b.compare("eq", self.sorters, 1), all_digits, 1)

        def of_digits(which: ir.Value) -> tuple[()]:
            def of_sorter(sorter: ir.Value) -> tuple[()]:
                ends = (which, b.add(which, some))
                first, last = (b.load_index(self.starts, sorter, at) for at in ends)
                b.loop(first, last, move)
                return ()

            b.loop(0, self.sorters, of_sorter)
            return ()

        b.loop(self.first, self.last, of_digits, step=some)

    def sort_grouped(self) -> None:
        """Sort the words, which are sorted by the first two digits, by the third."""
        b, digit, source = self.builder, self.digits.digit(2), self.digits.copy(1)
        counters = Counters.cleared(b, self.digits.count)

        def count(position: ir.Value) -> tuple[()]:
            self._count(counters, digit, source, position, position)
            return ()

        def move(position: ir.Value) -> tuple[()]:
            self._move(counters, digit, source, position)
            return ()

        b.loop(self.begin, self.end, count)
        counters.become_positions(self.begin)
        b.loop(self.begin, self.end, move)

    def _count(
        self,
        counters: Counters,
        digit: Digit,
        source: ir.Value,
        position: ir.Value,
        to: ir.Value,
    ) -> None:
        """Count a word, and prefetch the place of some word of the partition."""
        b = self.builder
        b.prefetch(self.words.words, b.sub(1, source), to, write=True)
        counters.next(digit.of(b, self.words.word(position, source)))

    def _move(self, counters: Counters, digit: Digit, source: ir.Value, position: ir.Value) -> None:
        """Move a word to its place in the other copy."""
        b, words = self.builder, self.words.words
        word = self.words.word(position, source)
        to = counters.next(digit.of(b, word))
        b.store(b.to_integer(word, "i64"), words, b.sub(1, source), to)
