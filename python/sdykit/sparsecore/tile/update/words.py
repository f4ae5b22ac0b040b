"""What an update sorts: words of a row and an entry, and what is known of each entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile.arguments import TileArgument
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.spec import TileSpec

_SHIFT = 32
_MASK = 2**_SHIFT - 1
ROW_SHIFT = _SHIFT
"""Where the row begins in a word; below it is the entry's number or, without gains, its sample."""


def word_workspaces(spec: TileSpec) -> tuple[TileArgument, ...]:
    """Give two copies of the words, and gain and sample of each entry. Words alone are moved."""
    words = TileArgument("words", "int64", (2, "entries"), "workspace")
    pairs = TileArgument("pairs", "int64", ("entries",), "workspace")
    return (words, pairs) if spec.gains else (words,)


@dataclass(frozen=True)
class Words:
    """Reads and writes the workspaces.

    Attributes:
        builder: where ops are added.
        words: two copies.
        pairs: a gain and a row of the gradients, by the number of the entry; None: every gain is
            1, and words have the row of the gradients.
    """

    builder: Builder
    words: ir.Value
    pairs: ir.Value | None

    def put(
        self,
        to: ir.Value,
        row: ir.Value,
        number: ir.Value,
        sample: ir.Value,
        gain: ir.Value | None,
    ) -> None:
        """Write an entry.

        Args:
            to: where its word goes, in the first copy.
            row: what is sorted by.
            number: of the entry.
            sample: a row of the gradients.
            gain: f32.
        """
        b = self.builder
        low = number
        if self.pairs is None or gain is None:
            low = sample
        else:
            bits = b.convert("arith.extui", b.convert("arith.bitcast", gain, "i32"), "i64")
            high = b.integers("arith.shli", bits, b.constant(str(_SHIFT), "i64"))
            pair = b.integers("arith.ori", high, b.to_integer(sample, "i64"))
            b.store(pair, self.pairs, number)
        word = b.bits("arith.ori", b.bits("arith.shli", row, _SHIFT), low)
        b.store(b.to_integer(word, "i64"), self.words, 0, to)

    def word(self, copy: ir.Value, position: ir.Value) -> ir.Value:
        """Read a word."""
        return self.builder.load_index(self.words, copy, position)

    def row(self, word: ir.Value) -> ir.Value:
        """Give what is sorted by."""
        return self.builder.bits("arith.shrui", word, _SHIFT)

    def prefetch(self, word: ir.Value) -> None:
        """Ask for what is known of an entry."""
        if self.pairs is not None:
            self.builder.prefetch(self.pairs, self._low(word))

    def sample(self, word: ir.Value) -> ir.Value:
        """Give an entry's row of the gradients."""
        if self.pairs is None:
            return self._low(word)
        b = self.builder
        return b.bits("arith.andi", b.load_index(self.pairs, self._low(word)), _MASK)

    def gain(self, word: ir.Value) -> ir.Value | None:
        """Give an entry's gain."""
        if self.pairs is None:
            return None
        b = self.builder
        pair = b.load(self.pairs, self._low(word))
        bits = b.integers("arith.shrui", pair, b.constant(str(_SHIFT), "i64"))
        return b.convert("arith.bitcast", b.convert("arith.trunci", bits, "i32"), "f32")

    def _low(self, word: ir.Value) -> ir.Value:
        return self.builder.bits("arith.andi", word, _MASK)


def words_of(b: Builder, arguments: Mapping[str, ir.Value]) -> Words:
    """Give the workspaces."""
    return Words(b, arguments["words"], arguments.get("pairs"))
