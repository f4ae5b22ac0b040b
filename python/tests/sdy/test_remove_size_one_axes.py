"""`-sdy-remove-size-one-axes` against the C++ pass."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.amounts import examples
from support.oracle import assert_same
from support.sdy.sharded_modules import sharded_module

PASS = "sdy-remove-size-one-axes"


@settings(derandomize=True, max_examples=examples(3000), deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_random_modules_lose_axes_of_size_one_as_in_the_oracle(seed: int) -> None:
    # Without the mesh at the top nothing happens in half of the modules.
    module = sharded_module(random.Random(seed))
    assert_same(module.replace("module {", 'module {\nsdy.mesh @one = <["one"=1]>', 1), PASS)


@settings(derandomize=True, max_examples=examples(300), deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_modules_without_such_a_mesh_stay_as_in_the_oracle(seed: int) -> None:
    assert_same(sharded_module(random.Random(seed)), PASS)


@pytest.mark.parametrize(
    "sharding",
    [
        '[{"a"}]',
        '[{"a"}p1]',
        '[{"a", ?}p1]',
        '[{"x", "a"}p1]',
        '[{"y":(1)2, "a"}], replicated={"b", "y":(2)2}',
        '[{"y":(1)2, "a", "y":(2)2}]',
        '[{}], replicated={"a"}, unreduced={"b"}',
    ],
)
def test_a_sharding_loses_axes_of_size_one_as_in_the_oracle(sharding: str) -> None:
    attribute = f"sdy.sharding = #sdy.sharding_per_value<[<@m, {sharding}>]>"
    assert_same(
        f"""
        sdy.mesh @m = <["a"=1, "x"=2, "b"=1, "y"=4]>
        func.func @main(%arg0: tensor<8xf32>) {{
          %0 = stablehlo.abs %arg0 {{{attribute}}} : tensor<8xf32>
          return
        }}""",
        PASS,
    )
