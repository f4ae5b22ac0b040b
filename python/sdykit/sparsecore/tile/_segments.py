"""The segments of the buffers: where the entries of SparseCore, minibatch and partition lie."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile._builder import Builder
from sdykit.sparsecore.tile.spec import MAX_MINIBATCHES, POINTERS, TileSpec

_NEVER = 2**31 - 1
"""An end that no position reaches."""


@dataclass(frozen=True)
class Segments:
    """Reads the row pointers.

    Attributes:
        builder: where ops are added.
        spec: gives the layout.
        pointers: the row pointers, i32.
        entries: length of the buffers of entries.
        minibatches: how many there are.
    """

    builder: Builder
    spec: TileSpec
    pointers: ir.Value
    entries: ir.Value
    minibatches: ir.Value

    @property
    def most_per_core(self) -> int:
        """Segments that a SparseCore has at most; a power of two."""
        return self.spec.sparse_cores * (MAX_MINIBATCHES if self.spec.minibatches else 1)

    def pointer(self, core: ir.Value, minibatch: ir.Value | int, partition: ir.Value) -> ir.Value:
        """Give the index of the row pointer that ends a segment."""
        b = self.builder
        segment = b.add(b.mul(core, self.minibatches), minibatch)
        return b.add(b.mul(segment, self.spec.pointers), partition)

    def base(self, core: ir.Value) -> ir.Value:
        """Give the position that the pointers of a SparseCore count from."""
        b = self.builder
        if self.spec.minibatches:
            return b.at(0)
        return b.mul(core, b.div(self.entries, self.spec.sparse_cores))

    def span(
        self, core: ir.Value, minibatch: ir.Value | int, partition: ir.Value
    ) -> tuple[ir.Value, ir.Value]:
        """Give the first position of a segment and that behind its last."""
        b = self.builder
        pointer = self.pointer(core, minibatch, partition)
        skipped = self.spec.pointers - self.spec.sparse_cores + 1
        is_first = b.compare("eq", partition, 0)
        before = b.sub(pointer, b.select(is_first, skipped, 1))
        starts_at_0 = is_first
        if self.spec.minibatches:
            starts_at_0 = b.compare("slt", before, 0)
        last = b.load_index(self.pointers, b.select(starts_at_0, 0, before))
        start = b.select(starts_at_0, 0, b.round_up(last, POINTERS))
        base = self.base(core)
        end = b.load_index(self.pointers, pointer)
        return b.add(base, start), b.add(base, end)

    def each(self, core: ir.Value, body: Callable[[ir.Value, ir.Value], None]) -> None:
        """Go over the segments of a SparseCore: `body(begin, end)`, in the order of the buffers."""
        b = self.builder

        def of_minibatch(minibatch: ir.Value) -> tuple[()]:
            def of_partition(partition: ir.Value) -> tuple[()]:
                body(*self.span(core, minibatch, partition))
                return ()

            b.loop(0, self.spec.sparse_cores, of_partition)
            return ()

        b.loop(0, self.minibatches, of_minibatch)

    def ends(self, core: ir.Value) -> ir.Value:
        """Copy the ends of a SparseCore's segments to SPMEM, in order, for `partition_of`."""
        b, cores = self.builder, self.spec.sparse_cores
        table = b.spmem([self.most_per_core], "i32")
        base = self.base(core)
        count = b.mul(self.minibatches, cores)

        def copy(number: ir.Value) -> tuple[()]:
            minibatch, partition = b.div(number, cores), b.rem(number, cores)
            end = b.load_index(self.pointers, self.pointer(core, minibatch, partition))
            b.store(b.to_integer(b.add(base, end), "i32"), table, number)
            return ()

        def fill(number: ir.Value) -> tuple[()]:
            b.store(b.constant(str(_NEVER), "i32"), table, number)
            return ()

        b.loop(0, count, copy)
        b.loop(count, self.most_per_core, fill)
        return table

    def partition_of(self, position: ir.Value, ends: ir.Value) -> ir.Value:
        """Give the partition of an entry: search its segment, halving what is left."""
        b = self.builder
        found, half = b.at(0), self.most_per_core // 2
        wanted = b.to_integer(position, "i32")
        while half:
            end = b.load(ends, b.add(found, half - 1))
            is_behind = b.compare("sle", end, wanted)
            found = b.add(found, b.select(is_behind, half, 0))
            half //= 2
        return b.rem(found, self.spec.sparse_cores)


def segments_of(b: Builder, spec: TileSpec, arguments: Mapping[str, ir.Value]) -> Segments:
    """Read sizes and the number of minibatches; to be called within a phase."""
    minibatches = b.at(1)
    if spec.minibatches:
        minibatches = b.load_index(arguments["num_minibatches"], 0)
    entries = b.dim(arguments["embedding_ids"], 0)
    return Segments(b, spec, arguments["row_pointers"], entries, minibatches)
