"""A ledger of the HBM of a device: entries, their sum, and the error if they do not fit."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final, get_args

from sdykit.sparsecore.chip.chips import Chip
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.memory.entries import TEMPORARY, Entry, Kind, Phase
from sdykit.sparsecore.memory.moments import Moment, moments_of

_LISTED = 8
"""The number of entries that an error lists, the largest first."""

_ADVICE: Final[dict[str, str]] = {
    "table": "use more devices, a narrower dtype, narrower rows, an optimizer with smaller slots, or "
    "another chip, see sdykit.sparsecore.configure",
    "weights": "split them over more devices, use a narrower dtype, or another chip, see "
    "sdykit.sparsecore.configure",
    "input": "lower max_ids_per_partition, buffer_size_per_device or maximum_parallel_iterations, or "
    "use a smaller batch",
    "activations": "use a smaller batch, narrower rows, or more devices",
    "stack": "lower max_unique_ids_per_partition, use narrower rows, or fewer devices for each table",
    "temporary": "lower max_ids_per_partition and max_unique_ids_per_partition, use a smaller batch, "
    "or more devices",
    "other": "donate arguments that are not used afterwards, use a smaller batch, or more devices",
}
_ADVICE["slot"] = _ADVICE["table"]
_ADVICE["constant"] = _ADVICE["weights"]


@dataclasses.dataclass(frozen=True)
class Ledger:
    """The HBM of each device: what it holds, and for whom.

    Attributes:
        chip: the chip of the devices.
        entries: the entries, in no order.
        serialized_tables: `xla_sc_num_serialized_tables_to_optimize_hbm`: of so many tables, one after
            another has its HBM stack.
        is_pipelined: whether SparseCores work beside the TensorCore, as `sdykit.bridge.pipelining` does.
    """

    chip: Chip
    entries: tuple[Entry, ...]
    serialized_tables: int = 0
    is_pipelined: bool = False

    @property
    def capacity(self) -> int:
        """Bytes of HBM that a device has."""
        return self.chip.hbm_bytes // self.chip.devices_per_chip

    @cached_property
    def moments(self) -> tuple[Moment, ...]:
        """What HBM holds from moment to moment of a step, without what only the simulator needs."""
        return moments_of(self.entries, self.serialized_tables, is_pipelined=self.is_pipelined)

    @property
    def peak_moment(self) -> Moment:
        """The moment at which most bytes are used; the first of several."""
        return max(self.moments, key=lambda each: each.bytes)

    @property
    def peak(self) -> Phase:
        """The phase in which most bytes are used; "": there are no phases."""
        return self.peak_moment.phase

    @property
    def bytes(self) -> int:
        """Bytes that are used at the peak, without those of the simulator."""
        return self.peak_moment.bytes

    @property
    def heap(self) -> tuple[Entry, ...]:
        """The entries that are there at all times, the largest first: what is not on the HBM stack."""
        held = (each for each in self.peak_moment.entries if not each.phase)
        return tuple(each for each in held if each.kind not in TEMPORARY)

    @property
    def simulator_bytes(self) -> int:
        """Bytes that only the simulator needs, those of all phases together."""
        return sum(each.bytes for each in self.entries if each.kind == "simulator")

    def bytes_by_kind(self) -> dict[str, int]:
        """Return the bytes of each kind at the peak; those of `simulator` are of all phases."""
        sums: Counter[str] = Counter()
        for each in self.peak_moment.entries:
            sums[each.kind] += each.bytes
        return {**sums, "simulator": self.simulator_bytes}

    def plus(self, entries: Iterable[Entry]) -> Ledger:
        """Return a ledger with further entries."""
        return dataclasses.replace(self, entries=(*self.entries, *entries))

    def check(self, where: str) -> None:
        """Check that everything fits in the HBM of a device.

        Args:
            where: what needs the memory; the error begins with it.

        Raises:
            SparseCoreError: it does not; the text lists the largest entries, and says what to do.
        """
        if self.bytes <= self.capacity:
            return
        share = self.chip.devices_per_chip
        of_chip = f", 1/{share} of the chip's {self.chip.hbm_bytes}" if share > 1 else ""
        held = self.peak_moment.entries
        listed = [str(each) for each in held[:_LISTED]]
        if len(held) > _LISTED:
            rest = sum(each.bytes for each in held[_LISTED:])
            listed.append(f"{len(held) - _LISTED} more {rest}")
        sums = self.bytes_by_kind()
        del sums["simulator"]
        kind = max(sums, key=lambda each: sums[each])
        raise SparseCoreError(
            f"{where}: Ran out of memory in HBM: {self.bytes} bytes are needed on each device, and "
            f"a device of chip {self.chip.name} has {self.capacity}{of_chip}. The largest: "
            f"{'; '.join(listed)}. To make it fit: {_ADVICE[kind]}{self._or_serialize(kind)}"
        )

    def _or_serialize(self, kind: str) -> str:
        """Return the advice to serialize tables, if that would make the peak lower."""
        if (
            kind not in TEMPORARY
            or self.bytes <= dataclasses.replace(self, serialized_tables=len(self.entries)).bytes
        ):
            return ""
        return (
            ", or raise xla_sc_num_serialized_tables_to_optimize_hbm, now "
            f"{self.serialized_tables}, so that fewer tables have their HBM stack at once"
        )

    def to_json(self) -> str:
        """Return the ledger as JSON: chip, capacity, bytes at the peak, and the entries."""
        fields = {
            "chip": self.chip.name,
            "capacity": self.capacity,
            "bytes": self.bytes,
            "peak": self.peak,
            "serialized_tables": self.serialized_tables,
            "is_pipelined": self.is_pipelined,
            "moments": [
                {"name": each.name, "phase": each.phase, "bytes": each.bytes}
                for each in self.moments
            ],
            "simulator_bytes": self.simulator_bytes,
            "entries": [dataclasses.asdict(each) for each in self.entries],
        }
        return json.dumps(fields, indent=2)

    def __str__(self) -> str:
        """Return the ledger as a table, by kind and size; what is of the simulator stands apart."""
        when = self.peak_moment.when
        during = f" while {when}" if when else ""
        lines = [
            f"HBM of a device of chip {self.chip.name}: {self.bytes:,} of {self.capacity:,} bytes "
            f"({self.bytes / self.capacity:.1%}){during}"
        ]
        chips = [each for each in self.entries if each.kind != "simulator"]
        others = [each for each in self.entries if each.kind == "simulator"]
        lines += _listed(chips)
        if others:
            lines += ["", f"Of the simulator, and not of the chip: {self.simulator_bytes:,} bytes"]
            lines += _listed(others)
        return "\n".join(lines)


def _listed(entries: Sequence[Entry]) -> list[str]:
    kinds = get_args(Kind)
    ordered = sorted(entries, key=lambda each: (kinds.index(each.kind), -each.bytes))
    rows = [
        (each.kind, each.owner, each.name, each.phase, f"{each.bytes:,}", each.note)
        for each in ordered
    ]
    return _table(("kind", "of", "what", "during", "bytes", ""), rows, right=(4,))


def _table(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()
) -> list[str]:
    """Return the lines of a table.

    Args:
        head: the titles of the columns.
        rows: the cells of each row.
        right: the numbers of the columns that are aligned on the right.
    """
    if not rows:
        return []
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = (
            cell.rjust(width) if number in right else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        return "  ".join(padded).rstrip()

    return [line(head), *map(line, rows)]
