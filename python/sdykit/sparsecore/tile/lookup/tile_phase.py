"""The activations of a batch, summed by tiles, block by block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.columns import (
    Columns,
    add_scaled,
    all_columns,
    first_columns,
    for_columns,
)
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.checks.index import check_splits
from sdykit.sparsecore.tile.lookup.elements import load_float32
from sdykit.sparsecore.tile.lookup.staging import Block, Staging, make_staging
from sdykit.sparsecore.tile.spec import LookupSpec

_LARGE_BYTES = 8 * 2**20
"""The size from which activations do not stay in caches until they are used."""


def bypasses_caches(spec: LookupSpec) -> bool:
    """Return whether activations are stored past the caches: they are large, in whole vectors."""
    is_large = 4 * spec.dim * spec.samples >= _LARGE_BYTES
    return is_large and spec.dim % spec.hardware.float32_lanes == 0


def add_tile_phase(b: Builder, spec: LookupSpec, arguments: Mapping[str, ir.Value]) -> None:
    """Add the phase in which tiles sum up the rows of their samples."""
    tiles = spec.hardware.tiles_per_sparse_core

    def tile(core: ir.Value, number: ir.Value) -> None:
        first = b.div(b.mul(number, spec.samples_per_core), tiles)
        end = b.div(b.mul(b.add(number, 1), spec.samples_per_core), tiles)
        row = b.add(b.mul(core, spec.samples_per_core), first)
        target = b.rows_of(arguments["activations"], row, b.sub(end, first))
        max_samples = -(-spec.samples_per_core // tiles)
        place = {"sparsecore.gather_operand": f'"{spec.staging}"'}
        sums = b.spmem([max_samples, spec.dim], "f32", **place)
        staging = make_staging(b, spec, arguments)
        _Tile(b, spec, arguments, staging, core, number, first, end, sums).run()
        b.copy(b.rows_of(sums, b.at(0), b.sub(end, first)), target)

    b.phase({"core": spec.all_cores, "tile": tiles}, tile)


@dataclass(frozen=True)
class _Tile:
    """A tile's part of the lookup.

    Attributes:
        builder: the builder that ops are added with.
        spec: the spec of the lookup.
        arguments: the arguments of the program, by name.
        staging: the buffers of the tile for blocks of entries.
        core: the SparseCore of the tile, counted over all devices.
        number: the number of the tile in its SparseCore.
        first: the first sample of the tile, counted within its SparseCore.
        end: one past the last sample of the tile.
        sums: the activations of the tile's samples, `[samples, dim]`.
    """

    builder: Builder
    spec: LookupSpec
    arguments: Mapping[str, ir.Value]
    staging: Staging
    core: ir.Value
    number: ir.Value
    first: ir.Value
    end: ir.Value
    sums: ir.Value

    def run(self) -> None:
        """Sum the entries of the tile's samples, block by block."""
        b = self.builder
        begin, last = self._start(self.first), self._start(self.end)
        first = self.first
        if self.spec.has_index:
            samples, entries = (self.first, self.end), (begin, last)
            fits = check_splits(b, self.arguments, self.core, samples, entries)
            begin, last, first = (
                b.select(fits, value, other)
                for value, other in ((begin, 0), (last, 0), (first, self.end))
            )

        def is_left(_: ir.Value, sample: ir.Value) -> ir.Value:
            return b.compare("slt", sample, self.end)

        def next_block(begin: ir.Value, sample: ir.Value) -> list[ir.Value]:
            block = self.staging.load(begin, last)
            next_sample = self._next_sample(block, sample, last)
            self._sum_samples(block, sample, block.if_valid(next_sample, sample))
            is_cut = b.compare("sgt", self._start(next_sample), block.end)
            following = b.sub(next_sample, b.select(is_cut, 1, 0))
            return [block.end, block.if_valid(following, self.end)]

        self.staging.begin(begin, self.number)
        b.repeat([begin, first], is_left, next_block)

    def _start(self, sample: ir.Value) -> ir.Value:
        """Return the position of the first entry of a sample."""
        b = self.builder
        if self.spec.layout != "ids":
            return b.load_index(self.arguments["splits"], self.core, sample)
        row = b.add(b.mul(self.core, self.spec.samples_per_core), sample)
        return b.mul(row, b.dim(self.arguments["ids"], 1))

    def _next_sample(self, block: Block, sample: ir.Value, last: ir.Value) -> ir.Value:
        """Return one past the last sample that begins in a block; for the last block, of all samples."""
        b = self.builder

        def begins_before(sample: ir.Value) -> ir.Value:
            return b.compare("slt", self._start(sample), block.end)

        def found() -> list[ir.Value]:
            if self.spec.layout == "ids":
                valency = b.dim(self.arguments["ids"], 1)
                samples = b.div(b.add(block.end, b.sub(valency, 1)), valency)
                return [b.sub(samples, b.mul(self.core, self.spec.samples_per_core))]
            return b.repeat([sample], begins_before, lambda sample: [b.add(sample, 1)])

        is_last = b.compare("eq", block.end, last)
        return b.choose(is_last, lambda: [self.end], found, [b.index])[0]

    def _sum_samples(self, block: Block, first: ir.Value, end: ir.Value) -> None:
        """Add the entries of a block to the sums of their samples.

        Args:
            block: the block.
            first: the first sample of the block.
            end: one past the last sample of the block.
        """
        b, spec = self.builder, self.spec
        past_caches = {}
        if bypasses_caches(spec):
            alignment = f"{4 * spec.hardware.float32_lanes} : i64"
            past_caches = {"nontemporal": "true", "alignment": alignment}

        def sample(which: ir.Value, start: ir.Value) -> list[ir.Value]:
            next_start = self._start(b.add(which, 1))
            inside = (b.maximum(start, block.begin), b.minimum(next_start, block.end))
            to = b.sub(which, self.first)

            def columns(these: Columns) -> tuple[()]:
                def zeros() -> list[ir.Value]:
                    return these.zeros(b)

                def before() -> list[ir.Value]:
                    return these.load(b, self.sums, to)

                types = [value.type for value in these.zeros(b)]
                is_new = b.compare("sge", start, block.begin)
                sums = b.choose(is_new, zeros, before, types)
                total = _sum_entries(block, these, inside, sums)
                these.store(b, total, self.sums, to, **past_caches)
                return ()

            for_columns(b, spec.dim, spec.hardware.float32_lanes, columns)
            return [next_start]

        b.loop(first, end, sample, [self._start(first)])


def _sum_entries(
    block: Block,
    columns: Columns,
    positions: tuple[ir.Value, ir.Value],
    sums: Sequence[ir.Value],
) -> list[ir.Value]:
    """Add `gain * row` of each entry to the sums, one after another, each operation rounded."""
    b, spec = block.builder, block.spec
    lanes = spec.hardware.float32_lanes
    is_first_pass = columns.widths == first_columns(b, spec.dim, lanes).widths

    def entry(number: ir.Value, *sums: ir.Value) -> list[ir.Value]:
        if is_first_pass:
            block.prefetcher.prefetch(all_columns(b, spec.dim, lanes), number)
        row = block.distinct.number(number)
        values = load_float32(b, spec, columns, block.gathered, row)
        gain = None if block.gains is None else b.load(block.gains, number)
        return add_scaled(b, sums, values, gain)

    begin, end = positions
    return b.loop(block.entry_at(begin), block.entry_at(end), entry, sums)
