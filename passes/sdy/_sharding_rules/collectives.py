"""Rules of collectives of StableHLO: the dimension that devices exchange must be whole."""

from __future__ import annotations

from sdykit.core.sdy.rules import NEED_REPLICATION, RuleBuilder
from sdykit.mlir import ir
from sdykit.passes.sdy._sharding_rules.table import integer, rule


def _add_exchanged(rule: RuleBuilder, dim: int) -> None:
    """Add factors to a dimension of the operands and of the results, which do not correspond."""
    operands, results = [dim] * len(rule.operands), [dim] * len(rule.results)
    nowhere = [None] * len(operands), [None] * len(results)
    rule.add(operands, nowhere[1], rule.operands[0][dim], NEED_REPLICATION)
    rule.add(nowhere[0], results, rule.results[0][dim], NEED_REPLICATION)


@rule("stablehlo.all_gather", reads=["all_gather_dim"])
def all_gather(op: ir.Operation, rule: RuleBuilder) -> None:
    _gathered(rule, integer(op, "all_gather_dim"))


@rule("stablehlo.reduce_scatter", reads=["scatter_dimension"])
def reduce_scatter(op: ir.Operation, rule: RuleBuilder) -> None:
    _gathered(rule, integer(op, "scatter_dimension"))


def _gathered(rule: RuleBuilder, exchanged: int) -> None:
    for dim, size in enumerate(rule.results[0]):
        if dim != exchanged:
            rule.same(dim, size)
    _add_exchanged(rule, exchanged)


@rule("stablehlo.all_to_all", reads=["split_dimension", "concat_dimension"])
def all_to_all(op: ir.Operation, rule: RuleBuilder) -> None:
    exchanged = dict.fromkeys((integer(op, "split_dimension"), integer(op, "concat_dimension")))
    for dim, size in enumerate(rule.results[0]):
        if dim not in exchanged:
            rule.same(dim, size)
    for dim in exchanged:
        _add_exchanged(rule, dim)
