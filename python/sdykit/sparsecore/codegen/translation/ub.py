"""`ub.poison`, an operand that is not used: canonicalization puts it into shuffles of one vector."""

from __future__ import annotations

from sdykit.mlir import ir
from sdykit.sparsecore.codegen.emission.values import Value
from sdykit.sparsecore.codegen.translation.translator import Handler, Translator


def _poison(t: Translator, op: ir.Operation) -> None:
    t[op.results[0]] = Value(t.result_type(op), "poison")


OPS: dict[str, Handler] = {"ub.poison": _poison}
