"""Counts of ops, meshes and sharded values."""

from __future__ import annotations

from collections import Counter

import pytest

from sdykit.errors import SdykitError
from sdykit.viz.import_report.facts import Mesh, module_facts

TEXT = """
sdy.mesh @mesh = <["data"=4, "model"=2]>
sdy.mesh @one = <[], device_ids=[3]>
func.func @main(
    %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {}]>},
    %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", ?}p1, {?}]>},
    %arg2: tensor<8x8xf32> {sdy.sharding =
        #sdy.sharding<mesh<["data"=2]>, [{}, {}], replicated={"data"}>},
    %arg3: tensor<8x8xf32>)
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}) {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"data":(1)2}, {"data":(2)2}]> : tensor<8x8xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"data"}, {}]>]
      out_shardings=[<@mesh, [{"data"}, {}]>] manual_axes={"data"} (%a: tensor<2x8xf32>) {
    sdy.return %a : tensor<2x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
func.func private @helper(%arg0: tensor<f32>) -> tensor<f32> {
  return %arg0 : tensor<f32>
}
"""


def test_ops_are_counted_at_every_depth() -> None:
    facts = module_facts(TEXT)
    assert facts.ops == {
        "builtin.module": 1,
        "sdy.mesh": 2,
        "func.func": 2,
        "func.return": 2,
        "sdy.sharding_constraint": 1,
        "sdy.manual_computation": 1,
        "sdy.return": 1,
    }
    assert facts.total == 10


def test_meshes_have_their_axes_and_sizes() -> None:
    assert module_facts(TEXT).meshes == (
        Mesh("mesh", (("data", 4), ("model", 2)), 'mesh<["data"=4, "model"=2]>'),
        Mesh("one", (), "mesh<[], device_ids=[3]>"),
    )


def test_axes_count_once_for_each_value_they_shard() -> None:
    facts = module_facts(TEXT)
    assert (facts.arguments, facts.results) == (4, 1)
    assert facts.sharded == {
        "argument": Counter(data=2, model=1),
        "result": Counter(model=1),
        "constraint": Counter(data=1),
        "manual": Counter(data=1),
    }


def test_elided_constants_and_unknown_ops_can_be_read() -> None:
    text = (
        "func.func @f() -> tensor<9xf32> {\n"
        '  "my.op"() : () -> ()\n'
        "  %0 = stablehlo.constant dense_resource<__elided__> : tensor<9xf32>\n"
        "  return %0 : tensor<9xf32>\n}"
    )
    assert module_facts(text).ops["my.op"] == 1


def test_a_text_that_is_not_a_module_is_an_error() -> None:
    with pytest.raises(SdykitError, match="a stage of the report is not valid IR"):
        module_facts("func.func @f(")
