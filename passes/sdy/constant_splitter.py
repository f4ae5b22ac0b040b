"""`-sdy-constant-splitter`."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from sdykit.core import ModulePass
from sdykit.mlir import ModuleOp, ir, rewrite
from sdykit.passes.sdy._call_graph import FUNC
from sdykit.passes.sdy._constant_calls import Callees
from sdykit.passes.sdy._constant_computations import Computations, Enclosing
from sdykit.passes.sdy._constant_copies import split
from sdykit.passes.sdy._constant_graph import ConstantGraph
from sdykit.passes.sdy._constant_ops import BROADCAST, CONSTANT, IOTA, NAMED_COMPUTATION, Shape
from sdykit.passes.sdy._constant_order import ops_anywhere


@dataclass(frozen=True)
class ConstantSplitterPass(ModulePass):
    """Give each use of a constant its own copy."""

    name = "sdy-constant-splitter"

    def run(self, module: ModuleOp) -> None:
        _convert_constants(module.operation)
        computations = Computations(module)
        callees = Callees(module, computations.functions, computations.straight)
        shapes: dict[ir.Type, Shape] = {}
        leaves = _leaves_by_scope(module.operation, computations)
        for scope in computations.scopes:
            if scope not in leaves:
                continue
            constants, broadcasts = leaves[scope]
            graph = ConstantGraph(computations, shapes)
            graph.add_constants(constants)
            graph.add_expansions(broadcasts)
            split(graph, callees)


def _leaves_by_scope(module, computations):
    leaves = defaultdict(lambda: ([], []))
    enclosing = Enclosing(FUNC, NAMED_COMPUTATION)
    names = (CONSTANT, IOTA, BROADCAST, NAMED_COMPUTATION, "func.call")
    for op in ops_anywhere(module, computations.straight, *names):
        scope = enclosing.of(op)
        if op.name == BROADCAST:
            leaves[scope][1].append(op)
        elif op.name in (CONSTANT, IOTA) or not len(op.operands) and computations.are_constant(op, op.name):
            leaves[scope][0].append(op)
    return leaves


def _convert_constants(module: ir.Operation) -> None:
    """Turn each `stablehlo.constant` into a `sdy.constant`, which folding leaves alone.

    By MLIR's dialect conversion, for the sake of what it does besides: it folds ops.
    """
    patterns = rewrite.RewritePatternSet(module.context)
    patterns.add("stablehlo.constant", _convert)
    target = rewrite.ConversionTarget(module.context)
    target.add_illegal_op("stablehlo.constant")
    rewrite.apply_partial_conversion(module, target, patterns.freeze())


def _convert(op: ir.OpView, rewriter: rewrite.PatternRewriter) -> None:
    old = op.operation
    new = ir.Operation.create(
        CONSTANT,
        results=[old.results[0].type],
        attributes=dict(old.attributes.items()),
        loc=old.location,
        ip=rewriter.ip,
    )
    rewriter.replace_op(old, new)
