"""`-sdy-apply-sharding-constraints` against the C++ pass, and where that crashes."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.amounts import examples
from support.comparison import Comparison
from support.oracle import assert_same, oracle, ours
from support.sdy.constraint_modules import Features, constraint_module

PASS = "sdy-apply-sharding-constraints"
EDGES = "sdy-add-data-flow-edges"
MESH = 'sdy.mesh @mesh = <["a"=4, "b"=2]>\n'

SEEDS = st.integers(0, 2**32 - 1)


@settings(derandomize=True, max_examples=examples(1200), deadline=None)
@given(SEEDS, st.sampled_from([0.0, 0.5, 1.0]))
def test_random_modules_get_the_shardings_of_the_oracle(seed: int, edges: float) -> None:
    assert_same(constraint_module(Random(seed), Features(edges=edges)), PASS)


@settings(derandomize=True, max_examples=examples(300), deadline=None)
@given(SEEDS)
def test_functions_of_several_blocks_are_as_in_the_oracle(seed: int) -> None:
    assert_same(constraint_module(Random(seed), Features(several_blocks=True)), PASS)


@settings(derandomize=True, max_examples=examples(400), deadline=None)
@given(SEEDS)
def test_steps_of_a_second_run_are_numbered_after_the_first(seed: int) -> None:
    pipeline = f"{PASS}{{debug-propagation-edge-sharding=true}}"
    assert_same(constraint_module(Random(seed)), f"{pipeline},{pipeline}")


def test_origins_are_those_of_the_oracle() -> None:
    """The C++ pass needs an edge for each manual computation, and crashes on some modules."""
    options = "debug-sharding-origins=true debug-propagation-edge-sharding=true"
    features = Features(edges=0, priorities=False, shapeless=False)
    with Comparison((f"{EDGES},{PASS}{{{options}}}", f"{PASS}{{{options}}}")) as comparison:
        for seed in range(400):
            module = constraint_module(Random(seed), features)
            with_edges = oracle(module, EDGES).text
            assert with_edges is not None
            comparison.check(with_edges)
        assert comparison.outcomes > 250


NESTED_REGIONS = """
    func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> tensor<8xf32> {{
      %0 = "stablehlo.case"(%arg1) ({{
        %1 = sdy.sharding_constraint %arg0 {first} : tensor<8xf32>
        %2 = sdy.sharding_constraint %1 {second} : tensor<8xf32>
        %3 = stablehlo.negate %arg0 : tensor<8xf32>
        stablehlo.return %3 : tensor<8xf32>
      }}, {{
        %1 = sdy.sharding_constraint %arg0 {third} : tensor<8xf32>
        stablehlo.return %1 : tensor<8xf32>
      }}) : (tensor<i32>) -> tensor<8xf32>
      %4 = stablehlo.negate %arg0 : tensor<8xf32>
      return %0 : tensor<8xf32>
    }}"""
CONSTRAINTS = ['<@mesh, [{"a"}]>', '<@mesh, [{"b"}]>', '<@mesh, [{"a", ?}]>']


@pytest.mark.parametrize("first", CONSTRAINTS)
@pytest.mark.parametrize("second", CONSTRAINTS)
@pytest.mark.parametrize("third", CONSTRAINTS)
def test_constraints_in_regions_demand_shardings_of_outer_values(
    first: str, second: str, third: str
) -> None:
    assert_same(MESH + NESTED_REGIONS.format(first=first, second=second, third=third), PASS)


def test_constraints_in_unreachable_blocks_are_applied() -> None:
    assert_same(
        MESH
        + """
        func.func @main(%arg0: tensor<8xf32>) {
          return
        ^bb1:
          %0 = stablehlo.negate %arg0 : tensor<8xf32>
          %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}]> : tensor<8xf32>
          return
        }""",
        PASS,
    )


def _text(module: str, options: str = "") -> str:
    outcome = ours(module, PASS + options)
    assert outcome.text is not None, outcome.errors
    return outcome.text


def test_the_index_of_an_iteration_gets_no_sharding() -> None:
    """It is not a target of an edge; the C++ pass treats it as one."""
    text = _text(
        MESH
        + """
        func.func @main(%arg0: tensor<8xf32>) {
          %0 = mpmd.for (%arg0) {iterations = 2 : ui32, unroll_factor = 2 : ui32}
              (%arg1: tensor<8xf32>, %index: tensor<ui32>) {
            %1 = sdy.sharding_constraint %index <@mesh, []> : tensor<ui32>
            mpmd.return %arg1 : tensor<8xf32>
          } : tensor<8xf32>
          return
        }"""
    )
    assert "sdy.sharding = " not in text
    assert "sdy.sharding_rule" not in text


@pytest.mark.parametrize("options", ["", "{debug-sharding-origins=true}"])
def test_a_block_argument_beyond_the_function_arguments_gets_no_sharding(options: str) -> None:
    text = _text(
        MESH
        + """
        func.func @main(%arg0: tensor<8xf32>) {
          cf.br ^bb1(%arg0, %arg0 : tensor<8xf32>, tensor<8xf32>)
        ^bb1(%0: tensor<8xf32>, %1: tensor<8xf32>):
          %2 = sdy.sharding_constraint %1 <@mesh, [{"a"}]> : tensor<8xf32>
          return
        }""",
        options,
    )
    assert "sdy.sharding = " not in text


def test_a_sharding_with_an_inlined_mesh_is_applied() -> None:
    """The C++ pass reads the name of the mesh, which there is not."""
    module = """
        func.func @main(%arg0: tensor<8xf32>) {
          %0 = sdy.sharding_constraint %arg0 <mesh<["a"=2]>, [{"a"}]> : tensor<8xf32>
          return
        }"""
    assert '%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["a"=2]>, [{"a"}]>}' in _text(
        module
    )


ORIGINS = "{debug-sharding-origins=true}"


def test_a_declaration_has_no_origins() -> None:
    sharding = 'tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}'
    text = _text(f"{MESH}func.func private @f({sharding}) -> ({sharding})", ORIGINS)
    assert "sharding_origins" not in text


def test_a_manual_computation_without_edges_gets_a_name_but_no_origins() -> None:
    """Its origins are attributes of the edges."""
    text = _text(
        MESH
        + """
        func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
          %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}]>]
              out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%arg1: tensor<2xf32>) {
            sdy.return %arg1 : tensor<2xf32>
          } : (tensor<8xf32>) -> tensor<8xf32>
          return %0 : tensor<8xf32>
        }""",
        ORIGINS,
    )
    assert 'sdy.sharding_origin_name = "mc_0"' in text
    assert "sharding_origins" not in text


def test_outputs_that_the_first_block_does_not_return_have_no_origins() -> None:
    text = _text(
        MESH
        + """
        func.func @main(%arg0: tensor<8xf32>)
            -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
          cf.br ^bb1(%arg0 : tensor<8xf32>)
        ^bb1(%0: tensor<8xf32>):
          return %0 : tensor<8xf32>
        }""",
        ORIGINS,
    )
    assert "sharding_origins" not in text


def test_a_list_of_origins_of_the_wrong_length_is_replaced() -> None:
    text = _text(
        MESH
        + """
        func.func @main() {
          %0:2 = "test.op"() {sdy.sharding_origins = [{}]} : () -> (tensor<8xf32>, tensor<8xf32>)
          %1 = sdy.sharding_constraint %0#1 <@mesh, [{"a"}]> : tensor<8xf32>
          return
        }""",
        ORIGINS,
    )
    assert 'sdy.sharding_origins = [{}, {a = "constraint_0"}]' in text
