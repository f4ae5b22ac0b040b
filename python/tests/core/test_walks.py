from __future__ import annotations

import pytest

from sdykit.core import ops_named
from sdykit.mlir import ir, make_context

CONSTANT = "stablehlo.constant"
UNREACHABLE = """
    %0 = stablehlo.constant dense<0> : tensor<8xi32>
    cf.br ^end
  ^unreachable:
    %1 = stablehlo.constant dense<1> : tensor<8xi32>
    cf.br ^end
  ^end:
    func.return
"""
NESTED = """
    %0 = stablehlo.constant dense<0> : tensor<8xi32>
    %1 = sdy.named_computation<"f">(%0) (%arg0: tensor<8xi32>) {
      %2 = stablehlo.constant dense<1> : tensor<8xi32>
      sdy.return %2 : tensor<8xi32>
    } : (tensor<8xi32>) -> tensor<8xi32>
    %3 = stablehlo.constant dense<2> : tensor<8xi32>
    func.return
"""


def first_function(body: str, *, unregistered: bool = False) -> tuple[ir.Module, ir.Operation]:
    """Return a module, which must be kept, and the function in it that has the body."""
    context = make_context()
    context.allow_unregistered_dialects = unregistered
    module = ir.Module.parse(f"func.func @main() {{{body}}}", context)
    return module, module.body.operations[0].operation


def constants(ops: list[ir.Operation]) -> list[int]:
    """Return the values of the ops that are constants, and -1 for others."""
    return [
        next(iter(ir.DenseIntElementsAttr(op.attributes["value"]))) if op.name == CONSTANT else -1
        for op in ops
    ]


def test_ops_are_listed_after_those_in_their_regions():
    _module, func = first_function(NESTED)
    assert constants(ops_named(func, CONSTANT, "sdy.named_computation")) == [0, 1, -1, 2]


@pytest.mark.parametrize("below", [True, False], ids=["module", "function"])
def test_ops_in_unreachable_blocks_are_listed(below: bool):
    module, func = first_function(UNREACHABLE)
    assert constants(ops_named(module.operation if below else func, CONSTANT)) == [0, 1]


def test_ops_in_unreachable_blocks_of_an_unregistered_op_are_listed():
    region = UNREACHABLE.replace("func.return", '"test.end"() : () -> ()')
    text = f'"test.region"() ({{{region}}}) : () -> () func.return'
    _module, func = first_function(text, unregistered=True)
    assert constants(ops_named(func, CONSTANT)) == [0, 1]


@pytest.mark.parametrize("body", ["func.return", UNREACHABLE], ids=["one block", "several"])
def test_the_root_is_not_listed(body: str):
    _module, func = first_function(body)
    assert ops_named(func, "func.func") == []
