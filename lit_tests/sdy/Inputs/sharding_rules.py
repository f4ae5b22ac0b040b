"""Sharding rules of a custom call and of an op of another dialect."""

from sdykit.core import RuleBuilder, sharding_rule
from sdykit.mlir import ir


@sharding_rule("last_softmax")
def last_softmax(op: ir.Operation, rule: RuleBuilder) -> None:
    *batch, last = rule.results[0]
    for dim, size in enumerate(batch):
        rule.same(dim, size)
    rule.same(len(batch), last, "need_replication")


@sharding_rule("test.outer")
def outer(op: ir.Operation, rule: RuleBuilder) -> None:
    (rows,), (columns,) = rule.operands
    rule.add([0, None], [0], rows)
    rule.add([None, 0], [1], columns)


@sharding_rule("bad_dim")
def bad_dim(op: ir.Operation, rule: RuleBuilder) -> None:
    rule.same(7, 8)
