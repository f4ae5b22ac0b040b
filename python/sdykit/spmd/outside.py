"""Ops that need something outside of their program."""

from __future__ import annotations

from sdykit.mlir import ir

_COMMUNICATION = {"stablehlo.infeed", "stablehlo.outfeed", "stablehlo.recv", "stablehlo.send"}


def need_of_outside(op: ir.Operation) -> str | None:
    """Return why an op cannot be run without what is outside of its program; None if it can."""
    if op.name in _COMMUNICATION:
        return (
            f"'{op.name}' op communicates with something outside of the program; leave it out to"
            " run the program"
        )
    if _is_python_callback(op):
        return (
            "the op calls a Python function of the process that lowered the program; leave out"
            " callbacks such as jax.debug.print"
        )
    return None


def _is_python_callback(op: ir.Operation) -> bool:
    """Return whether an op calls Python: XLA would use its number as an address, and crash."""
    if op.name != "stablehlo.custom_call":
        return False
    target = ir.StringAttr(op.attributes["call_target_name"]).value
    return "python" in target and "callback" in target
