"""Whether ids as they are name rows of the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Values
from sdykit.sparsecore.tile.checks.status import report
from sdykit.sparsecore.tile.entries.ids import Ids

MESSAGES = ("ids: sample {1}, position {2}: id {3} is not in the vocabulary of {4} rows",)
"""What the status may say of ids."""
_NUMBER = 1


def each_checked_id(
    ids: Ids,
    begin: ir.Value,
    end: ir.Value,
    body: Callable[..., Sequence[ir.Value]],
    carried: Sequence[ir.Value],
) -> Values:
    """Go over entries, then report the first whose id is too large, if any.

    Args:
        ids: of a batch.
        begin: position of the first.
        end: position behind the last.
        body: gets the position, what it says, and what the last round gave; gives what the
            next one gets.
        carried: what the first one gets.

    Returns:
        What the last one gave.
    """
    b = ids.builder

    def entry(position: ir.Value, largest: ir.Value, *values: ir.Value) -> list[ir.Value]:
        found = ids.read(position)
        return [b.most(largest, found.id), *body(position, found, *values)]

    largest, *results = b.loop(begin, end, entry, [b.at(0), *carried])
    _check_largest(ids, largest, begin)
    return results


def _check_largest(ids: Ids, largest: ir.Value, begin: ir.Value) -> None:
    """Report the first id that is too large, from a position on, if the largest is."""
    b = ids.builder

    def is_right(position: ir.Value) -> ir.Value:
        return b.compare("slt", b.load_index(ids.ids, position), ids.vocabulary)

    def tell() -> tuple[()]:
        at = b.repeat([begin], is_right, lambda position: [b.add(position, 1)])[0]
        sample, position = b.div(at, ids.valency), b.rem(at, ids.valency)
        values = (sample, position, b.load_index(ids.ids, at), ids.vocabulary)
        report(b, ids.status, _NUMBER, values)
        return ()

    b.choose(b.compare("sge", largest, ids.vocabulary), tell)
