"""`-sdy-lift-inlined-meshes` against the C++ pass."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.amounts import examples
from support.oracle import assert_same, ours
from support.sdy.sharded_modules import sharded_module, with_nested_module

PASS = "sdy-lift-inlined-meshes"
SEEDS = st.integers(0, 2**32 - 1)


@settings(derandomize=True, max_examples=examples(1000), deadline=None)
@given(SEEDS)
def test_random_modules_get_the_meshes_of_the_oracle(seed: int) -> None:
    assert_same(sharded_module(random.Random(seed)), PASS)


@settings(derandomize=True, max_examples=examples(300), deadline=None)
@given(SEEDS)
def test_nested_modules_get_the_meshes_of_the_oracle(seed: int) -> None:
    assert_same(with_nested_module(random.Random(seed)), PASS)


@settings(derandomize=True, max_examples=examples(150), deadline=None)
@given(SEEDS)
def test_a_second_run_is_as_in_the_oracle(seed: int) -> None:
    # The second run merges what replica groups got in the first.
    module = sharded_module(random.Random(seed))
    once = ours(module, PASS).text
    if once is not None:
        assert_same(once, PASS)


FUNC = "func.func @main(%a: tensor<8xf32>) {{\n{}\nreturn }}"
GATHER = (
    '"stablehlo.all_gather"(%a) {{all_gather_dim = 0 : i64, replica_groups ='
    " #stablehlo.replica_group_mesh_axes<mesh = {}, axes = []>}} : (tensor<8xf32>)"
    " -> tensor<16xf32>"
)


@pytest.mark.parametrize(
    "module",
    [
        "",
        'sdy.mesh @"\\FF" = <["x"=2]> sdy.mesh @n = <["x"=2]>',
        'sdy.mesh @m = <["\\FF"=2]>',
        'sdy.mesh @"a\\22 \\C3\\A4" = <["\\C3\\A4"=2]> sdy.mesh @n = <["\\C3\\A4"=2]>',
        FUNC.format(GATHER.format('#stablehlo.mesh<axes=[#stablehlo.mesh_axis<name="", size=1>]>')),
        FUNC.format(GATHER.format("@m")) + ' sdy.mesh @n = <["x"=2]> sdy.mesh @m = <["x"=2]>',
        'module attributes {foo.x = #sdy.sharding<mesh<["x"=2]>, []>} {}',
    ],
)
def test_names_that_need_quotes_and_empty_modules_are_as_in_the_oracle(module: str) -> None:
    assert_same(module, PASS)


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ('<name = "x", size = 0>', "size of mesh axis 'x' is 0, not positive"),
        ('<name = "x", size = 2>, <name = "x", size = 2>', "mesh has more than one axis 'x'"),
    ],
)
def test_replica_groups_of_an_invalid_mesh_are_an_error(axes: str, message: str) -> None:
    # The C++ pass makes a `sdy.mesh` that cannot be read back.
    module = FUNC.format(GATHER.format(f"#stablehlo.mesh<axes = [{axes}]>"))
    (error,) = ours(module, PASS).errors
    assert error == f"-:2:1: error: 'stablehlo.all_gather' op replica_groups: {message}"
