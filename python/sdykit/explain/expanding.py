"""Replaces ops of CHLO, which have no sharding rules, as XLA does before it propagates shardings."""

from __future__ import annotations

from sdykit.core import ops_named
from sdykit.mlir import ir, passmanager, register_cpp_passes

PREFIX = "chlo."
_PASSES = "builtin.module(func.func(chlo-legalize-to-high-level-mhlo,chlo-legalize-to-stablehlo))"
"""What XLA runs on a program that it compiles."""
_TOP_K = "mhlo.topk"


def expand_chlo(module: ir.Module) -> None:
    """Replace the ops of CHLO in a module by those that XLA propagates shardings through.

    All become ops of StableHLO but two: `chlo.erf` becomes `mhlo.erf`, which has no rule in XLA
    either, and `chlo.top_k` a custom call of `mhlo.topk`, which has the rule that XLA adds to
    Shardy's for its op of that name.
    """
    register_cpp_passes()
    passmanager.PassManager.parse(_PASSES, module.context).run(module.operation)
    for op in ops_named(module.operation, _TOP_K):
        with ir.InsertionPoint(op), op.location:
            call = ir.Operation.create(
                "stablehlo.custom_call",
                results=[result.type for result in op.results],
                operands=list(op.operands),
                attributes={"call_target_name": ir.StringAttr.get(_TOP_K)},
            )
        for old, new in zip(op.results, call.results, strict=True):
            old.replace_all_uses_with(new)
        op.erase()
