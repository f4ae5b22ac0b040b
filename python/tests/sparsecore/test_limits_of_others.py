"""Limits of another program: each difference is an error that names it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.limits import Limits, StackFigures, TableFigures
from sdykit.sparsecore.specs import FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import stack

SYSTEM = System(num_devices=2, sparse_cores_per_device=2)
USER = TableSpec("user", 100, 8)
ITEM = TableSpec("item", 50, 8)
CITY = TableSpec("city", 10, 16)
MORE = TableFigures("citi", 10, 0)
STACKS = stack([FeatureSpec(each.name, each, 4) for each in (USER, ITEM, CITY)], SYSTEM)

Change = Callable[[StackFigures], StackFigures]


def limits(**changes: Change) -> Limits:
    """Return limits of `STACKS`, with changes of the stacks that are named."""
    tables = (TableFigures("user", 100, 0), TableFigures("item", 50, 2))
    both = StackFigures("user_item", 8, (3,) * 4, (2,) * 4, 64, tables)
    city = StackFigures("city", 4, (3,) * 4, (2,) * 4, 64, (TableFigures("city", 10, 0),))
    figures = [changes.get(each.name, lambda same: same)(each) for each in (both, city)]
    return Limits(SYSTEM, tuple(figures))


def renamed(old: str, new: str) -> Change:
    return with_tables(
        lambda table: dataclasses.replace(table, name=new) if table.name == old else table
    )


def with_tables(change: Callable[[TableFigures], TableFigures]) -> Change:
    return lambda figures: dataclasses.replace(
        figures, tables=tuple(change(table) for table in figures.tables)
    )


def of_item(**changes: int) -> Change:
    return with_tables(
        lambda table: dataclasses.replace(table, **changes) if table.name == "item" else table
    )


def test_limits_of_the_program_are_applied() -> None:
    assert [each.max_ids_per_partition for each in limits().applied(STACKS, SYSTEM)] == [3, 3]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            limits(user_item=renamed("item", "items")),
            "there are no limits for table 'item'; did you mean 'items'?",
        ),
        (
            Limits(SYSTEM, limits().stacks[:1]),
            "there are no limits for table 'city'; expected one of user, item",
        ),
        (
            Limits(SYSTEM, ()),
            "there are no limits for table 'user'; expected no tables at all",
        ),
        (
            limits(city=lambda old: dataclasses.replace(old, tables=(*old.tables, MORE))),
            "there are limits for table 'citi', which the program does not have; "
            "did you mean 'city'?",
        ),
        (
            limits(user_item=of_item(vocabulary_size=51)),
            "the limits of table 'item' are for a vocabulary_size of 51; the program has 50: "
            "count the limits of this program",
        ),
        (
            limits(user_item=of_item(col_shift=1)),
            "the limits of table 'item' are for a rotation by 1 partitions; "
            "the program rotates it by 2: count the limits of this program",
        ),
        (
            limits(user_item=lambda old: dataclasses.replace(old, batch_size=16)),
            "the limits of stack 'user_item' are for a batch_size of 16; the program has 8: "
            "count the limits of this program",
        ),
        (
            Limits(System(1, 4), limits().stacks),
            "the limits are for 1 device of 4 SparseCores; the program runs on 2 devices of 2 "
            "SparseCores: count the limits of this program",
        ),
    ],
)
def test_limits_of_another_program_are_an_error(given: Limits, message: str) -> None:
    with pytest.raises(SparseCoreError) as raised:
        given.applied(STACKS, SYSTEM)
    assert str(raised.value) == message


def test_limits_of_other_stacks_of_the_same_tables_are_an_error() -> None:
    alone = stack([feature.spec for each in STACKS for feature in each.features], SYSTEM, True)
    with pytest.raises(SparseCoreError) as raised:
        limits().applied(alone, SYSTEM)
    assert str(raised.value) == (
        "there are no limits for the stack of tables user, only for the stacks of "
        "user, item; city: count the limits of this program"
    )
