"""The phase in which tiles sum the entries of their samples, from an index by sample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sdykit.mlir import ir
from sdykit.passes.sparsecore._programs.layout import ProgramLayout
from sdykit.passes.sparsecore.index_entries.sums import Sums
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.checks.index import check_rows, check_splits
from sdykit.sparsecore.tile.lookup.prefetch import Prefetcher


@dataclass(frozen=True)
class TilePhase:
    """Adds the phase.

    Attributes:
        builder: the builder that ops are added with.
        lookup: the sizes of the lookup.
        arguments: the arguments of the entry function, by name, with an index.
        sums: the ops for a sample, which are moved to the phase.
        given: whether the caller passes the index, so that it is checked.
    """

    builder: Builder
    lookup: ProgramLayout
    arguments: Mapping[str, ir.Value]
    sums: Sums
    given: bool

    def add(self) -> None:
        """Add the phase, over the tiles of all SparseCores that have samples."""
        axes = {"core": self.lookup.all_cores, "tile": self.lookup.tiles}
        self.builder.phase(axes, self._tile)

    def _tile(self, core: ir.Value, number: ir.Value) -> None:
        b, per_core = self.builder, self.lookup.samples_per_core
        ends = (b.mul(each, per_core) for each in (number, b.add(number, 1)))
        first, end = (b.div(each, self.lookup.tiles) for each in ends)
        begin, last = self._start(core, first), self._start(core, end)
        if self.given:
            fits = check_splits(b, self.arguments, core, (first, end), (begin, last))
            begin, last = (b.select(fits, each, 0) for each in (begin, last))
            first = b.select(fits, first, end)
        rows, table = self.arguments["sample_rows"], self.arguments["table"]
        last_of_all = b.sub(b.dim(rows, 0), 1)
        prefetcher = Prefetcher(b, self.lookup.lanes, table, rows, begin, last_of_all)
        prefetcher.prefetch_first_of_core(number)
        if self.given:
            count = b.sub(last, begin)
            own = b.part_of(rows, begin, count)
            end = b.select(check_rows(b, self.arguments, own, begin, count), end, first)
        first_row, by_position = b.mul(core, per_core), replace(prefetcher, begin=b.at(0))

        def sample(which: ir.Value, start: ir.Value) -> list[ir.Value]:
            next_start, activation = self._start(core, b.add(which, 1)), b.add(first_row, which)
            # Also if the splits do not ascend, only entries of the tile are read.
            entries = b.maximum(start, begin), b.minimum(next_start, last)
            self.sums.move(entries, activation, by_position)
            return [next_start]

        b.loop(first, end, sample, [self._start(core, first)])

    def _start(self, core: ir.Value, sample: ir.Value) -> ir.Value:
        """Return the position of the first entry of a sample."""
        return self.builder.load_index(self.arguments["splits"], core, sample)
