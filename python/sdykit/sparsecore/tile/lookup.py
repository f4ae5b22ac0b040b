"""The tile program of a lookup.

Phases:

1. over the SparseCores, where the buffers have no index: their sequencers sort entries by sample;
2. over the tiles: each owns a range of its SparseCore's samples. It copies its entries to SPMEM,
   block by block, gathers the rows that they name, each once, and sums `gain * row` of a sample in
   registers, in the order of the buffers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile._builder import Builder
from sdykit.sparsecore.tile._columns import Columns, all_columns, first_columns, for_columns
from sdykit.sparsecore.tile._entry import make_module
from sdykit.sparsecore.tile._index import add_index_phase
from sdykit.sparsecore.tile._index_checks import check_splits
from sdykit.sparsecore.tile._reading import add_scaled, load_float32
from sdykit.sparsecore.tile._staging import Block, Staging, make_staging
from sdykit.sparsecore.tile.program import STATUS, TileArgument, source_arguments
from sdykit.sparsecore.tile.spec import LookupSpec

_ELEMENT_BYTES = {"float32": 4, "bfloat16": 2, "int8": 1, "int32": 4}
_LARGE_BYTES = 8 * 2**20
"""Activations that caches would not keep for who needs them."""
_SERIAL_BYTES = 3 * 2**20
"""What a thread reads and adds up by the time that a second one is there."""


def lookup_arguments(spec: LookupSpec) -> tuple[TileArgument, ...]:
    """Give the arguments of the program, in order."""
    table = TileArgument("table", spec.dtype, ("rows", spec.dim), quantization=spec.quantization)
    activations = TileArgument(
        "activations",
        "float32",
        (spec.samples, spec.dim),
        "output",
        work=4,
        is_aligned=_bypasses_caches(spec),
    )
    work = _ELEMENT_BYTES[spec.dtype] * spec.dim + 8
    source = source_arguments(spec, work)
    if spec.layout == "ids":
        return (*source, table, activations, STATUS)
    role = "input" if spec.has_index else "workspace"
    index = (
        TileArgument("splits", "int32", (spec.all_cores, spec.samples_per_core + 1), role),
        TileArgument(
            "sample_rows", "int32", ("entries",), role, work=work if spec.has_index else 0
        ),
        TileArgument("sample_gains", "float32", ("entries",), role),
    )
    if spec.has_index:
        return (*index, table, activations, STATUS)
    return (*source, table, activations, *index, STATUS)


def _bypasses_caches(spec: LookupSpec) -> bool:
    """Say whether activations go to memory right away: they are large, and rows whole vectors."""
    is_large = 4 * spec.dim * spec.samples >= _LARGE_BYTES
    return is_large and spec.dim % spec.hardware.float32_lanes == 0


def build_lookup(context: ir.Context, spec: LookupSpec) -> ir.Module:
    """Build the program.

    Raises:
        SparseCoreError: there is no such chip.
    """
    arguments = lookup_arguments(spec)

    def body(b: Builder, values: Mapping[str, ir.Value]) -> None:
        if spec.layout != "ids" and not spec.has_index:
            add_index_phase(b, spec, values)
        _add_tile_phase(b, spec, values)

    return make_module(context, "lookup", arguments, spec, body, serial_bytes=_SERIAL_BYTES)


def _add_tile_phase(b: Builder, spec: LookupSpec, arguments: Mapping[str, ir.Value]) -> None:
    tiles = spec.hardware.tiles_per_sparse_core

    def tile(core: ir.Value, number: ir.Value) -> None:
        first = b.div(b.mul(number, spec.samples_per_core), tiles)
        end = b.div(b.mul(b.add(number, 1), spec.samples_per_core), tiles)
        row = b.add(b.mul(core, spec.samples_per_core), first)
        target = b.rows_of(arguments["activations"], row, b.sub(end, first))
        most = -(-spec.samples_per_core // tiles)
        place = {"sparsecore.gather_operand": f'"{spec.staging}"'}
        sums = b.spmem([most, spec.dim], "f32", **place)
        staging = make_staging(b, spec, arguments)
        _Tile(b, spec, arguments, staging, core, number, first, end, sums).run()
        b.copy(b.rows_of(sums, b.at(0), b.sub(end, first)), target)

    b.phase([spec.all_cores, tiles], tile)


@dataclass(frozen=True)
class _Tile:
    """A tile's part of the lookup.

    Attributes:
        builder: where ops are added.
        spec: of the lookup.
        arguments: of the program.
        staging: what the tile has room for.
        core: that it belongs to.
        number: of the tile there.
        first: of its samples.
        end: behind its last sample.
        sums: of its samples.
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
            behind = self._behind(block, sample, last)
            self._sum_samples(block, sample, block.if_right(behind, sample))
            is_cut = b.compare("sgt", self._start(behind), block.end)
            following = b.sub(behind, b.select(is_cut, 1, 0))
            return [block.end, block.if_right(following, self.end)]

        self.staging.begin(begin, self.number)
        b.repeat([begin, first], is_left, next_block)

    def _start(self, sample: ir.Value) -> ir.Value:
        """Give the position of a sample's first entry."""
        b = self.builder
        if self.spec.layout != "ids":
            return b.load_index(self.arguments["splits"], self.core, sample)
        row = b.add(b.mul(self.core, self.spec.samples_per_core), sample)
        return b.mul(row, b.dim(self.arguments["ids"], 1))

    def _behind(self, block: Block, sample: ir.Value, last: ir.Value) -> ir.Value:
        """Give the first sample that begins behind the block, and is not the block's, empty."""
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

    def _sum_samples(self, block: Block, first: ir.Value, behind: ir.Value) -> None:
        """Add what a block has of each of some samples to its sum."""
        b, spec = self.builder, self.spec
        past_caches = {}
        if _bypasses_caches(spec):
            alignment = f"{4 * spec.hardware.float32_lanes} : i64"
            past_caches = {"nontemporal": "true", "alignment": alignment}

        def sample(which: ir.Value, start: ir.Value) -> list[ir.Value]:
            end = self._start(b.add(which, 1))
            inside = (b.most(start, block.begin), b.least(end, block.end))
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
            return [end]

        b.loop(first, behind, sample, [self._start(first)])


def _sum_entries(
    block: Block,
    columns: Columns,
    positions: tuple[ir.Value, ir.Value],
    sums: Sequence[ir.Value],
) -> list[ir.Value]:
    """Add `gain * row` to sums, one after another, each operation rounded."""
    b, spec = block.builder, block.spec
    lanes = spec.hardware.float32_lanes
    is_first_pass = columns.widths == first_columns(b, spec.dim, lanes).widths

    def entry(number: ir.Value, *sums: ir.Value) -> list[ir.Value]:
        if is_first_pass:
            block.ahead.prefetch(all_columns(b, spec.dim, lanes), number)
        row = block.distinct.number(number)
        values = load_float32(b, spec, columns, block.gathered, row)
        gain = None if block.gains is None else b.load(block.gains, number)
        return add_scaled(b, sums, values, gain)

    begin, end = positions
    return b.loop(block.place(begin), block.place(end), entry, sums)
