"""Ids as they are: which of them name rows of this device, and which name none at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.spec import TileSpec


@dataclass(frozen=True)
class Entry:
    """What an id says.

    Attributes:
        id: as it is; negative: none.
        row: of this device's part of the table, an i32; any, if it is elsewhere.
        is_here: whether this device has it.
    """

    id: ir.Value
    row: ir.Value
    is_here: ir.Value


@dataclass(frozen=True)
class Ids:
    """Reads ids; the position of one is `sample * valency + position in the sample`.

    Attributes:
        builder: where ops are added.
        ids: of all samples, one after another.
        gains: in the same form; None: each is 1.
        status: of the program.
        valency: ids of a sample.
        rows: of the table that this device has.
        first_row: the id of the first of them.
        vocabulary: rows of all devices.
    """

    builder: Builder
    ids: ir.Value
    gains: ir.Value | None
    status: ir.Value
    valency: ir.Value
    rows: ir.Value
    first_row: ir.Value | None
    vocabulary: ir.Value

    def read(self, position: ir.Value) -> Entry:
        """Read an id."""
        b = self.builder
        id_ = b.load_index(self.ids, position)
        row = id_ if self.first_row is None else b.sub(id_, self.first_row)
        return Entry(id_, b.to_integer(row, "i32"), b.compare("ult", row, self.rows))

    def gain(self, position: ir.Value) -> ir.Value | None:
        """Read an entry's gain, if it has one."""
        return None if self.gains is None else self.builder.load(self.gains, position)


def ids_of(b: Builder, spec: TileSpec, arguments: Mapping[str, ir.Value]) -> Ids:
    """Read sizes; to be called within a phase."""
    valency, rows = b.dim(arguments["ids"], 1), b.dim(arguments["table"], 0)
    first = None
    if spec.num_devices > 1:
        first = b.mul(b.load_index(arguments["device"]), rows)
    count = b.mul(spec.samples, valency)
    return Ids(
        b,
        b.flat(arguments["ids"], count),
        b.flat(arguments["gains"], count) if spec.gains else None,
        arguments["status"],
        valency,
        rows,
        first,
        b.mul(rows, spec.num_devices),
    )
