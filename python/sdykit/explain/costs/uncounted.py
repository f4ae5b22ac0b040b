"""Ops for which devices exchange data without a collective in the program: the partitioner's own work.

The passes leave two kinds of ops as they are. One works along a divided dimension and needs what its
neighbours have: a factor of kind permutation, as in a convolution, or a `dynamic_update_slice`. Of the
other no rule is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sdykit.core.diagnostics import sent_to
from sdykit.dialects import sdy
from sdykit.explain.costs.model import Uncounted
from sdykit.explain.costs.numbering import op_number, tensor_number
from sdykit.explain.costs.program import RESHARDING, PartitionedProgram
from sdykit.explain.costs.sentences import source_of_op
from sdykit.explain.costs.written import WRITTEN
from sdykit.explain.questions.axes import axes_of
from sdykit.mlir import ir
from sdykit.passes.sdy._sharding_rules import ShardingRules
from sdykit.passes.sdy._value_shardings import DATA_FLOW_OPS

_STRUCTURE = DATA_FLOW_OPS | frozenset(
    ("func.call", "func.return", "sdy.return", "stablehlo.return", "stablehlo.get_tuple_element")
)
"""Ops that only pass values on."""


def uncounted_ops(program: PartitionedProgram) -> Iterator[Uncounted]:
    """Yield the ops whose exchange of data is not counted, in the order of the program."""
    rules = ShardingRules()
    ops: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name not in RESHARDING and op.name not in WRITTEN and op.name not in _STRUCTURE:
            ops.append(op)
        return ir.WalkResult.ADVANCE

    program.module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    for op in ops:
        number = op_number(op)
        if number is not None and op.operands:
            # Propagation has warned of ops without rules.
            with sent_to(lambda _: None):
                rule = rules.of(op)
            found = _without_rule(program, op) if rule is None else _exchanged(program, op, rule)
            if found is not None:
                value, dimension, axes = found
                yield Uncounted(
                    number,
                    axes,
                    tensor_number(program.chain_start(value), program.explanation),
                    dimension,
                    source_of_op(program.explanation, number),
                )


_Found = tuple[ir.Value, int | None, tuple[str, ...]]


def _exchanged(
    program: PartitionedProgram, op: ir.Operation, rule: sdy.OpShardingRuleAttr
) -> _Found | None:
    """Return a tensor, and its dimension, that an op works along in parts that need their neighbours."""
    factors = set(rule.permutation_factors) | _updated_in_part(op, rule)
    if not factors:
        return None
    values: Sequence[ir.Value] = [*op.operands, *op.results]
    mappings = (*rule.operand_mappings, *rule.result_mappings)
    for value, mapping in zip(values, mappings, strict=True):
        sharding = program.sharding(value)
        dims = () if sharding is None else sharding.dims
        for at, (dim, of_dim) in enumerate(zip(dims, mapping.dim_mappings, strict=False)):
            if dim.axes and not factors.isdisjoint(of_dim.factor_indices):
                return value, at, dim.axes
    return None


def _updated_in_part(op: ir.Operation, rule: sdy.OpShardingRuleAttr) -> set[int]:
    """Return the factors of the dimensions that a `dynamic_update_slice` does not update wholly."""
    if op.name != "stablehlo.dynamic_update_slice":
        return set()
    whole, update = rule.operand_mappings[:2]
    pairs = zip(whole.dim_mappings, update.dim_mappings, strict=True)
    factors = [one.factor_indices for one, other in pairs if one != other]
    return {factor for each in factors for factor in each}


def _without_rule(program: PartitionedProgram, op: ir.Operation) -> _Found | None:
    """Return the first operand that is divided, of an op that nothing is known of."""
    for value in op.operands:
        axes = tuple(axes_of(program.sharding(value)))
        if axes:
            return value, None, axes
    return None
