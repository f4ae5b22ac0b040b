"""The lookup of raw ids by one program for all devices: each sample reads rows wherever they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile.arguments import TileArgument
from sdykit.sparsecore.tile.builder.columns import Columns, add_scaled, for_columns
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.checks.ids import report_too_large
from sdykit.sparsecore.tile.entries.ids import Ids, ids_of_device
from sdykit.sparsecore.tile.lookup.elements import load_float32
from sdykit.sparsecore.tile.lookup.held import IDS_PER_BLOCK
from sdykit.sparsecore.tile.shared_memory.owners import Owners, SortedBlock
from sdykit.sparsecore.tile.shared_memory.pieces import Pieces, pieces_of
from sdykit.sparsecore.tile.shared_memory.sums import Sums, added, samples_of_tile
from sdykit.sparsecore.tile.spec import LookupSpec


def add_shared_lookup(
    b: Builder,
    spec: LookupSpec,
    described: Sequence[TileArgument],
    arguments: Mapping[str, ir.Value],
    store: Mapping[str, str],
) -> None:
    """Add the phase in which tiles look up the samples of all devices.

    Args:
        b: the builder that ops are added with.
        spec: the spec of the lookup.
        described: the arguments of the program, in order.
        arguments: their values, by name.
        store: the attributes of stores of activations.
    """

    def tile(device: ir.Value, core: ir.Value, number: ir.Value) -> None:
        pieces = pieces_of(b, described, arguments)
        ids = ids_of_device(b, spec, pieces, device)
        activations = pieces.array("activations", device)
        owners = Owners.make(b, ids, spec.num_devices)
        sums = Sums(b, spec, pieces, activations, store)
        _Tile(b, spec, pieces, ids, owners, sums).run(core, number)

    cores, tiles = spec.sparse_cores, spec.hardware.tiles_per_sparse_core
    b.phase({"device": spec.num_devices, "core": cores, "tile": tiles}, tile)


@dataclass(frozen=True)
class _Tile:
    """A tile's part of the lookup.

    Attributes:
        builder: the builder that ops are added with.
        spec: the spec of the lookup.
        pieces: the arrays of all devices.
        ids: the ids of the tile's device.
        owners: finds the devices that own the rows of these ids.
        sums: sums the rows of entries.
    """

    builder: Builder
    spec: LookupSpec
    pieces: Pieces
    ids: Ids
    owners: Owners
    sums: Sums

    def run(self, core: ir.Value, number: ir.Value) -> None:
        """Look up the samples of a tile: by blocks of whole samples, or one by one if they are long."""
        b, valency = self.builder, self.ids.valency
        before = b.mul(core, self.spec.samples_per_core)
        first, end = (b.add(before, each) for each in samples_of_tile(b, self.spec, number))
        report_too_large(self.ids, b.mul(first, valency), b.mul(end, valency))

        def long() -> tuple[()]:
            b.loop(first, end, self._long_sample)
            return ()

        def short() -> tuple[()]:
            self._blocks(first, end)
            return ()

        b.choose(b.compare("sgt", valency, IDS_PER_BLOCK), long, short)

    def _blocks(self, first: ir.Value, end: ir.Value) -> None:
        b = self.builder
        at_once = b.div(b.at(IDS_PER_BLOCK), b.maximum(self.ids.valency, 1))
        room = SortedBlock.hold(b, self.owners, self.pieces)

        def block(sample: ir.Value) -> list[ir.Value]:
            last = b.minimum(b.add(sample, at_once), end)
            live = room.fill(sample, last)
            sums = self.sums
            sums.prefetch_first(room, b.at(0), live)

            def one(which: ir.Value) -> tuple[()]:
                number = b.sub(which, sample)
                ends = (b.load_index(room.starts, each) for each in (number, b.add(number, 1)))
                begin, end = ends
                sums.add(room, which, (begin, end), live)
                return ()

            b.loop(sample, last, one)
            return [last]

        b.repeat([first], lambda sample: b.compare("slt", sample, end), block)

    def _long_sample(self, which: ir.Value) -> tuple[()]:
        """Store the sum of a sample, whose ids are read once for each device."""
        b, valency = self.builder, self.ids.valency
        first = b.mul(which, valency)

        def columns(these: Columns) -> tuple[()]:
            def of_device(device: ir.Value, *totals: ir.Value) -> list[ir.Value]:
                def entry(position: ir.Value, *sums: ir.Value) -> list[ir.Value]:
                    owner, row = self.owners.of(position)

                    def add() -> list[ir.Value]:
                        place = self.pieces.position("table", device, b.to_index(row))
                        held = self.pieces.row("table", place)
                        values = load_float32(b, self.spec, these, held, b.at(0))
                        return add_scaled(b, sums, values, self.ids.gain(position))

                    is_here = b.compare("eq", b.to_index(owner), device)
                    return b.choose(is_here, add, lambda: sums, [each.type for each in sums])

                sums = b.loop(first, b.add(first, valency), entry, these.zeros(b))
                return added(b, totals, sums)

            totals = b.loop(0, self.spec.num_devices, of_device, these.zeros(b))
            these.store(b, totals, self.sums.activations, which, **self.sums.store)
            return ()

        for_columns(b, self.spec.dim, self.spec.hardware.float32_lanes, columns)
        return ()
