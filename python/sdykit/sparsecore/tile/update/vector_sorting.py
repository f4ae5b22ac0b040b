"""The step `sort` of an update on a chip: tiles sort the words of a partition in vectors.

The network of `VectorSort` has stages, in which no two pairs of vectors have one in common. The tiles
share the pairs of a stage; a launch of the step is a stage.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sdykit.core.sparsecore.steps import SORT
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.builder.steps import add_step
from sdykit.sparsecore.tile.builder.vector_sort import VectorSort
from sdykit.sparsecore.tile.entries.segments import segments_of
from sdykit.sparsecore.tile.spec import AnyUpdateSpec
from sdykit.sparsecore.tile.update.collecting import LOAD_STEP, Collector
from sdykit.sparsecore.tile.update.held import SORTED_WORDS, hold_words
from sdykit.sparsecore.tile.update.words import Words

Range = tuple[ir.Value, ir.Value]
"""The first position, and one past the last."""


def add_sort_phase(b: Builder, spec: AnyUpdateSpec, arguments: Mapping[str, ir.Value]) -> None:
    """Add the phase over this device's partitions that loads and sorts the entries of each by row.

    The tiles of a SparseCore hold the words together, each tile a share.
    """

    def partition(number: ir.Value) -> None:
        segments = segments_of(b, spec, arguments)
        collector = Collector(b, spec, arguments, segments, number)
        begin, end = collector.measure()
        held, count = hold_words(b, spec), b.figure(b.sub(end, begin), "partition_ids")
        collector.collect(Words(b, held, arguments["pairs"]), begin, attributes=LOAD_STEP)
        add_sort(b, spec, SORTED_WORDS, held, (b.at(0), count))
        _add_store(b, spec, {**arguments, SORTED_WORDS: held}, number, (begin, count))

    b.phase({"partition": spec.sparse_cores}, partition)


def add_sort(b: Builder, spec: AnyUpdateSpec, name: str, words: ir.Value, part: Range) -> None:
    """Add the steps that sort a part of some words.

    Args:
        b: the builder that ops are added with.
        spec: the spec of the update.
        name: the name of the buffer of the words.
        words: the words, of rank 1.
        part: the positions to sort.
    """
    first, end = part

    def stage(count: ir.Value, body: Callable[[ir.Value], None]) -> None:
        def tile(number: ir.Value) -> None:
            def each(which: ir.Value) -> tuple[()]:
                body(which)
                return ()

            b.loop(*share(b, spec, number, count), each)

        add_step(b, SORT, _tiles(spec), tile, reads=[name], writes=[name])

    lanes = spec.hardware.float32_lanes
    VectorSort(b, words, first, b.sub(end, first), lanes, stage).sort()


def share(b: Builder, spec: AnyUpdateSpec, tile: ir.Value, count: ir.Value) -> Range:
    """Return a tile's even share of some numbers below a count."""
    begin, end = (b.div(b.mul(each, count), _tiles(spec)) for each in (tile, b.add(tile, 1)))
    return begin, end


def _tiles(spec: AnyUpdateSpec) -> int:
    return spec.hardware.tiles_per_sparse_core


def _add_store(
    b: Builder,
    spec: AnyUpdateSpec,
    buffers: Mapping[str, ir.Value],
    partition: ir.Value,
    place: tuple[ir.Value, ir.Value],
) -> None:
    """Add the step that copies sorted words to HBM, and writes their range to `parts`.

    Args:
        b: the builder that ops are added with.
        spec: the spec of the update.
        buffers: the arguments of the program, and the words, by name.
        partition: the partition, counted within the device.
        place: the position of the first word in HBM, and the number of words.
    """
    begin, count = place

    def tile(number: ir.Value) -> None:
        first, end = share(b, spec, number, count)
        size = b.sub(end, first)
        target = b.part_of(buffers["words"], b.add(begin, first), size)
        b.copy(b.part_of(buffers[SORTED_WORDS], first, size), target)
        is_first = b.compare("eq", number, 0)
        write_part(b, buffers, is_first, partition, (begin, b.add(begin, count)))

    add_step(b, SORT, _tiles(spec), tile, reads=[SORTED_WORDS], writes=["words", "parts"])


def write_part(
    b: Builder,
    arguments: Mapping[str, ir.Value],
    condition: ir.Value,
    partition: ir.Value | int,
    part: Range,
) -> None:
    """Write the range of a partition's words to `parts`, on a condition."""

    def write() -> tuple[()]:
        for column, value in enumerate(part):
            b.store(b.to_integer(value, "i32"), arguments["parts"], partition, column)
        return ()

    b.choose(condition, write)
