"""`-sdy-add-data-flow-edges` against the C++ pass."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.amounts import examples
from support.oracle import assert_same
from support.sdy.constraint_modules import Features, constraint_module

PASS = "sdy-add-data-flow-edges"
MESH = 'sdy.mesh @mesh = <["a"=4, "b"=2]>\n'

SEEDS = st.integers(0, 2**32 - 1)


@settings(derandomize=True, max_examples=examples(1000), deadline=None)
@given(SEEDS, st.booleans())
def test_random_modules_get_the_edges_of_the_oracle(seed: int, several_blocks: bool) -> None:
    features = Features(edges=0, several_blocks=several_blocks)
    assert_same(constraint_module(Random(seed), features), PASS)


@settings(derandomize=True, max_examples=examples(200), deadline=None)
@given(SEEDS)
def test_a_second_edge_of_an_owner_is_the_same_error(seed: int) -> None:
    assert_same(constraint_module(Random(seed), Features(edges=0.1)), PASS)


@pytest.mark.parametrize("edge", ["", "sharding=<@mesh, [{}]>", 'sharding=<@mesh, [{"b"}]>'])
def test_a_block_argument_with_an_edge_is_an_error_at_the_same_place(edge: str) -> None:
    in_sharding = '<@mesh, [{"a"}p0]>'
    assert_same(
        f"""{MESH}
        func.func @main(%arg0: tensor<16xf32>) {{
          sdy.manual_computation(%arg0, %arg0) in_shardings=[{in_sharding}, {in_sharding}]
              out_shardings=[] manual_axes={{"a"}} (%x: tensor<4xf32>,
              %y: tensor<4xf32>) {{
            %0 = sdy.data_flow_edge %x {edge} : tensor<4xf32>
            sdy.return
          }} : (tensor<16xf32>, tensor<16xf32>) -> ()
          func.return
        }}""",
        PASS,
    )


@pytest.mark.parametrize(
    "sharding",
    [
        '[{"a", "b"}, {?}]',
        '[{"a", ?}p1, {"b"}]',
        '[{"a":(1)2, "b"}, {}], replicated={"a":(2)2}',
        '[{"b"}, {}], unreduced={"a"}',
        '[{"b"}p0, {}], replicated={"a":(1)2}, unreduced={"a":(2)2}',
    ],
)
def test_a_manual_computation_sees_its_in_shardings_without_manual_axes(sharding: str) -> None:
    shape = "8x8"
    if sharding.startswith('[{"a'):
        shape = "4x8" if ":(1)2" in sharding else "2x8"
    assert_same(
        f"""{MESH}
        func.func @main(%arg0: tensor<8x8xf32>) {{
          sdy.manual_computation(%arg0) in_shardings=[<@mesh, {sharding}>] out_shardings=[]
              manual_axes={{"a"}} (%arg1: tensor<{shape}xf32>) {{
            sdy.return
          }} : (tensor<8x8xf32>) -> ()
          return
        }}""",
        PASS,
    )


@pytest.mark.parametrize(
    "kind",
    [
        "tensor<f32>",
        "tensor<0x4xf32>",
        "tensor<?xf32>",
        "tensor<*xf32>",
        "tensor<?xf32, #stablehlo.bounds<4>>",
        "!stablehlo.token",
        "tuple<tensor<8xf32>>",
        "i32",
        "none",
        "complex<f32>",
        "vector<4xf32>",
        "vector<[4]xf32>",
        "memref<4xf32>",
        '!mpmd.mesh_tensor<"m", tensor<4xf32>>',
    ],
)
def test_only_values_of_static_shape_get_an_edge(kind: str) -> None:
    assert_same(
        f"""
        func.func @main(%arg0: {kind}) -> {kind} {{
          %0 = sdy.named_computation<"name">(%arg0) (%arg1: {kind}) {{
            sdy.return %arg1 : {kind}
          }} : ({kind}) -> {kind}
          return %0 : {kind}
        }}""",
        PASS,
    )
