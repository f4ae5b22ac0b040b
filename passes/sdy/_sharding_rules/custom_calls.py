"""Rules of custom calls, by target."""

from __future__ import annotations

from typing import Final

from sdykit.core.sdy.rules import NEED_REPLICATION, PASS_THROUGH, RuleBuilder
from sdykit.mlir import ir
from sdykit.passes.sdy._sharding_rules.elementwise import elementwise
from sdykit.passes.sdy._sharding_rules.table import TARGETS, rule

QUIET: Final = frozenset(
    (
        "sdy_testonly",
        "tpu_custom_call",
        "xla_python_cpu_callback",
        "xla_python_gpu_callback",
        "xla_ffi_python_cpu_callback",
        "xla_ffi_python_gpu_callback",
    )
)
"""The targets without a rule that nothing warns of."""

_ELEMENTWISE: Final = (
    "annotate_device_placement",
    "Cholesky",
    "CompactWyHelper",
    "InspectSharding",
    "InvertDiagBlocksLowerTriangular",
    "InvertDiagBlocksUpperTriangular",
    "LayoutConstraint",
    "mhlo.erf",
    "MoveToDevice",
    "MoveToHost",
    "X64SplitHigh",
    "X64SplitLow",
    "xla.megascale.provide_metadata",
    "_SPMDInternalOp_MultiPad",
    "_SPMDInternalOp_RotateRight",
    "_SPMDInternalOp_MultiRotate",
    "_SPMDInternalOp_MultiSlice",
    "_SPMDInternalOp_Wrap",
)

rule(*_ELEMENTWISE, table=TARGETS)(elementwise)


def _is_of_random_bits(op: ir.Operation) -> bool:
    users = (use.owner.operation.name for result in op.results for use in result.uses)
    return "stablehlo.rng_bit_generator" in users


@rule("X64Combine", facts=_is_of_random_bits, table=TARGETS)
def x64_combine(op: ir.Operation, rule: RuleBuilder) -> bool | None:
    """The state of a random generator must be whole, so its halves are, too."""
    if not _is_of_random_bits(op):
        return elementwise(op, rule)
    rule.same(0, rule.results[0][0], NEED_REPLICATION, blocked=True)
    return None


def _add_batch(rule: RuleBuilder) -> tuple[int, int]:
    """Add the dimensions before the matrix; return the two of the matrix."""
    shape = rule.operands[0]
    for dim, size in enumerate(shape[:-2]):
        rule.same(dim, size)
    return len(shape) - 2, len(shape) - 1


@rule("Eigh", table=TARGETS)
def eigh(op: ir.Operation, rule: RuleBuilder) -> None:
    rows, columns = _add_batch(rule)
    shape = rule.operands[0]
    rule.add([rows], [rows, None], shape[rows])
    rule.add([columns], [columns, rows], shape[columns])


@rule("Qr", "QrDecompositionBlock", table=TARGETS)
def qr(op: ir.Operation, rule: RuleBuilder) -> None:
    rows, columns = _add_batch(rule)
    shape = rule.operands[0]
    rule.add([rows], [rows, None], shape[rows], NEED_REPLICATION)
    rule.add([columns], [columns, None], shape[columns], NEED_REPLICATION)
    rule.add([None], [None, rows], rule.results[1][rows], NEED_REPLICATION)


@rule("ProductOfElementaryHouseholderReflectors", table=TARGETS)
def householder_product(op: ir.Operation, rule: RuleBuilder) -> None:
    rows, columns = _add_batch(rule)
    shape, scales = rule.operands
    rule.add([rows, None], [rows], shape[rows], NEED_REPLICATION)
    rule.add([columns, None], [columns], shape[columns], NEED_REPLICATION)
    rule.add([None, rows], [None], scales[rows], NEED_REPLICATION)


@rule("mhlo.topk", table=TARGETS)
def topk(op: ir.Operation, rule: RuleBuilder) -> None:
    for dim, (size, after) in enumerate(zip(rule.operands[0], rule.results[0], strict=True)):
        kind = PASS_THROUGH if size == after else NEED_REPLICATION
        rule.same(dim, size, kind, blocked=size != after)


@rule("ApproxTopK", "PartialReduce", table=TARGETS)
def approximate_topk(op: ir.Operation, rule: RuleBuilder) -> None:
    """The operands are values, indices, and two initial values."""
    for dim, (size, after) in enumerate(zip(rule.operands[0], rule.results[0], strict=True)):
        if size == after:
            rule.same(dim, size)
            continue
        scalars = [None] * (len(rule.operands) - 2)
        rule.add([dim, dim, *scalars], [None, None], size)
        nowhere = [None] * len(rule.operands)
        rule.add(nowhere, [dim, dim], after, NEED_REPLICATION, blocked=True)
