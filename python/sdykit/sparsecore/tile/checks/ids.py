"""Checks that raw ids name rows of the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sdykit.core.sparsecore.names import CHECK
from sdykit.mlir import ir
from sdykit.sparsecore.tile.builder.ops import Builder, Values
from sdykit.sparsecore.tile.checks.status import report
from sdykit.sparsecore.tile.entries.ids import Ids, ids_of
from sdykit.sparsecore.tile.spec import BufferLayout

MESSAGES = (
    "ids: sample {1}, position {2}: id {3} is not in the vocabulary of {4} rows; expected an id in "
    "[0, {4}), or a negative one for no row",
)
"""The messages about ids, from number 1 on."""
_ID = 1


def each_checked_id(
    ids: Ids,
    begin: ir.Value,
    end: ir.Value,
    body: Callable[..., Sequence[ir.Value]],
    carried: Sequence[ir.Value],
) -> Values:
    """Add a loop over ids; after it, the first id that is too large is reported.

    Args:
        ids: the ids of the program.
        begin: the position of the first id.
        end: one past the position of the last id.
        body: adds the ops for an id; called with its position, its `Entry` and the carried values,
            it returns the next carried values.
        carried: the values that the first iteration starts with.

    Returns:
        The carried values after the last iteration.
    """
    b = ids.builder

    def entry(position: ir.Value, largest: ir.Value, *values: ir.Value) -> list[ir.Value]:
        found = ids.read(position)
        return [b.maximum(largest, found.id), *body(position, found, *values)]

    largest, *results = b.loop(begin, end, entry, [b.at(0), *carried])
    _check_largest(ids, largest, begin)
    return results


def add_id_checks(b: Builder, spec: BufferLayout, arguments: Mapping[str, ir.Value]) -> None:
    """Add a phase over all SparseCores that have samples, which reports the first id that is too large."""

    def sequencer(core: ir.Value) -> None:
        ids = ids_of(b, spec, arguments)
        per_core = b.mul(ids.valency, spec.samples_per_core)
        begin, end = b.mul(core, per_core), b.mul(b.add(core, 1), per_core)

        def check() -> tuple[()]:
            report_too_large(ids, begin, end)
            return ()

        b.choose(b.compare("slt", begin, end), check)

    b.phase({"core": spec.all_cores}, sequencer, **{CHECK: "unit"})


def report_too_large(ids: Ids, begin: ir.Value, end: ir.Value) -> None:
    """Report the first id that is too large, if there is one.

    Args:
        ids: the ids of the program.
        begin: the position of the first id that is checked.
        end: one past the position of the last one.
    """
    each_checked_id(ids, begin, end, lambda *_: (), ())


def _check_largest(ids: Ids, largest: ir.Value, begin: ir.Value) -> None:
    """Report the first id that is too large, from `begin` on, if the largest one is."""
    b = ids.builder

    def is_in_vocabulary(position: ir.Value) -> ir.Value:
        return b.compare("slt", b.load_index(ids.ids, position), ids.vocabulary)

    def report_first() -> tuple[()]:
        at = b.repeat([begin], is_in_vocabulary, lambda position: [b.add(position, 1)])[0]
        sample, position = b.div(at, ids.valency), b.rem(at, ids.valency)
        if ids.first_sample is not None:
            sample = b.add(ids.first_sample, sample)
        values = (sample, position, b.load_index(ids.ids, at), ids.vocabulary)
        report(b, ids.status, _ID, values)
        return ()

    b.choose(b.compare("sge", largest, ids.vocabulary), report_first)
