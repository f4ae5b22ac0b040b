"""Checks of preprocessed buffers: row pointers, ids and samples.

The program of each device checks the buffers of all devices: then all end with an error together,
and none waits in a collective for one that has ended.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from sdykit.core.sparsecore.names import CHECK
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.checks.limits import LIMIT_MESSAGES, LimitChecks
from sdykit.sparsecore.tile.checks.status import is_quiet, largest, report
from sdykit.sparsecore.tile.entries.segments import Segments, buffers_of_device, segments_of
from sdykit.sparsecore.tile.shared_memory.pieces import Pieces
from sdykit.sparsecore.tile.spec import POINTERS, BufferLayout

MESSAGES = (
    "row_pointers: device {1}, SparseCore {2}, minibatch {3}: the entries of partition {4} end at "
    "{5}; expected {6} to {7}, where they begin and the buffer ends; preprocess and look up with "
    "the same enable_minibatching, batch size and number of devices",
    "embedding_ids: device {1}, SparseCore {2}, position {3}: row {4} of partition {5}, which has "
    "{6} rows: id {7} of the table, or of the stack that it is in, is not in its vocabulary; "
    "expected ids in [0, vocabulary), preprocessed for this table and the devices that it is split "
    "over; with xla_sparse_core_enable_id_bound_check=true preprocessing names feature and sample",
    "sample_ids: device {1}, SparseCore {2}, position {3}: sample {4} of a SparseCore that has "
    "{5}; expected batches of the size that the feature specs say: {6} samples for a device",
    *LIMIT_MESSAGES,
)
"""The messages about buffers, from number 1 on."""
MINIBATCHES = "num_minibatches: device {1} has {2}; expected 1 to {3}, the same on all devices"
"""The message about numbers of minibatches that do not fit each other, or the row pointers."""
MESSAGES_OF_ALL = (*MESSAGES, MINIBATCHES)
"""The messages of a program for all devices."""
_POINTER, _ROW, _SAMPLE, _LIMIT = 1, 2, 3, 4
_MINIBATCHES = len(MESSAGES_OF_ALL)


def add_buffer_checks(
    b: Builder,
    spec: BufferLayout,
    arguments: Mapping[str, ir.Value],
    *,
    entries: bool = False,
) -> None:
    """Add a phase over all SparseCores that have samples, which checks what other phases rely on.

    It is a function of its own in the machine code, and leaves the registers of others alone.

    Args:
        b: the builder that ops are added with.
        spec: the spec of the program.
        arguments: the arguments of the program, by name.
        entries: whether it checks the entries for this device, too; else the phase that uses them.
    """

    def sequencer(core: ir.Value) -> None:
        checks = EntryChecks(b, spec, arguments, segments_of(b, spec, arguments))
        checks.core(core)
        if entries:
            checks.here(core)

    b.phase({"core": spec.all_cores}, sequencer, **{CHECK: "unit"})


def add_buffer_checks_of_all(b: Builder, spec: BufferLayout, pieces: Pieces) -> None:
    """Add the phase of a program for all devices that checks what other phases rely on.

    The phases that use entries check them.
    """

    def sequencer(core: ir.Value) -> None:
        checks = checks_of_device(b, spec, pieces, b.div(core, spec.sparse_cores))
        if spec.minibatches:
            checks.minibatches(core, pieces)
        checks.pointers_and_limits(core)

    b.phase({"core": spec.all_cores}, sequencer, **{CHECK: "unit"})


def checks_of_device(
    b: Builder, spec: BufferLayout, pieces: Pieces, device: ir.Value
) -> EntryChecks:
    """Return the checks of the buffers of a device, in a program for all devices."""
    arguments, segments = buffers_of_device(b, spec, pieces, device)
    return EntryChecks(b, spec, arguments, segments)


@dataclass(frozen=True)
class EntryChecks:
    """Checks row pointers, ids and samples, and reports the first that is wrong.

    Attributes:
        builder: the builder that ops are added with, within a phase.
        spec: the spec of the program.
        arguments: the arguments of the program, by name.
        segments: the segments of the buffers.
    """

    builder: Builder
    spec: BufferLayout
    arguments: Mapping[str, ir.Value]
    segments: Segments

    def if_quiet(self, work: Callable[[], None], *marks: str) -> None:
        """Add ops that run only if nothing has been reported."""

        def run() -> tuple[()]:
            work()
            return ()

        quiet = is_quiet(self.builder, self.arguments["status"])
        self.builder.choose(quiet, run, marks=marks)

    def core(self, core: ir.Value) -> None:
        """Check a SparseCore's row pointers and limits, and its entries for other devices."""
        self.pointers_and_limits(core)
        if self.spec.num_devices > 1:
            self.if_quiet(lambda: self._each_segment(core, self._check_elsewhere), CHECK)

    def pointers_and_limits(self, core: ir.Value) -> None:
        """Check a SparseCore's row pointers, then its limits."""
        self.if_quiet(lambda: self._check_pointers(core), CHECK)
        self.if_quiet(lambda: self._each_segment(core, self._check_limits), CHECK)

    def minibatches(self, core: ir.Value, pieces: Pieces) -> None:
        """Check that a SparseCore's device has as many minibatches as the first, and room for them."""
        b, spec = self.builder, self.spec
        found = self.segments.minibatches
        expected = b.load_index(pieces.arguments["num_minibatches"], 0)
        room = b.div(self.segments.pointers_per_device, spec.sparse_cores * spec.pointers)
        # As an unsigned number, 0 less 1 is larger than any other.
        fits = b.integers(
            "arith.andi",
            b.compare("eq", found, expected),
            b.compare("ult", b.sub(found, 1), room),
        )

        def report_it() -> tuple[()]:
            device, _ = self._device_and_core(core)
            report(b, self.arguments["status"], _MINIBATCHES, (device, found, room))
            return ()

        b.choose(fits, tuple, report_it)

    def here(self, core: ir.Value) -> None:
        """Check a SparseCore's entries for this device's partitions, before they are used."""
        b, segments = self.builder, self.segments
        buffers = [self.arguments[name] for name in ("embedding_ids", "sample_ids")]

        def check(begin: ir.Value, end: ir.Value, partition: ir.Value) -> None:
            of_ids, of_samples = largest(b, buffers, begin, end)
            place = (core, b.add(segments.first_partition, partition))
            self.segment(place, (begin, end), (of_ids, of_samples))

        self.if_quiet(lambda: segments.each(core, check), CHECK)

    def segment(
        self,
        place: tuple[ir.Value, ir.Value],
        positions: tuple[ir.Value, ir.Value],
        highest: tuple[ir.Value | None, ir.Value | None],
    ) -> None:
        """Report the first wrong entry of a segment, if the largest id or sample is wrong.

        Args:
            place: the SparseCore of the samples and the partition of the rows, both counted over
                all devices.
            positions: the first position of the segment, and one past its last.
            highest: the largest id and the largest sample, as unsigned numbers; None: not checked.
        """
        b, (begin, _) = self.builder, positions
        names, limits = ("embedding_ids", "sample_ids"), (self._rows, self.spec.samples_per_core)
        known = [
            (self.arguments[name], limit, value)
            for name, limit, value in zip(names, limits, highest, strict=True)
            if value is not None
        ]

        def fit(values: Sequence[ir.Value]) -> ir.Value:
            found = [
                b.compare("ult", value, limit)
                for value, (_, limit, _) in zip(values, known, strict=True)
            ]
            return reduce(lambda a, other: b.integers("arith.andi", a, other), found)

        def is_valid(position: ir.Value) -> ir.Value:
            return fit([b.load_index(buffer, position) for buffer, _, _ in known])

        def report_first() -> tuple[()]:
            at = b.repeat([begin], is_valid, lambda position: [b.add(position, 1)])[0]
            self._report(*place, at)
            return ()

        b.choose(fit([value for _, _, value in known]), tuple, report_first, marks=[CHECK])

    @property
    def _rows(self) -> ir.Value:
        """The number of rows of a partition."""
        return self.builder.div(
            self.builder.dim(self.arguments["table"], 0), self.spec.sparse_cores
        )

    def _check_pointers(self, core: ir.Value) -> None:
        """Check that the segments of a SparseCore lie in the buffers, one after another."""
        b, segments = self.builder, self.segments
        start = b.sub(segments.span(core, 0, b.at(0))[0], segments.base(core))

        def of_minibatch(minibatch: ir.Value, start: ir.Value) -> list[ir.Value]:
            def of_partition(partition: ir.Value, start: ir.Value) -> list[ir.Value]:
                stop = self._checked_pointer((core, minibatch, partition), start)
                return [b.round_up(stop, POINTERS)]

            return b.loop(0, self.spec.all_cores, of_partition, [start])

        b.loop(0, segments.minibatches, of_minibatch, [start])

    def _checked_pointer(
        self, place: tuple[ir.Value, ir.Value, ir.Value], start: ir.Value
    ) -> ir.Value:
        """Check that a segment lies in the buffers; return its end."""
        b, segments = self.builder, self.segments
        room = b.bits("arith.andi", segments.room, -POINTERS)
        stop = b.load_index(segments.pointers, segments.pointer(*place))
        # Compared as unsigned numbers, so that neither may be negative.
        fits = b.integers("arith.andi", b.compare("ule", start, stop), b.compare("ule", stop, room))

        def report_pointer() -> tuple[()]:
            core, minibatch, partition = place
            where = (*self._device_and_core(core), minibatch, partition)
            report(b, self.arguments["status"], _POINTER, (*where, stop, start, room))
            return ()

        b.choose(fits, tuple, report_pointer)
        return stop

    def _each_segment(
        self, core: ir.Value, check: Callable[[ir.Value, ir.Value, ir.Value], None]
    ) -> None:
        """Add loops over a SparseCore's segments; `check` takes it, minibatch and partition."""
        b = self.builder

        def of_minibatch(minibatch: ir.Value) -> tuple[()]:
            def of_partition(partition: ir.Value) -> tuple[()]:
                check(core, minibatch, partition)
                return ()

            b.loop(0, self.spec.all_cores, of_partition)
            return ()

        b.loop(0, self.segments.minibatches, of_minibatch)

    def _check_limits(self, core: ir.Value, minibatch: ir.Value, partition: ir.Value) -> None:
        positions = self.segments.span(core, minibatch, partition)
        place = (*self._device_and_core(core), minibatch, partition)
        checks = LimitChecks(self.builder, self.spec, self.arguments, _LIMIT)
        checks.segment(place, positions)

    def _check_elsewhere(self, core: ir.Value, minibatch: ir.Value, partition: ir.Value) -> None:
        """Check the entries of a segment, unless it is for this device."""
        b = self.builder
        buffers = [self.arguments[name] for name in ("embedding_ids", "sample_ids")]

        def check() -> tuple[()]:
            positions = self.segments.span(core, minibatch, partition)
            of_ids, of_samples = largest(b, buffers, *positions)
            self.segment((core, partition), positions, (of_ids, of_samples))
            return ()

        is_here = b.compare(
            "ult", b.sub(partition, self.segments.first_partition), self.spec.sparse_cores
        )
        b.choose(is_here, tuple, check)

    def _report(self, core: ir.Value, partition: ir.Value, at: ir.Value) -> None:
        """Report what is wrong with the entry at a position."""
        b, spec, status = self.builder, self.spec, self.arguments["status"]
        id_ = b.load_index(self.arguments["embedding_ids"], at)
        device, local = self._device_and_core(core)
        place = (device, local, b.sub(at, b.mul(device, self.segments.entries_per_device)))

        def row() -> tuple[()]:
            # Rows are dealt out to the partitions one by one.
            whole = b.add(b.mul(id_, spec.all_cores), partition)
            report(b, status, _ROW, (*place, id_, partition, self._rows, whole))
            return ()

        def sample() -> tuple[()]:
            found = b.load_index(self.arguments["sample_ids"], at)
            of_device = spec.samples_per_core * spec.sparse_cores
            report(b, status, _SAMPLE, (*place, found, spec.samples_per_core, of_device))
            return ()

        b.choose(b.compare("ult", id_, self._rows), sample, row)

    def _device_and_core(self, core: ir.Value) -> tuple[ir.Value, ir.Value]:
        b, cores = self.builder, self.spec.sparse_cores
        return b.div(core, cores), b.rem(core, cores)
