"""The lookup of buffers by one program for all devices: from an index of the entries by sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile.arguments import TileArgument
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.checks.buffers import add_buffer_checks_of_all
from sdykit.sparsecore.tile.lookup.index_phase import add_index_phase_of_all
from sdykit.sparsecore.tile.shared_memory.pieces import pieces_of
from sdykit.sparsecore.tile.shared_memory.sums import Sums, samples_of_tile
from sdykit.sparsecore.tile.spec import LookupSpec


@dataclass(frozen=True)
class _Index:
    """The entries of all devices, by sample; see `Entries`."""

    builder: Builder
    owners: ir.Value
    places: ir.Value
    gains: ir.Value

    def gain(self, entry: ir.Value) -> ir.Value:
        return self.builder.load(self.gains, entry)


def add_shared_indexed_lookup(
    b: Builder,
    spec: LookupSpec,
    described: Sequence[TileArgument],
    arguments: Mapping[str, ir.Value],
    store: Mapping[str, str],
) -> None:
    """Add the phases that check the buffers, index their entries, and sum them.

    Args:
        b: the builder that ops are added with.
        spec: the spec of the lookup.
        described: the arguments of the program, in order.
        arguments: their values, by name.
        store: the attributes of stores of activations.
    """
    pieces = pieces_of(b, described, arguments)
    names = ("sample_owners", "sample_places", "sample_gains")
    index = _Index(b, *(arguments[name] for name in names))
    cores = spec.sparse_cores

    def tile(core: ir.Value, number: ir.Value) -> None:
        device, local = b.div(core, cores), b.rem(core, cores)
        sums = Sums(b, spec, pieces, pieces.array("activations", device), store)
        first, end = samples_of_tile(b, spec, number)

        def start_of(sample: ir.Value) -> ir.Value:
            return b.load_index(arguments["splits"], core, sample)

        last = start_of(end)
        sums.prefetch_first(index, start_of(first), last)
        before = b.mul(local, spec.samples_per_core)

        def sample(which: ir.Value, begin: ir.Value) -> list[ir.Value]:
            following = start_of(b.add(which, 1))
            sums.add(index, b.add(before, which), (begin, following), last)
            return [following]

        b.loop(first, end, sample, [start_of(first)])

    add_buffer_checks_of_all(b, spec, pieces)
    add_index_phase_of_all(b, spec, pieces)
    b.phase({"core": spec.all_cores, "tile": spec.hardware.tiles_per_sparse_core}, tile)
