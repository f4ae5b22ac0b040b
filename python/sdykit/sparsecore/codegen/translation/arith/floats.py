"""`arith` on floats, and its casts from and to them. Element-wise on vectors."""

from __future__ import annotations

from sdykit.mlir import ir
from sdykit.sparsecore.codegen.emission.bfloat16 import (
    float_from_double,
    without_double_rounding,
)
from sdykit.sparsecore.codegen.emission.emitter import Emitter
from sdykit.sparsecore.codegen.emission.floats import (
    Compute,
    in_float32,
    instruction,
    intrinsic,
    with_flags,
)
from sdykit.sparsecore.codegen.emission.narrow_floats import narrow, widen
from sdykit.sparsecore.codegen.emission.types import F32, F64, Type
from sdykit.sparsecore.codegen.emission.values import Value
from sdykit.sparsecore.codegen.translation.located_errors import error_of
from sdykit.sparsecore.codegen.translation.op_attributes import instruction_flags, integer
from sdykit.sparsecore.codegen.translation.translator import Handler, Translator

_INSTRUCTIONS = {
    "addf": "fadd",
    "divf": "fdiv",
    "mulf": "fmul",
    "remf": "frem",
    "subf": "fsub",
}
_INTRINSICS = {
    "maximumf": "maximum",
    "maxnumf": "maxnum",
    "minimumf": "minimum",
    "minnumf": "minnum",
}
_ROUNDING_MODES = (
    "to_nearest_even",
    "downward",
    "upward",
    "toward_zero",
    "to_nearest_away",
)
"""The rounding modes in the order of MLIR's enumeration."""


def float_op(compute: Compute) -> Handler:
    """Return the translation of an op whose operands and result have one float type."""

    def translate(t: Translator, op: ir.Operation) -> None:
        t[op.results[0]] = in_float32(t.emitter, instruction_flags(op), t.values(op), compute)

    return translate


def _negate(t: Translator, op: ir.Operation) -> None:
    def compute(e: Emitter, flags: str, values: list[Value]) -> str:
        return e.set(f"{with_flags('fneg', flags)} {values[0].operand}")

    t[op.results[0]] = in_float32(t.emitter, instruction_flags(op), t.values(op), compute)


def _extend(t: Translator, op: ir.Operation) -> None:
    (value,), to = t.values(op), t.result_type(op)
    flags = instruction_flags(op)
    if value.type.element.is_narrow_float:
        value = widen(t.emitter, value)
    if to.element.is_narrow_float:
        t[op.results[0]] = narrow(t.emitter, value, to)
        return
    if value.type == to:
        t[op.results[0]] = value
        return
    t.set_result(op, t.emitter.set(f"{with_flags('fpext', flags)} {value.operand} to {to.llvm}"))


def _truncate(t: Translator, op: ir.Operation) -> None:
    (value,), to = t.values(op), t.result_type(op)
    mode = _ROUNDING_MODES[integer(op, "roundingmode")]
    if mode != _ROUNDING_MODES[0]:
        raise error_of(op, f"rounding mode is '{mode}'; expected '{_ROUNDING_MODES[0]}'")
    if not to.element.is_narrow_float:
        words = with_flags("fptrunc", instruction_flags(op))
        t.set_result(op, t.emitter.set(f"{words} {value.operand} to {to.llvm}"))
        return
    if value.type.element.is_narrow_float:
        value = widen(t.emitter, value)
    t[op.results[0]] = _to_narrow(t.emitter, value, to)


def _to_integer(opcode: str) -> Handler:
    def translate(t: Translator, op: ir.Operation) -> None:
        (value,), to = t.values(op), t.result_type(op)
        if value.type.element.is_narrow_float:
            value = widen(t.emitter, value)
        t.set_result(op, t.emitter.set(f"{opcode} {value.operand} to {to.llvm}"))

    return translate


def _from_integer(opcode: str) -> Handler:
    def translate(t: Translator, op: ir.Operation) -> None:
        (value,), to = t.values(op), t.result_type(op)
        if not to.element.is_narrow_float:
            t.set_result(op, t.emitter.set(f"{opcode} {value.operand} to {to.llvm}"))
            return
        bits = value.type.element.bits
        if bits == 64:
            value = without_double_rounding(t.emitter, value, signed=opcode == "sitofp")
        # A float32 holds integers of 16 bits, a float64 those of 32 and more.
        exact = to.of(F32 if bits <= 16 else F64)
        number = Value(exact, t.emitter.set(f"{opcode} {value.operand} to {exact.llvm}"))
        t[op.results[0]] = _to_narrow(t.emitter, number, to)

    return translate


def _to_narrow(e: Emitter, number: Value, to: Type) -> Value:
    if number.type.element is F64:
        number = float_from_double(e, number)
    return narrow(e, number, to)


def bitcast(t: Translator, op: ir.Operation) -> None:
    """Translate `arith.bitcast` or `vector.bitcast`."""
    (value,), to = t.values(op), t.result_type(op)
    if value.type.llvm == to.llvm:
        t[op.results[0]] = Value(to, value.text)
        return
    t.set_result(op, t.emitter.set(f"bitcast {value.operand} to {to.llvm}"))


OPS: dict[str, Handler] = {
    **{f"arith.{name}": float_op(instruction(opcode)) for name, opcode in _INSTRUCTIONS.items()},
    **{f"arith.{name}": float_op(intrinsic(full)) for name, full in _INTRINSICS.items()},
    "arith.bitcast": bitcast,
    "arith.extf": _extend,
    "arith.fptosi": _to_integer("fptosi"),
    "arith.fptoui": _to_integer("fptoui"),
    "arith.negf": _negate,
    "arith.sitofp": _from_integer("sitofp"),
    "arith.truncf": _truncate,
    "arith.uitofp": _from_integer("uitofp"),
}
