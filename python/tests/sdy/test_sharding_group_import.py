"""`-sdy-sharding-group-import` against the C++ pass."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from support.amounts import examples
from support.oracle import assert_same
from support.sdy.constraint_modules import Features, constraint_module

PASS = "sdy-sharding-group-import"

SEEDS = st.integers(0, 2**32 - 1)


@settings(derandomize=True, max_examples=examples(800), deadline=None)
@given(SEEDS)
def test_random_modules_get_the_groups_of_the_oracle(seed: int) -> None:
    assert_same(constraint_module(Random(seed), Features(groups=True)), PASS)


MEMBERS = st.tuples(st.integers(0, 5), st.integers(-3, 12))


@settings(derandomize=True, max_examples=examples(1000), deadline=None)
@given(st.lists(MEMBERS, min_size=1, max_size=16))
def test_groups_that_share_a_value_are_united_as_by_the_oracle(
    members: list[tuple[int, int]],
) -> None:
    ops = [f"sdy.sharding_group %arg{v} group_id={group} : tensor<f32>" for v, group in members]
    arguments = ", ".join(f"%arg{v}: tensor<f32>" for v in range(6))
    body = "\n".join(ops)
    assert_same(f"func.func @main({arguments}) {{\n{body}\nreturn\n}}", PASS)


def test_a_long_chain_of_groups_is_united() -> None:
    """It takes neither quadratic time nor a recursion of that depth."""
    number = 3000
    ops = [
        f"sdy.sharding_group %arg{v} group_id={group} : tensor<f32>"
        for v in range(number)
        for group in (v + 1, v)
    ]
    arguments = ", ".join(f"%arg{v}: tensor<f32>" for v in range(number))
    body = "\n".join(ops)
    assert_same(f"func.func @main({arguments}) {{\n{body}\nreturn\n}}", PASS)
