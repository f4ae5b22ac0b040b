"""Every op that has a sharding rule: on parts as its shardings say, or with a note that it is not."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest

from sdykit import spmd
from sdykit.core import functions_of
from sdykit.core.diagnostics import sent_to
from sdykit.mlir import ModuleOp, ir, make_context
from sdykit.passes.sdy._sharding_rules.finding import RULES
from sdykit.spmd.local.layouts import Layouts, shape_of
from support.spmd.sharded_ops import inputs_of, kinds, ops_of, sharded_ops

OWN = ("sdy.sharding_constraint", "stablehlo.dynamic_slice")
"""One is not an op of a device, and of a tensor without dimensions the other is none either."""
ELSEWHERE = {
    "mpmd.transfer",
    *(f"stablehlo.{name}" for name in ("all_gather", "all_reduce", "all_to_all")),
    *(f"stablehlo.{name}" for name in ("collective_broadcast", "collective_permute")),
    *(f"stablehlo.{name}" for name in ("cross-replica-sum", "reduce_scatter")),
}
"""Ops between meshes, and ops of manual computations, which have tests of their own."""


@pytest.mark.parametrize("kind", kinds())
def test_devices_compute_what_one_device_does(kind: str) -> None:
    text = sharded_ops(len(kind), list(ops_of(kind).values()))
    with sent_to(lambda _: None):
        found = spmd.check(text, inputs_of(text, 0), collectives="implicit")
    assert found.is_equal, found


def test_no_op_with_a_rule_is_left_out() -> None:
    assert {name for kind in kinds() for name in ops_of(kind)} == set(RULES) - ELSEWHERE


@pytest.mark.parametrize("kind", kinds())
def test_what_is_not_run_on_parts_is_told(kind: str) -> None:
    """Without a note, each device computes the parts that the shardings of the results name."""
    for seed in range(8):
        text = sharded_ops(seed, [kind])
        with sent_to(lambda _: None):
            program = spmd.partition(text, collectives="implicit")
        name, wanted = declared(text)
        if program.notes or name in OWN:
            continue
        assert wanted in computed(program.text, name), text


Shapes = list[tuple[int, ...]]


def declared(text: str) -> tuple[str, Shapes]:
    """Return the name of the last op of `@main`, and the shapes that its results have on a device."""
    module = ir.Module.parse(text, make_context())
    op = ops_of_main(module)[-2]
    with module.context:
        layouts = Layouts(cast("ModuleOp", module.operation.opview), ignores_shardings=False)
        return op.name, [layouts.of(each).local(shape_of(each)) for each in op.results]


def computed(text: str, name: str) -> list[Shapes]:
    """Return the shapes of the results of each op of a name in `@main`."""
    module = ir.Module.parse(text, make_context())
    ops = [op for op in ops_of_main(module) if op.name == name]
    return [[shape_of(each) for each in op.results] for op in ops]


def ops_of_main(module: ir.Module) -> list[ir.Operation]:
    functions = functions_of(cast("ModuleOp", module.operation.opview))
    return [each.operation for each in functions["main"].regions[0].blocks[0].operations]


X = np.arange(4, dtype=np.float32)
BRANCHES = """({ stablehlo.return %x : tensor<4xf32> }, {
    %n = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %n : tensor<4xf32>
  })"""
WITHOUT_RULE = {
    "token": (
        "%t = stablehlo.create_token : !stablehlo.token\n"
        "  %u = stablehlo.after_all %t, %t : !stablehlo.token\n  %r = stablehlo.abs %x : tensor<4xf32>",
        X,
    ),
    "tuple": (
        "%t = stablehlo.tuple %x, %x : tuple<tensor<4xf32>, tensor<4xf32>>\n"
        "  %r = stablehlo.get_tuple_element %t[1]"
        " : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>",
        X,
    ),
    "optimization_barrier": ("%r = stablehlo.optimization_barrier %x : tensor<4xf32>", X),
    "propagation_barrier": (
        "%r = sdy.propagation_barrier %x allowed_direction=NONE : tensor<4xf32>",
        X,
    ),
    "sharding_group": (
        "sdy.sharding_group %x group_id=1 : tensor<4xf32>\n  %r = stablehlo.abs %x : tensor<4xf32>",
        X,
    ),
    "case": (
        "%c = stablehlo.constant dense<1> : tensor<i32>\n"
        f'  %r = "stablehlo.case"(%c) {BRANCHES} : (tensor<i32>) -> tensor<4xf32>',
        -X,
    ),
    "if": (
        "%c = stablehlo.constant dense<false> : tensor<i1>\n"
        f'  %r = "stablehlo.if"(%c) {BRANCHES} : (tensor<i1>) -> tensor<4xf32>',
        -X,
    ),
    "map": (
        """%r = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    %n = stablehlo.negate %a : tensor<f32>
    stablehlo.return %n : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>""",
        -X,
    ),
    "composite": (
        '%r = stablehlo.composite "my.op" %x {decomposition = @negate}'
        " : (tensor<4xf32>) -> tensor<4xf32>",
        -X,
    ),
}


@pytest.mark.parametrize(("body", "expected"), WITHOUT_RULE.values(), ids=WITHOUT_RULE)
def test_ops_without_a_rule(body: str, expected: np.ndarray) -> None:
    text = f"""sdy.mesh @mesh = <["a"=2]>
func.func @main(%x: tensor<4xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"a"}}]>}}) -> tensor<4xf32> {{
  {body}
  return %r : tensor<4xf32>
}}
func.func private @negate(%a: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = stablehlo.negate %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}}"""
    with sent_to(lambda _: None):
        (found,) = spmd.run(text, [X], "main", collectives="implicit")
    np.testing.assert_array_equal(found, expected)
