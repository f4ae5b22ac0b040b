"""Ids as they are: which of them name rows of this device, and which name none at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.tile._builder import Builder, Values
from sdykit.sparsecore.tile._status import report
from sdykit.sparsecore.tile.spec import TileSpec

MESSAGES = ("ids: sample {1}, position {2}: id {3} is not in the vocabulary of {4} rows",)
"""What the status may say of ids."""
_NUMBER = 1


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

    def each(
        self,
        begin: ir.Value,
        end: ir.Value,
        body: Callable[..., Sequence[ir.Value]],
        carried: Sequence[ir.Value],
    ) -> Values:
        """Go over entries, then report the first whose id is too large, if any.

        Args:
            begin: position of the first.
            end: position behind the last.
            body: gets the position, what it says, and what the last round gave; gives what the
                next one gets.
            carried: what the first one gets.

        Returns:
            What the last one gave.
        """
        b = self.builder

        def entry(position: ir.Value, largest: ir.Value, *values: ir.Value) -> list[ir.Value]:
            found = self.read(position)
            return [b.most(largest, found.id), *body(position, found, *values)]

        largest, *results = b.loop(begin, end, entry, [b.at(0), *carried])
        self.check(largest, begin)
        return results

    def check(self, largest: ir.Value, begin: ir.Value) -> None:
        """Report the first id that is too large, from a position on, if the largest is."""
        b = self.builder

        def is_right(position: ir.Value) -> ir.Value:
            return b.compare("slt", b.load_index(self.ids, position), self.vocabulary)

        def tell() -> tuple[()]:
            at = b.repeat([begin], is_right, lambda position: [b.add(position, 1)])[0]
            sample, position = b.div(at, self.valency), b.rem(at, self.valency)
            values = (sample, position, b.load_index(self.ids, at), self.vocabulary)
            report(b, self.status, _NUMBER, values)
            return ()

        b.choose(b.compare("sge", largest, self.vocabulary), tell)


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
