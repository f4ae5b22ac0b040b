"""The entries of each SparseCore in the order of their samples, for buffers without an index."""

from __future__ import annotations

from collections.abc import Mapping

from sdykit.mlir import ir
from sdykit.sparsecore.tile._builder import Builder
from sdykit.sparsecore.tile._segments import Segments, segments_of
from sdykit.sparsecore.tile.spec import TileSpec


def add_index_phase(b: Builder, spec: TileSpec, arguments: Mapping[str, ir.Value]) -> None:
    """Add a phase over the SparseCores that fills `splits` and `order`.

    A stable counting sort: entries of a sample stay in the order of the buffers. Only live
    entries are read.
    """

    def sequencer(core: ir.Value) -> None:
        segments = segments_of(b, spec, arguments)
        _count(b, spec, segments, arguments, core)
        _place(b, segments, arguments, core)
        _move_back(b, spec, arguments, core)

    b.phase([spec.sparse_cores], sequencer)


def _count(
    b: Builder,
    spec: TileSpec,
    segments: Segments,
    arguments: Mapping[str, ir.Value],
    core: ir.Value,
) -> None:
    """Set `splits[core, s]` to where the entries of sample `s` start in `order`."""
    splits, samples = arguments["splits"], arguments["sample_ids"]
    zero, one = b.constant("0", "i32"), b.constant("1", "i32")

    def clear(sample: ir.Value) -> tuple[()]:
        b.store(zero, splits, core, sample)
        return ()

    def count_segment(begin: ir.Value, end: ir.Value) -> None:
        def count(position: ir.Value) -> tuple[()]:
            behind = b.add(b.load_index(samples, position), 1)
            b.store(
                b.integers("arith.addi", b.load(splits, core, behind), one), splits, core, behind
            )
            return ()

        b.loop(begin, end, count)

    def sum_up(sample: ir.Value, total: ir.Value) -> list[ir.Value]:
        total = b.integers("arith.addi", total, b.load(splits, core, sample))
        b.store(total, splits, core, sample)
        return [total]

    b.loop(0, spec.samples_per_core + 1, clear)
    segments.each(core, count_segment)
    first = b.to_integer(_first(b, segments, arguments, core), "i32")
    b.loop(0, spec.samples_per_core + 1, sum_up, [first])


def _first(
    b: Builder, segments: Segments, arguments: Mapping[str, ir.Value], core: ir.Value
) -> ir.Value:
    """Give where a SparseCore's part of `order` starts: where its entries do."""
    return segments.span(core, 0, b.at(0))[0]


def _place(
    b: Builder, segments: Segments, arguments: Mapping[str, ir.Value], core: ir.Value
) -> None:
    """Write the positions; `splits[core, s]` moves to where sample `s` ends."""
    splits, samples = arguments["splits"], arguments["sample_ids"]
    one = b.constant("1", "i32")

    def place_segment(begin: ir.Value, end: ir.Value) -> None:
        def place(position: ir.Value) -> tuple[()]:
            sample = b.load_index(samples, position)
            to = b.load(splits, core, sample)
            b.store(b.to_integer(position, "i32"), arguments["order"], b.to_index(to))
            b.store(b.integers("arith.addi", to, one), splits, core, sample)
            return ()

        b.loop(begin, end, place)

    segments.each(core, place_segment)


def _move_back(
    b: Builder, spec: TileSpec, arguments: Mapping[str, ir.Value], core: ir.Value
) -> None:
    """Turn the ends of samples into their starts."""
    splits = arguments["splits"]

    def shift(sample: ir.Value, start: ir.Value) -> list[ir.Value]:
        end = b.load(splits, core, sample)
        b.store(start, splits, core, sample)
        return [end]

    segments = segments_of(b, spec, arguments)
    first = b.to_integer(_first(b, segments, arguments, core), "i32")
    b.loop(0, spec.samples_per_core, shift, [first])
