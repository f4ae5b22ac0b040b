"""The words that an update sorts, each a row and the number of an entry; gain and sample are apart."""

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
"""The position of the row in a word; the bits below hold the number of the entry or, without gains,
its sample."""


def word_workspaces(spec: TileSpec) -> tuple[TileArgument, ...]:
    """Return the workspaces: the words; gain and sample of each entry, never moved."""
    copies = () if spec.reading == "chip" else (2,)
    words = TileArgument("words", "int64", (*copies, "entries"), "workspace")
    pairs = TileArgument("pairs", "int64", ("entries",), "workspace")
    return (words, pairs) if spec.gains else (words,)


@dataclass(frozen=True)
class Words:
    """Reads and writes the words of entries.

    Attributes:
        builder: the builder that ops are added with.
        words: the words, i64 `[entries]`; for a CPU two copies of them, `[2, entries]`, of which the
            first one is sorted in the end.
        pairs: gain and sample of each entry, i64 `[entries]`; None: every gain is 1, and words hold
            the sample.
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
        *,
        copy: ir.Value | int = 0,
    ) -> None:
        """Write the word of an entry, and its gain and sample.

        Args:
            to: the position of the word.
            row: the row that entries are sorted by.
            number: the number of the entry.
            sample: the sample, which is a row of the gradients.
            gain: the gain, f32; None: 1.
            copy: the copy that the word is written to.
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
        b.store(b.to_integer(word, "i64"), self.words, *self._indices(copy, to))

    def word(self, position: ir.Value, copy: ir.Value | int = 0) -> ir.Value:
        """Load a word."""
        return self.builder.load_index(self.words, *self._indices(copy, position))

    def _indices(self, copy: ir.Value | int, position: ir.Value) -> tuple[ir.Value | int, ...]:
        return (position,) if ir.MemRefType(self.words.type).rank == 1 else (copy, position)

    def row(self, word: ir.Value) -> ir.Value:
        """Return the row of a word."""
        return self.builder.bits("arith.shrui", word, _SHIFT)

    def prefetch(self, word: ir.Value) -> None:
        """Prefetch gain and sample of an entry."""
        if self.pairs is not None:
            self.builder.prefetch(self.pairs, self._low(word))

    def sample(self, word: ir.Value) -> ir.Value:
        """Return the sample of an entry, which is its row of the gradients."""
        if self.pairs is None:
            return self._low(word)
        b = self.builder
        return b.bits("arith.andi", b.load_index(self.pairs, self._low(word)), _MASK)

    def gain(self, word: ir.Value) -> ir.Value | None:
        """Return the gain of an entry; None: it is 1."""
        if self.pairs is None:
            return None
        b = self.builder
        pair = b.load(self.pairs, self._low(word))
        bits = b.integers("arith.shrui", pair, b.constant(str(_SHIFT), "i64"))
        return b.convert("arith.bitcast", b.convert("arith.trunci", bits, "i32"), "f32")

    def _low(self, word: ir.Value) -> ir.Value:
        return self.builder.bits("arith.andi", word, _MASK)


def words_of(b: Builder, arguments: Mapping[str, ir.Value]) -> Words:
    """Return the words of a program."""
    return Words(b, arguments["words"], arguments.get("pairs"))
