"""Conditions of accesses within bounds, and the report if one does not hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core.sparsecore.views import Number
from sdykit.mlir import ir
from sdykit.passes.sparsecore._instrument.numbers import value_of
from sdykit.passes.sparsecore._instrument.ops import compare, create, wide
from sdykit.passes.sparsecore._instrument.reports import Reporter

_MAX_VALUES = 7
_EQ, ULT, ULE = 0, 6, 7


@dataclass(frozen=True)
class Condition:
    """A condition of an access within bounds.

    Attributes:
        holds: whether it holds, i1.
        message: the message if it does not; `{1}` to `{7}` stand for the values.
        values: the values in the message, of type index.
    """

    holds: ir.Value
    message: str
    values: tuple[ir.Value, ...]


def condition(holds: ir.Value, *clauses: str | tuple[str, Sequence[Number]]) -> Condition:
    """Make a condition from the parts of its message.

    Args:
        holds: whether the condition holds, i1.
        clauses: the parts of the message; one with `{}` comes with the numbers that it stands for.
            A clause is left out if a message would have more than 7 computed numbers.
    """
    message, values = "", []
    for clause in clauses:
        if isinstance(clause, str):
            message += clause
            continue
        text, numbers = clause
        if len(values) + sum(not isinstance(each, int) for each in numbers) > _MAX_VALUES:
            continue
        places = []
        for each in numbers:
            if not isinstance(each, int):
                values.append(each)
            places.append(str(each) if isinstance(each, int) else f"{{{len(values)}}}")
        message += text.format(f"[{', '.join(places)}]")
    return Condition(holds, message, tuple(values))


def report_failure(condition: Condition, reporter: Reporter, *, is_known: bool) -> None:
    """Add code that reports that a condition does not hold.

    Args:
        condition: the condition.
        reporter: the reporter of the program.
        is_known: whether the code is only reached if the condition does not hold; else the code
            tests it.
    """
    number = reporter.number_of(condition.message)

    def report() -> None:
        reporter.report(number, wide(condition.values))

    if is_known:
        report()
        return
    choice = create("scf.if", [condition.holds], regions=2)
    with ir.InsertionPoint(choice.regions[0].blocks.append()):
        create("scf.yield", [])
    with ir.InsertionPoint(choice.regions[1].blocks.append()):
        report()
        create("scf.yield", [])


def is_below(number: Number, limit: Number, predicate: int = ULT) -> ir.Value:
    """Compare as unsigned numbers: a negative one is larger than any size."""
    return compare(predicate, value_of(number), value_of(limit))


def is_equal(a: Number, b: Number) -> ir.Value:
    """Compare two numbers."""
    return compare(_EQ, value_of(a), value_of(b))


def all_of(conditions: Sequence[ir.Value]) -> ir.Value:
    """Return whether all of some conditions hold, of which there is at least one."""
    result = conditions[0]
    for other in conditions[1:]:
        result = create("arith.andi", [result, other], [result.type]).result
    return result
