"""Arithmetic on floats: an instruction or intrinsic, in float32 for those of fewer bits."""

from __future__ import annotations

from collections.abc import Callable

from sdykit.sparsecore.codegen.emission.emitter import Emitter
from sdykit.sparsecore.codegen.emission.narrow_floats import narrow, widen
from sdykit.sparsecore.codegen.emission.types import F32
from sdykit.sparsecore.codegen.emission.values import Value

Compute = Callable[[Emitter, str, list[Value]], str]
"""A function that emits a computation. It takes the emitter, the fast-math flags and the operands,
which have 32 bits or more, and returns the register of the result."""


def instruction(opcode: str) -> Compute:
    """Return the computation by an instruction of two operands."""

    def compute(e: Emitter, flags: str, values: list[Value]) -> str:
        a, b = values
        return e.set(f"{with_flags(opcode, flags)} {a.operand}, {b.text}")

    return compute


def intrinsic(name: str) -> Compute:
    """Return the computation by an LLVM intrinsic whose operands have the type of the result."""

    def compute(e: Emitter, flags: str, values: list[Value]) -> str:
        type_ = values[0].type
        operands = [value.operand for value in values]
        full = f"llvm.{name}.{type_.mangled}"
        return e.call(full, type_.llvm, operands, [type_.llvm] * len(values), flags)

    return compute


def in_float32(e: Emitter, flags: str, values: list[Value], compute: Compute) -> Value:
    """Emit a computation; narrow operands are widened, and the result is rounded once."""
    type_ = values[0].type
    if not type_.element.is_narrow_float:
        return Value(type_, compute(e, flags, values))
    wide = [widen(e, value) for value in values]
    return narrow(e, Value(type_.of(F32), compute(e, flags, wide)), type_)


def with_flags(opcode: str, flags: str) -> str:
    """Return an opcode with its flags, if it has any."""
    return f"{opcode} {flags}" if flags else opcode
