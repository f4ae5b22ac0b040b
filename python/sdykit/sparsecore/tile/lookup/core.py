"""A SparseCore as its steps see it: its buffers by name, and what each of its tiles owns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.builder.steps import add_step
from sdykit.sparsecore.tile.spec import LookupSpec

Range = tuple[ir.Value, ir.Value]
"""The first position, and one past the last."""


@dataclass(frozen=True)
class Core:
    """A SparseCore that has samples.

    Attributes:
        builder: the builder that ops are added with, within the phase of the SparseCores.
        spec: the spec of the lookup.
        number: the number of the SparseCore, counted over all devices.
        buffers: the arguments of the program and the buffers that the SparseCore holds, by name.
    """

    builder: Builder
    spec: LookupSpec
    number: ir.Value
    buffers: Mapping[str, ir.Value]

    @property
    def tiles(self) -> int:
        """The number of tiles."""
        return self.spec.hardware.tiles_per_sparse_core

    @property
    def lanes(self) -> int:
        """The number of elements of 4 bytes in a vector."""
        return self.spec.hardware.float32_lanes

    def step(
        self,
        name: str,
        body: Callable[[ir.Value], None],
        *,
        reads: Sequence[str],
        writes: Sequence[str],
    ) -> None:
        """Add a step that the tiles share; `body(tile)` adds the ops of a tile."""
        add_step(self.builder, name, self.tiles, body, reads=reads, writes=writes)

    def share(self, tile: ir.Value, count: ir.Value) -> Range:
        """Return a tile's share of some elements: whole vectors, but for the last one of all."""
        b = self.builder
        size = b.round_up(b.div(b.add(count, self.tiles - 1), self.tiles), self.lanes)
        first = b.named(b.minimum(b.mul(tile, size), count), "first")
        return first, b.named(b.minimum(b.add(first, size), count), "end")

    def samples(self, tile: ir.Value) -> Range:
        """Return the samples that a tile owns, counted within the SparseCore."""
        b, samples = self.builder, self.spec.samples_per_core
        ends = (b.mul(number, samples) for number in (tile, b.add(tile, 1)))
        first, end = (b.div(each, self.tiles) for each in ends)
        return b.named(first, "first_sample"), b.named(end, "end_sample")
