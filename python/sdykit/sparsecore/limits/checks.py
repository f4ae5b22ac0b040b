"""Checks that limits are those of a program: its system, tables and stacks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sdykit.sparsecore.errors import SparseCoreError, suggestion
from sdykit.sparsecore.limits.figures import StackFigures, described
from sdykit.sparsecore.specs import System
from sdykit.sparsecore.stacking import Stack

_COUNT_AGAIN = "count the limits of this program"


class LimitsMisfit(SparseCoreError):
    """Limits are those of another program."""

    def __init__(self, text: str, *keys: str) -> None:
        super().__init__(text)
        self.keys = keys
        """The key in a limits file that differs, after those of the objects that it is in."""


def check_system(limits: System, system: System) -> None:
    """Check that the system that limits are for is that of a program.

    Raises:
        LimitsMisfit: it is another.
    """
    if limits != system:
        raise LimitsMisfit(
            f"the limits are for {described(limits)}; the program runs on {described(system)}: "
            f"{_COUNT_AGAIN}",
            "system",
        )


def check_tables(limits: Iterable[StackFigures], stacks: Sequence[Stack]) -> None:
    """Check that limits and stacks have the same tables.

    Raises:
        LimitsMisfit: a table is missing, is not in the stacks, or has another vocabulary.
    """
    found = {table.name: (each.name, table) for each in limits for table in each.tables}
    wanted = {table.spec.name: table.spec for each in stacks for table in each.tables}
    missing = [name for name in wanted if name not in found]
    if missing:
        names = [name for name in found if name not in wanted] or list(found)
        raise LimitsMisfit(
            f"there are no limits for table {missing[0]!r}; {_nearest(missing[0], names)}", "stacks"
        )
    for name, (stack, table) in found.items():
        place = ("stacks", stack, "tables", name)
        if name not in wanted:
            raise LimitsMisfit(
                f"there are limits for table {name!r}, which the program does not have; "
                f"{_nearest(name, wanted)}",
                *place,
            )
        size = wanted[name].vocabulary_size
        if table.vocabulary_size != size:
            raise LimitsMisfit(
                f"the limits of table {name!r} are for a vocabulary_size of "
                f"{table.vocabulary_size}; the program has {size}: {_COUNT_AGAIN}",
                *place,
                "vocabulary_size",
            )


def _nearest(name: str, names: Iterable[str]) -> str:
    return suggestion(name, names) if any(True for _ in names) else "expected no tables at all"


def limits_of(stack: Stack, limits: dict[str, StackFigures]) -> StackFigures:
    """Return the limits of a stack, and check that they are for the same stack.

    Raises:
        LimitsMisfit: they are for other tables together, rotations, or a batch of another size.
    """
    names = ", ".join(table.spec.name for table in stack.tables)
    found = limits.get(stack.name)
    shifts = {table.spec.name: table.col_shift for table in stack.tables}
    if found is None or {table.name for table in found.tables} != set(shifts):
        stacks = [", ".join(table.name for table in each.tables) for each in limits.values()]
        raise LimitsMisfit(
            f"there are no limits for the stack of tables {names}, only for the stacks of "
            f"{'; '.join(stacks)}: {_COUNT_AGAIN}",
            "stacks",
        )
    for table in found.tables:
        if table.col_shift != shifts[table.name]:
            raise LimitsMisfit(
                f"the limits of table {table.name!r} are for a rotation by {table.col_shift} "
                f"partitions; the program rotates it by {shifts[table.name]}: {_COUNT_AGAIN}",
                *("stacks", stack.name, "tables", table.name, "col_shift"),
            )
    if found.batch_size != stack.batch_size:
        raise LimitsMisfit(
            f"the limits of stack {stack.name!r} are for a batch_size of {found.batch_size}; "
            f"the program has {stack.batch_size}: {_COUNT_AGAIN}",
            *("stacks", stack.name, "batch_size"),
        )
    return found
