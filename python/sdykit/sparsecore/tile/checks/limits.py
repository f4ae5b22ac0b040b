"""Checks of the limits that a program is compiled for: ids and unique ids of each partition.

A program that reads buffers counts their entries; one that reads an index by sample has the figures
that preprocessing observed, `SampleIndex.observed`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sdykit.core.sparsecore.names import CHECK
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.lanes import element_at
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.checks.status import largest, report
from sdykit.sparsecore.tile.spec import BufferLayout

_FOUND = (
    "device {{1}}, SparseCore {{2}}, minibatch {{3}}: {{5}} {what} for partition {{4}}; the program "
    "is compiled for {{6}} ({name}); expected at most {{6}}, or a program that is compiled for {{5}}"
)
LIMIT_MESSAGES = (
    _FOUND.format(what="ids", name="max_ids_per_partition"),
    _FOUND.format(what="unique ids", name="max_unique_ids_per_partition"),
)
"""The messages about limits, in the order of the limits."""
_AT_ONCE = 8
"""Ids that are compared at once."""


@dataclass(frozen=True)
class LimitChecks:
    """Reports the ids of one SparseCore for one partition that are more than a limit.

    Attributes:
        builder: the builder that ops are added with, within a phase.
        spec: the spec of the program.
        arguments: the arguments of the program, by name.
        first_message: the number of the first message about limits.
    """

    builder: Builder
    spec: BufferLayout
    arguments: Mapping[str, ir.Value]
    first_message: int

    def segment(self, place: Sequence[ir.Value], positions: tuple[ir.Value, ir.Value]) -> None:
        """Report a segment of the buffers that has more ids, or unique ids, than the limits.

        Ids are compared with their neighbours, as they are sorted; only of a segment with more ids
        than the limit of unique ids, which it cannot exceed otherwise.

        Args:
            place: device, SparseCore, minibatch and partition of the segment.
            positions: the first position of the segment, and one past its last.
        """
        b, (begin, end) = self.builder, positions
        ids, partition = b.sub(end, begin), place[-1]

        def check_unique() -> None:
            unique = _unique(b, self.arguments["embedding_ids"], begin, end)
            self._report_if_more(1, place, unique, self._limit(1, partition))

        def check() -> tuple[()]:
            self._report_if_more(0, place, ids, self._limit(0, partition), check_unique)
            return ()

        b.choose(b.compare("ult", min(map(self._lowest, (0, 1))), ids), check, marks=[CHECK])

    def observed(self, core: ir.Value, number: ir.Value) -> None:
        """Report the first figure of a SparseCore in the argument `observed` that exceeds its limit.

        Args:
            core: a SparseCore of the only device.
            number: 0 for the figures of ids, 1 for those of unique ids.
        """
        b, buffer, spec = self.builder, self.arguments["observed"], self.spec
        is_ids = b.compare("eq", number, 0)
        count = spec.segments // spec.sparse_cores
        first = b.add(b.mul(number, spec.segments), b.mul(core, count))
        end = b.add(first, count)

        def place_of(at: ir.Value) -> tuple[ir.Value, ir.Value]:
            segment = b.sub(at, first)
            return b.div(segment, spec.all_cores), b.rem(segment, spec.all_cores)

        def limit_at(at: ir.Value) -> ir.Value:
            _, partition = place_of(at)
            return b.select(is_ids, self._limit(0, partition), self._limit(1, partition))

        def fits(at: ir.Value) -> ir.Value:
            def is_low() -> list[ir.Value]:
                return [b.compare("ule", b.load_index(buffer, at), limit_at(at))]

            return b.both(b.compare("ult", at, end), is_low)

        def report_first() -> tuple[()]:
            at = b.repeat([first], fits, lambda at: [b.add(at, 1)])[0]

            def report_it() -> tuple[()]:
                message = b.add(number, self.first_message)
                values = (0, core, *place_of(at), b.load_index(buffer, at), limit_at(at))
                report(b, self.arguments["status"], message, values)
                return ()

            b.choose(b.compare("ult", at, end), report_it)
            return ()

        (highest,) = largest(b, [buffer], first, end)
        lowest = b.select(is_ids, self._lowest(0), self._lowest(1))
        b.choose(b.compare("ult", lowest, highest), report_first)

    def _limit(self, number: int, partition: ir.Value) -> ir.Value | int:
        """Return the limit of this number of a partition, counted over all devices."""
        b, limits = self.builder, self.spec.limits_of_partitions[number]
        if limits is None:
            return self.spec.limits[number]
        values = b.constant(f"dense<{list(limits)}>", f"vector<{len(limits)}xi32>")
        return b.to_index(element_at(b, values, partition))

    def _lowest(self, number: int) -> int:
        """Return the lowest limit of this number of any partition."""
        return min(self.spec.limits_of_partitions[number] or [self.spec.limits[number]])

    def _report_if_more(
        self,
        number: int,
        place: Sequence[ir.Value],
        found: ir.Value,
        limit: ir.Value | int,
        otherwise: Callable[[], None] = lambda: None,
    ) -> None:
        """Report a figure that is more than its limit, which has this number; else add other ops."""
        b = self.builder

        def report_it() -> tuple[()]:
            values = (*place, found, limit)
            report(b, self.arguments["status"], self.first_message + number, values)
            return ()

        def go_on() -> tuple[()]:
            otherwise()
            return ()

        b.choose(b.compare("ult", limit, found), report_it, go_on)


def _unique(b: Builder, ids: ir.Value, begin: ir.Value, end: ir.Value) -> ir.Value:
    """Return the number of distinct ids of a segment that is not empty, several at a time."""
    after = b.add(begin, 1)
    whole = b.add(after, b.bits("arith.andi", b.sub(end, after), -_AT_ONCE))
    integers, truths = (b.type(f"vector<{_AT_ONCE}x{each}>") for each in ("i32", "i1"))

    def some(at: ir.Value, count: ir.Value) -> list[ir.Value]:
        pair = [b.load_vector(ids, [position], _AT_ONCE) for position in (at, b.sub(at, 1))]
        is_new = b.op("arith.cmpi", pair, [truths], predicate="1 : i64").result
        return [b.integers("arith.addi", count, b.convert("arith.extui", is_new, integers))]

    def one(at: ir.Value, count: ir.Value) -> list[ir.Value]:
        is_new = b.compare("ne", b.load_index(ids, at), b.load_index(ids, b.sub(at, 1)))
        return [b.add(count, b.select(is_new, 1, 0))]

    zeros = b.constant("dense<0>", integers)
    (counts,) = b.loop(after, whole, some, [zeros], step=_AT_ONCE)
    kind = {"kind": "#vector.kind<add>"}
    count = b.op("vector.reduction", [counts], [b.type("i32")], **kind).result
    first = b.add(b.convert("arith.index_castui", count, b.index), 1)
    return b.loop(whole, end, one, [first])[0]
