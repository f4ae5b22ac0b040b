"""The entries of a partition of this device, collected from the buffers in the order of the sums.

They are ordered by device, minibatch, SparseCore and position.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sdykit.core.sparsecore.steps import LOAD
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.builder.steps import step_attributes
from sdykit.sparsecore.tile.checks.buffers import EntryChecks, checks_of_device
from sdykit.sparsecore.tile.entries.segments import Segments
from sdykit.sparsecore.tile.shared_memory.pieces import Pieces
from sdykit.sparsecore.tile.spec import BufferLayout
from sdykit.sparsecore.tile.update.held import SORTED_WORDS
from sdykit.sparsecore.tile.update.words import Words

LOAD_STEP = step_attributes(
    LOAD, ["row_pointers", "embedding_ids", "sample_ids", "gains"], [SORTED_WORDS, "pairs"]
)
"""The attributes of the step that collects entries on a chip."""


@dataclass(frozen=True)
class Collector:
    """Reads the entries of a partition from the buffers.

    Attributes:
        builder: the builder that ops are added with, within a phase.
        spec: the spec of the update, or the layout of its buffers.
        arguments: the arguments of the program, by name.
        segments: the segments of the buffers.
        partition: the partition, counted within the device; with `pieces`, over all devices.
        checks: checks the entries while they are read; None: a phase before has checked them.
        pieces: the arrays of all devices of a process, each of which has its own buffers; None: the
            buffers of all devices stand one after another.
    """

    builder: Builder
    spec: BufferLayout
    arguments: Mapping[str, ir.Value]
    segments: Segments
    partition: ir.Value
    checks: EntryChecks | None = None
    pieces: Pieces | None = None

    def measure(self) -> tuple[ir.Value, ir.Value]:
        """Return the first position of the entries and one past their last.

        The entries of all partitions stand one after another.
        """
        b = self.builder

        def count_partition(partition: ir.Value, total: ir.Value) -> list[ir.Value]:
            return [self._add_count(partition, total)]

        begin = b.loop(0, self.partition, count_partition, [b.at(0)])[0]
        return begin, self._add_count(self.partition, begin)

    def count(self) -> ir.Value:
        """Return the number of entries of the partition."""
        return self._add_count(self.partition, self.builder.at(0))

    def _add_count(self, partition: ir.Value, total: ir.Value) -> ir.Value:
        """Return a number and that of the entries of a partition, added."""
        b = self.builder

        def add(
            _: Collector, begin: ir.Value, end: ir.Value, __: ir.Value, total: ir.Value
        ) -> ir.Value:
            return b.add(total, b.sub(end, begin))

        return self._each_segment(partition, add, total)

    def collect(
        self,
        words: Words,
        first: ir.Value,
        *,
        copy: ir.Value | int = 0,
        attributes: Mapping[str, str] | None = None,
    ) -> None:
        """Write the words of the entries, to positions from 0 on.

        Args:
            words: the workspaces to write to.
            first: the number of the first entry.
            copy: the copy of the words that is written.
            attributes: the texts of attributes of the loop, by name.
        """

        def write(
            at: Collector, begin: ir.Value, end: ir.Value, core: ir.Value, to: ir.Value
        ) -> ir.Value:
            return at._copy((words, copy), first, (begin, end), core, to)

        self._each_segment(self.partition, write, self.builder.at(0), attributes)

    def collect_minibatch(self, words: Words, first: ir.Value, minibatch: ir.Value) -> ir.Value:
        """Add the step that writes the words of a minibatch's entries, to positions from 0 on.

        Args:
            words: the workspaces to write to.
            first: the number of the first entry.
            minibatch: the minibatch.

        Returns:
            The number of entries.
        """
        b, segments = self.builder, self.segments
        wanted = b.add(segments.first_partition, self.partition)

        def of_core(core: ir.Value, to: ir.Value) -> list[ir.Value]:
            segment = segments.span(core, minibatch, wanted)
            return [self._copy((words, 0), first, segment, core, to)]

        return b.loop(0, self.spec.all_cores, of_core, [b.at(0)], attributes=LOAD_STEP)[0]

    def _copy(
        self,
        target: tuple[Words, ir.Value | int],
        first: ir.Value,
        segment: tuple[ir.Value, ir.Value],
        core: ir.Value,
        to: ir.Value,
    ) -> ir.Value:
        """Write the words of a segment, to a copy, from `to` on; return one past the last one's place."""
        b, arguments = self.builder, self.arguments
        (words, copy), (begin, end) = target, segment
        first_sample = b.mul(core, self.spec.samples_per_core)
        shift = b.sub(to, begin)

        def entry(position: ir.Value, *highest: ir.Value) -> list[ir.Value]:
            id_, sample = (
                b.load_index(arguments[name], position) for name in ("embedding_ids", "sample_ids")
            )
            to = b.add(position, shift)
            gain = b.load(arguments["gains"], position)
            words.put(to, id_, b.add(first, to), b.add(first_sample, sample), gain, copy=copy)
            pairs = zip(highest, (id_, sample), strict=True) if highest else ()
            return [b.integers("arith.maxui", *pair) for pair in pairs]

        total = "minibatch_ids"
        if self.checks is None:
            b.loop(begin, end, entry, total=total)
            return b.add(shift, end)
        of_ids, of_samples = b.loop(begin, end, entry, [b.at(0)] * 2, total=total)
        place = (core, b.add(self.segments.first_partition, self.partition))
        self.checks.segment(place, segment, (of_ids, of_samples))
        return b.add(shift, end)

    def _each_segment(
        self,
        partition: ir.Value,
        body: Callable[[Collector, ir.Value, ir.Value, ir.Value, ir.Value], ir.Value],
        carried: ir.Value,
        attributes: Mapping[str, str] | None = None,
    ) -> ir.Value:
        """Add loops over a partition's segments.

        Args:
            partition: the partition, counted within the device.
            body: adds the ops for a segment; called with what reads the buffers that it is in, its first
                position, one past its last, the SparseCore and the carried value, it returns the next
                carried value.
            carried: the value that the first iteration starts with.
            attributes: the texts of attributes of the outermost loop, by name.
        """
        b, spec = self.builder, self.spec

        def of_device(
            first_core: ir.Value, carried: ir.Value, attributes: Mapping[str, str] | None = None
        ) -> ir.Value:
            at = self._of_device(first_core)
            wanted = b.add(at.segments.first_partition, partition)

            def of_minibatch(minibatch: ir.Value, carried: ir.Value) -> list[ir.Value]:
                def of_core(core: ir.Value, carried: ir.Value) -> list[ir.Value]:
                    begin, end = at.segments.span(core, minibatch, wanted)
                    return [body(at, begin, end, core, carried)]

                end_core = b.add(first_core, spec.sparse_cores)
                return b.loop(first_core, end_core, of_core, [carried])

            end = at.segments.minibatches
            return b.loop(0, end, of_minibatch, [carried], attributes=attributes)[0]

        if spec.num_devices == 1:
            return of_device(b.at(0), carried, attributes)

        def device(first_core: ir.Value, carried: ir.Value) -> list[ir.Value]:
            return [of_device(first_core, carried)]

        cores = spec.sparse_cores
        return b.loop(0, spec.all_cores, device, [carried], step=cores, attributes=attributes)[0]

    def _of_device(self, first_core: ir.Value) -> Collector:
        """Return what reads the buffers with the entries of a device."""
        if self.pieces is None:
            return self
        device = self.builder.div(first_core, self.spec.sparse_cores)
        checks = checks_of_device(self.builder, self.spec, self.pieces, device)
        return dataclasses.replace(
            self, arguments=checks.arguments, segments=checks.segments, checks=checks
        )
