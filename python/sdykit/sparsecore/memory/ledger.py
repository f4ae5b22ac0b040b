"""A ledger of the HBM of a device: entries, their sum, and the error if they do not fit."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, Literal, get_args

from sdykit.sparsecore.chip.chips import Chip
from sdykit.sparsecore.errors import SparseCoreError

Kind = Literal[
    "table",
    "slot",
    "weights",
    "constant",
    "input",
    "activations",
    "stack",
    "temporary",
    "other",
    "simulator",
]
"""What an entry is:

- `table`, `slot`: a table, and a slot variable of its optimizer;
- `weights`, `constant`: dense weights, constants;
- `input`: ids, samples and gains, of the step that runs and of those that are prefetched;
- `activations`: activations, and their gradients;
- `stack`: the HBM stack of a lookup or an update, by its formula;
- `temporary`: what a program keeps in HBM besides: buffers that are staged there, gradients;
- `other`: other arguments, results and temporaries of a JAX program;
- `simulator`: what only the simulator needs, and a chip does not.
"""

Phase = Literal["", "lookup", "update"]
"""When an entry is in HBM: always, or while lookups or updates run."""

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


@dataclasses.dataclass(frozen=True, kw_only=True)
class Entry:
    """A part of the HBM of each device.

    Attributes:
        kind: what it is, see `Kind`.
        owner: the name of the table, the stack of tables or the program that needs it.
        name: the name of the array or buffer.
        bytes: its size on each device.
        phase: when it is there.
        note: dtype and shape, or the product that the size is; "": none.
    """

    kind: Kind
    owner: str
    name: str
    bytes: int
    phase: Phase = ""
    note: str = ""

    def __str__(self) -> str:
        """Return the owner, if it is known, the name, the size, and the note."""
        note = f" ({self.note})" if self.note else ""
        owner = f"{self.owner}: " if self.owner else ""
        return f"{owner}{self.name} {self.bytes}{note}"


@dataclasses.dataclass(frozen=True)
class Ledger:
    """The HBM of each device: what it holds, and for whom.

    Attributes:
        chip: the chip of the devices.
        entries: the entries, in no order.
    """

    chip: Chip
    entries: tuple[Entry, ...]

    @property
    def capacity(self) -> int:
        """Bytes of HBM that a device has."""
        return self.chip.hbm_bytes // self.chip.devices_per_chip

    @property
    def peak(self) -> Phase:
        """The phase in which most bytes are used."""
        return max(get_args(Phase), key=self._bytes_in)

    @property
    def bytes(self) -> int:
        """Bytes that are used at the peak, without those of the simulator."""
        return self._bytes_in(self.peak)

    @property
    def simulator_bytes(self) -> int:
        """Bytes that only the simulator needs, those of all phases together."""
        return sum(each.bytes for each in self.entries if each.kind == "simulator")

    def _bytes_in(self, phase: Phase) -> int:
        return sum(each.bytes for each in self._entries_in(phase))

    def _entries_in(self, phase: Phase) -> list[Entry]:
        """Return the chip's entries of a phase, the largest first."""
        held = [
            each
            for each in self.entries
            if each.kind != "simulator" and each.phase in ("", phase) and each.bytes
        ]
        return sorted(held, key=lambda each: -each.bytes)

    def bytes_by_kind(self) -> dict[str, int]:
        """Return the bytes of each kind at the peak; those of `simulator` are of all phases."""
        sums: Counter[str] = Counter()
        for each in self._entries_in(self.peak):
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
        held = self._entries_in(self.peak)
        listed = [str(each) for each in held[:_LISTED]]
        if len(held) > _LISTED:
            rest = sum(each.bytes for each in held[_LISTED:])
            listed.append(f"{len(held) - _LISTED} more {rest}")
        sums = self.bytes_by_kind()
        del sums["simulator"]
        raise SparseCoreError(
            f"{where}: Ran out of memory in HBM: {self.bytes} bytes are needed on each device, and "
            f"a device of chip {self.chip.name} has {self.capacity}{of_chip}. The largest: "
            f"{'; '.join(listed)}. To make it fit: {_ADVICE[max(sums, key=lambda kind: sums[kind])]}"
        )

    def to_json(self) -> str:
        """Return the ledger as JSON: chip, capacity, bytes at the peak, and the entries."""
        fields = {
            "chip": self.chip.name,
            "capacity": self.capacity,
            "bytes": self.bytes,
            "peak": self.peak,
            "simulator_bytes": self.simulator_bytes,
            "entries": [dataclasses.asdict(each) for each in self.entries],
        }
        return json.dumps(fields, indent=2)

    def __str__(self) -> str:
        """Return the ledger as a table, by kind and size; what is of the simulator stands apart."""
        during = f" while {self.peak}s run" if self.peak else ""
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
