"""The phase of an update as a chip runs it, one minibatch after another.

A partition's sequencer loads and sorts the entries of a minibatch, then its tiles add their gradients
to the sums of their rows: those of each device apart, from the first minibatch to the last. After
the last, the tiles add these parts, devices ascending, and apply the rule. A row has a *slot* in
`GRADIENT_PARTS`: the number of its first entry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sdykit.core.sparsecore.steps import LOAD
from sdykit.mlir import ir
from sdykit.sparsecore.tile.arguments import TileArgument
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.builder.steps import hold, step_attributes
from sdykit.sparsecore.tile.entries.segments import segments_of
from sdykit.sparsecore.tile.rules.rule import Rule
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, UpdateSpec
from sdykit.sparsecore.tile.update.collecting import Collector
from sdykit.sparsecore.tile.update.held import (
    GRADIENT_PARTS,
    ROWS_OF_A_BLOCK,
    ROWS_OF_SLOTS,
    SLOTS_OF_ROWS,
    SORTED_WORDS,
    UNIQUE_SLOTS,
    hold_words,
    sizes_of,
)
from sdykit.sparsecore.tile.update.row_sums import RowSums
from sdykit.sparsecore.tile.update.slot_sums import Range, SlotSums
from sdykit.sparsecore.tile.update.slot_updates import SlotUpdates
from sdykit.sparsecore.tile.update.vector_sorting import add_sort
from sdykit.sparsecore.tile.update.words import Words

AnySpec = UpdateSpec | CustomUpdateSpec


def minibatch_workspaces(spec: AnySpec) -> tuple[TileArgument, ...]:
    """Return the workspaces: gain and sample of each entry; slots, and the parts of their sums."""
    parts = ("entries", spec.num_devices * spec.dim)
    return (
        TileArgument("pairs", "int64", ("entries",), "workspace"),
        TileArgument(SLOTS_OF_ROWS, "int32", ("rows",), "workspace"),
        TileArgument(ROWS_OF_SLOTS, "int32", ("entries",), "workspace"),
        TileArgument(GRADIENT_PARTS, "float32", parts, "workspace"),
    )


def add_minibatch_phase(
    b: Builder, spec: AnySpec, rule: Rule, arguments: Mapping[str, ir.Value]
) -> None:
    """Add the phase over this device's partitions."""

    def sequencer(partition: ir.Value) -> None:
        _Partition(b, spec, rule, arguments, partition).run()

    b.phase({"partition": spec.sparse_cores}, sequencer)


@dataclass(frozen=True)
class _Partition:
    """A SparseCore's update of its partition.

    Attributes:
        builder: the builder that ops are added with.
        spec: the spec of the update.
        rule: the rule of the update.
        arguments: the arguments of the program, by name.
        number: the partition, counted within the device.
    """

    builder: Builder
    spec: AnySpec
    rule: Rule
    arguments: Mapping[str, ir.Value]
    number: ir.Value

    def run(self) -> None:
        """Add all steps."""
        b, spec, arguments = self.builder, self.spec, self.arguments
        segments = segments_of(b, spec, arguments)
        collector = Collector(b, spec, arguments, segments, self.number)
        slots = collector.measure()
        words = Words(b, hold_words(b, spec), arguments["pairs"])
        self._clear(slots)

        def minibatch(number: ir.Value, first: ir.Value) -> list[ir.Value]:
            count = b.figure(collector.collect_minibatch(words, first, number), "minibatch_ids")
            add_sort(b, spec, SORTED_WORDS, words.words, (b.at(0), count))
            sums = RowSums(b, spec, arguments, words, b.at(0), count)

            def add(tile: ir.Value) -> None:
                unique = hold(b, UNIQUE_SLOTS, "index", [ROWS_OF_A_BLOCK], sizes_of(spec))
                slot_sums = SlotSums(b, spec, arguments, self.number, slots, sums, first, unique)
                slot_sums.add(self._share((sums.begin, sums.end), tile))

            self._tiles(add)
            return [b.add(first, count)]

        b.loop(0, segments.minibatches, minibatch, [slots[0]], axis="minibatch")
        updates = SlotUpdates(b, spec, self.rule, arguments)
        self._tiles(lambda tile: updates.update(self._share(slots, tile)))

    def _tiles(self, body: Callable[[ir.Value], None]) -> None:
        self.builder.phase({"tile": self.spec.hardware.tiles_per_sparse_core}, body)

    def _clear(self, slots: Range) -> None:
        """Add the step that marks slots as unused."""
        b = self.builder

        def clear(slot: ir.Value) -> tuple[()]:
            b.store(b.constant("-1", "i32"), self.arguments[ROWS_OF_SLOTS], slot)
            return ()

        step = step_attributes(LOAD, [], [ROWS_OF_SLOTS])
        b.loop(*slots, clear, total="partition_ids", attributes=step)

    def _share(self, whole: Range, tile: ir.Value) -> Range:
        """Return a tile's even share of some positions."""
        b, tiles = self.builder, self.spec.hardware.tiles_per_sparse_core
        first, size = whole[0], b.sub(whole[1], whole[0])
        begin, end = (
            b.add(first, b.div(b.mul(each, size), tiles)) for each in (tile, b.add(tile, 1))
        )
        return begin, end
