"""The phase in which tiles sum the entries of their samples, from raw ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sdykit.mlir import ir
from sdykit.passes.sparsecore._programs.layout import ProgramLayout
from sdykit.passes.sparsecore.index_entries.sums import Sums
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.entries.ids import Ids, ids_of
from sdykit.sparsecore.tile.lookup.held import ENTRY_GAINS, ENTRY_IDS
from sdykit.sparsecore.tile.lookup.id_blocks import IdBlock, make_id_blocks
from sdykit.sparsecore.tile.lookup.prefetch import Prefetcher


@dataclass(frozen=True)
class IdsPhase:
    """Adds the phase: a tile takes one block of its ids after another, without the other tiles.

    Attributes:
        builder: the builder that ops are added with.
        lookup: the sizes of the lookup.
        arguments: the arguments of the entry function, by name.
        sums: the ops for a sample, which are moved to the phase.
    """

    builder: Builder
    lookup: ProgramLayout
    arguments: Mapping[str, ir.Value]
    sums: Sums

    def add(self) -> None:
        """Add the phase, over the tiles of all SparseCores that have samples."""
        axes = {"core": self.lookup.all_cores, "tile": self.lookup.tiles}
        self.builder.phase(axes, self._tile)

    def _tile(self, core: ir.Value, number: ir.Value) -> None:
        b, per_core = self.builder, self.lookup.samples_per_core
        ids = ids_of(b, self.lookup, self.arguments)
        blocks = make_id_blocks(b, ids, is_alone=self.lookup.num_devices == 1)
        before = b.mul(core, per_core)
        ends = (b.mul(each, per_core) for each in (number, b.add(number, 1)))
        first, end = (b.add(before, b.div(each, self.lookup.tiles)) for each in ends)
        begin, last = (b.mul(each, ids.valency) for each in (first, end))
        if blocks.is_alone:
            self._prefetcher(ids, begin).prefetch_first_of_core(number)

        def is_left(_: ir.Value, sample: ir.Value) -> ir.Value:
            return b.compare("slt", sample, end)

        def next_block(begin: ir.Value, sample: ir.Value) -> list[ir.Value]:
            block = blocks.load(begin, last)
            is_last = b.compare("eq", block.end, last)

            def begun() -> list[
                ir.Value
            ]:  # A block that is not the last has ids: divide only then.
                return [b.div(b.add(block.end, b.sub(ids.valency, 1)), ids.valency)]

            next_sample = b.choose(is_last, lambda: [end], begun, [b.index])[0]
            self._sum(ids, block, sample, next_sample)
            is_cut = b.compare("sgt", b.mul(next_sample, ids.valency), block.end)
            return [block.end, b.sub(next_sample, b.select(is_cut, 1, 0))]

        b.repeat([begin, first], is_left, next_block)

    def _sum(self, ids: Ids, block: IdBlock, first: ir.Value, end: ir.Value) -> None:
        """Add the entries of a block to the sums of its samples, counted over all SparseCores."""
        b, blocks = self.builder, block.blocks
        if blocks.is_alone:
            prefetcher = self._prefetcher(ids, block.begin)
        else:
            count = block.entry_at(block.end)
            table, lanes = self.arguments["table"], self.lookup.lanes
            prefetcher = Prefetcher(b, lanes, table, blocks.rows, b.at(0), b.sub(count, 1))
            prefetcher.prefetch_first()
        held = {ENTRY_IDS: blocks.rows}
        if blocks.gains is not None:
            held[ENTRY_GAINS] = blocks.gains

        def sample(which: ir.Value) -> tuple[()]:
            start = b.mul(which, ids.valency)
            is_new = b.compare("sge", start, block.begin)
            inside = b.maximum(start, block.begin), b.minimum(b.add(start, ids.valency), block.end)
            entries = block.entry_at(inside[0]), block.entry_at(inside[1])
            replace(self.sums, held=held, is_new=is_new).move(entries, which, prefetcher)
            return ()

        b.loop(first, end, sample)

    def _prefetcher(self, ids: Ids, begin: ir.Value) -> Prefetcher:
        """Return a prefetcher of the rows of all ids, of a device that has all rows."""
        b, table = self.builder, self.arguments["table"]
        last = b.sub(b.dim(ids.ids, 0), 1)
        return Prefetcher(b, self.lookup.lanes, table, ids.ids, begin, last)
