"""Raw ids: which of them name rows of this device, and which name no row at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder
from sdykit.sparsecore.tile.shared_memory.pieces import Pieces
from sdykit.sparsecore.tile.spec import BufferLayout


@dataclass(frozen=True)
class Entry:
    """The row that an id names.

    Attributes:
        id: the id, an index; a negative one names no row.
        row: the row in this device's part of the table, an i32; undefined unless `is_here`.
        is_here: whether this device has the row.
    """

    id: ir.Value
    row: ir.Value
    is_here: ir.Value


@dataclass(frozen=True)
class Ids:
    """Reads ids; the position of one is `sample * valency + position in the sample`.

    Attributes:
        builder: the builder that ops are added with.
        ids: the ids of all samples, one after another, i32.
        gains: the gains in the same order, f32; None: each is 1.
        status: the status of the program.
        valency: the number of ids of a sample.
        rows: the number of rows that this device has.
        first_row: the id of the first of these rows; None: it is 0.
        vocabulary: the number of rows of all devices.
        first_sample: the number of the first sample; None: it is 0.
    """

    builder: Builder
    ids: ir.Value
    gains: ir.Value | None
    status: ir.Value
    valency: ir.Value
    rows: ir.Value
    first_row: ir.Value | None
    vocabulary: ir.Value
    first_sample: ir.Value | None = None

    def read(self, position: ir.Value) -> Entry:
        """Read the id at a position."""
        b = self.builder
        id_ = b.load_index(self.ids, position)
        row = id_ if self.first_row is None else b.sub(id_, self.first_row)
        return Entry(id_, b.to_integer(row, "i32"), b.compare("ult", row, self.rows))

    def gain(self, position: ir.Value) -> ir.Value | None:
        """Read the gain at a position; None if ids have no gains."""
        return None if self.gains is None else self.builder.load(self.gains, position)


def ids_of_device(b: Builder, spec: BufferLayout, pieces: Pieces, device: ir.Value) -> Ids:
    """Return the ids of a device of a program for all devices; every row is there."""
    arguments = pieces.arguments
    valency = b.dim(arguments["ids"], 1)
    samples = spec.sparse_cores * spec.samples_per_core
    count = b.mul(samples, valency)
    vocabulary = b.mul(b.dim(arguments["table"], 0), spec.num_devices)
    return Ids(
        b,
        pieces.flat("ids", device, count),
        pieces.flat("gains", device, count) if "gains" in arguments else None,
        arguments["status"],
        valency,
        vocabulary,
        None,
        vocabulary,
        b.mul(device, samples),
    )


def ids_of(b: Builder, spec: BufferLayout, arguments: Mapping[str, ir.Value]) -> Ids:
    """Return the ids of a program; to be called within a phase, as it reads sizes."""
    valency = b.figure(b.dim(arguments["ids"], 1), "valency")
    rows = b.figure(b.dim(arguments["table"], 0), "rows_of_device")
    first = None
    if spec.num_devices > 1:
        first = b.mul(b.load_index(arguments["device"]), rows)
    count = b.mul(spec.samples, valency)
    return Ids(
        b,
        b.flat(arguments["ids"], count),
        b.flat(arguments["gains"], count) if "gains" in arguments else None,
        arguments["status"],
        valency,
        rows,
        first,
        b.mul(rows, spec.num_devices),
    )
