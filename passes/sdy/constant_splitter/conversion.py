"""Conversion of the constants of StableHLO into those of sdy."""

from __future__ import annotations

from sdykit.core.constants import constant_named
from sdykit.mlir import ir, rewrite
from sdykit.passes.sdy.constant_splitter.ops import CONSTANT

_STABLEHLO_CONSTANT = "stablehlo.constant"


def convert_constants(module: ir.Operation) -> None:
    """Turn each `stablehlo.constant` into a `sdy.constant`, which no folding merges.

    As in C++ it is a dialect conversion, which also folds ops, and skips unreachable blocks.
    """
    patterns = rewrite.RewritePatternSet(module.context)
    patterns.add(_STABLEHLO_CONSTANT, _convert)
    target = rewrite.ConversionTarget(module.context)
    target.add_illegal_op(_STABLEHLO_CONSTANT)
    rewrite.apply_partial_conversion(module, target, patterns.freeze())


def _convert(op: ir.OpView, rewriter: rewrite.PatternRewriter) -> None:
    rewriter.replace_op(op.operation, constant_named(CONSTANT, op.operation, rewriter.ip))
