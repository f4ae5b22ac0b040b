"""The segments of the buffers: the entries of a SparseCore for a partition, in a minibatch.

The buffers of several devices stand one after another. SparseCores that have samples are counted
over all devices, and so are partitions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.shared_memory.pieces import Pieces
from sdykit.sparsecore.tile.spec import POINTERS, BufferLayout


@dataclass(frozen=True)
class Segments:
    """Reads the row pointers.

    Attributes:
        builder: the builder that ops are added with.
        spec: the spec of the program, which decides the layout.
        pointers: the row pointers of all devices, i32.
        pointers_per_device: the number of row pointers of a device.
        entries_per_device: the number of positions of a device in the buffers of entries.
        minibatches: the number of minibatches.
        first_partition: the first partition of this device.
    """

    builder: Builder
    spec: BufferLayout
    pointers: ir.Value
    pointers_per_device: ir.Value
    entries_per_device: ir.Value
    minibatches: ir.Value
    first_partition: ir.Value

    def pointer(self, core: ir.Value, minibatch: ir.Value | int, partition: ir.Value) -> ir.Value:
        """Return the index of the row pointer that ends a segment."""
        b = self.builder
        device, local = self._split(core)
        segment = b.add(b.mul(local, self.minibatches), minibatch)
        pointer = b.add(b.mul(segment, self.spec.pointers), partition)
        return pointer if device is None else b.add(self._first_pointer(device), pointer)

    def base(self, core: ir.Value) -> ir.Value:
        """Return the position that the row pointers of a SparseCore are relative to."""
        b = self.builder
        device, local = self._split(core)
        base = b.at(0) if self.spec.minibatches else b.mul(local, self.room)
        return base if device is None else b.add(b.mul(device, self.entries_per_device), base)

    @property
    def room(self) -> ir.Value:
        """One past the last position that a row pointer can name, relative to `base`."""
        if self.spec.minibatches:
            return self.entries_per_device
        return self.builder.div(self.entries_per_device, self.spec.sparse_cores)

    def _split(self, core: ir.Value) -> tuple[ir.Value | None, ir.Value]:
        """Return the device of a SparseCore, None if there is only one, and its number there."""
        b, cores = self.builder, self.spec.sparse_cores
        if self.spec.num_devices == 1:
            return None, core
        return b.div(core, cores), b.rem(core, cores)

    def _first_pointer(self, device: ir.Value) -> ir.Value:
        return self.builder.mul(device, self.pointers_per_device)

    def span(
        self, core: ir.Value, minibatch: ir.Value | int, partition: ir.Value
    ) -> tuple[ir.Value, ir.Value]:
        """Return the first position of a segment, and one past its last."""
        b = self.builder
        pointer = self.pointer(core, minibatch, partition)
        skipped = self.spec.pointers - self.spec.all_cores + 1
        is_first = b.compare("eq", partition, 0)
        before = b.sub(pointer, b.select(is_first, skipped, 1))
        device, _ = self._split(core)
        first = b.at(0) if device is None else self._first_pointer(device)
        starts_at_0 = b.compare("slt", before, first) if self.spec.minibatches else is_first
        last = b.load_index(self.pointers, b.select(starts_at_0, first, before))
        start = b.select(starts_at_0, 0, b.round_up(last, POINTERS))
        base = self.base(core)
        end = b.load_index(self.pointers, pointer)
        return b.add(base, start), b.add(base, end)

    def first(self, core: ir.Value) -> ir.Value:
        """Return the first position of a SparseCore's segments of this device's partitions."""
        return self.span(core, 0, self.first_partition)[0]

    def each(
        self,
        core: ir.Value,
        body: Callable[[ir.Value, ir.Value, ir.Value], None],
        *,
        is_counted: bool = False,
    ) -> None:
        """Add loops over a SparseCore's segments for this device's partitions, in buffer order.

        Args:
            core: a SparseCore, counted over all devices.
            body: adds the ops for a segment; called with its first position, one past its last,
                and the partition, counted within the device.
            is_counted: whether counters are kept apart by minibatch and partition.
        """
        b = self.builder
        axes = ("minibatch", "partition") if is_counted else (None, None)

        def of_minibatch(minibatch: ir.Value) -> tuple[()]:
            def of_partition(partition: ir.Value) -> tuple[()]:
                global_ = b.add(self.first_partition, partition)
                body(*self.span(core, minibatch, global_), partition)
                return ()

            b.loop(0, self.spec.sparse_cores, of_partition, axis=axes[1])
            return ()

        b.loop(0, self.minibatches, of_minibatch, axis=axes[0])

    def each_of_all(
        self, core: ir.Value, body: Callable[[ir.Value, ir.Value, ir.Value], None]
    ) -> None:
        """Add loops over a SparseCore's segments: for the partitions of one device after another.

        Args:
            core: a SparseCore, counted over all devices.
            body: as of `each`; partitions are counted over all devices.
        """
        b = self.builder

        def of_device(first: ir.Value) -> tuple[()]:
            def of_segment(begin: ir.Value, end: ir.Value, partition: ir.Value) -> None:
                body(begin, end, b.add(first, partition))

            replace(self, first_partition=first).each(core, of_segment)
            return ()

        b.loop(0, self.spec.all_cores, of_device, step=self.spec.sparse_cores)


def buffers_of_device(
    b: Builder, spec: BufferLayout, pieces: Pieces, device: ir.Value
) -> tuple[dict[str, ir.Value], Segments]:
    """Return the buffers of a device of a program for all devices, and the segments of all partitions.

    Positions are counted over all devices, as in buffers that stand one after another. To be called
    within a phase, as it reads sizes.

    Args:
        b: the builder that ops are added with.
        spec: the spec of the program.
        pieces: the arrays of all devices.
        device: the device that has the samples.

    Returns:
        The arguments of the program by name, of which the buffers are those of the device; and their
        segments.
    """
    arguments = pieces.arguments
    pointers, entries = (b.dim(arguments[name], 0) for name in ("row_pointers", "embedding_ids"))
    own = {"row_pointers": pieces.array("row_pointers", device, b.mul(device, pointers))}
    first = b.mul(device, entries)
    for name in ("embedding_ids", "sample_ids", "gains"):
        own[name] = pieces.array(name, device, first)
    minibatches = b.at(1)
    if spec.minibatches:
        own["num_minibatches"] = pieces.array("num_minibatches", device)
        minibatches = b.load_index(own["num_minibatches"], 0)
    segments = Segments(b, spec, own["row_pointers"], pointers, entries, minibatches, b.at(0))
    return {**arguments, **own}, segments


def segments_of(b: Builder, spec: BufferLayout, arguments: Mapping[str, ir.Value]) -> Segments:
    """Return the segments of a program; to be called within a phase, as it reads sizes."""
    minibatches = b.at(1)
    if spec.minibatches:
        minibatches = b.figure(b.load_index(arguments["num_minibatches"], 0), "minibatches")
    pointers, devices = arguments["row_pointers"], spec.num_devices
    return Segments(
        b,
        spec,
        pointers,
        b.div(b.dim(pointers, 0), devices),
        b.div(b.dim(arguments["embedding_ids"], 0), devices),
        minibatches,
        first_partition(b, spec, arguments),
    )


def first_partition(b: Builder, spec: BufferLayout, arguments: Mapping[str, ir.Value]) -> ir.Value:
    """Return the first partition of this device."""
    if spec.num_devices == 1:
        return b.at(0)
    return b.mul(b.load_index(arguments["device"]), spec.sparse_cores)
