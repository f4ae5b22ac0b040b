"""`math`: LLVM intrinsics, and functions of libm where LLVM has none.

LLVM lowers `sqrt`, `fma`, `floor` and the like to instructions, and the others to calls of libm's
`expf`, `powf` and so on, one for each element of a vector. Floats of fewer bits are computed in float32.
"""

from __future__ import annotations

from collections.abc import Callable

from sdykit.mlir import ir
from sdykit.sparsecore.codegen.emission.emitter import Emitter
from sdykit.sparsecore.codegen.emission.floats import Compute, intrinsic
from sdykit.sparsecore.codegen.emission.literals import splat
from sdykit.sparsecore.codegen.emission.narrow_floats import widen
from sdykit.sparsecore.codegen.emission.types import F64, I1
from sdykit.sparsecore.codegen.emission.values import Value
from sdykit.sparsecore.codegen.translation.arith.floats import float_op
from sdykit.sparsecore.codegen.translation.op_attributes import instruction_flags
from sdykit.sparsecore.codegen.translation.translator import Handler, Translator

_INTRINSICS = {
    "absf": "fabs",
    "acos": "acos",
    "asin": "asin",
    "atan": "atan",
    "atan2": "atan2",
    "ceil": "ceil",
    "copysign": "copysign",
    "cos": "cos",
    "cosh": "cosh",
    "exp": "exp",
    "exp2": "exp2",
    "floor": "floor",
    "fma": "fma",
    "log": "log",
    "log10": "log10",
    "log2": "log2",
    "powf": "pow",
    "round": "round",
    "roundeven": "roundeven",
    "sin": "sin",
    "sinh": "sinh",
    "sqrt": "sqrt",
    "tan": "tan",
    "tanh": "tanh",
    "trunc": "trunc",
}
LIBM = ("acosh", "asinh", "atanh", "cbrt", "erf", "erfc", "expm1", "log1p")
"""Functions of libm without an intrinsic of LLVM."""


def _libm(name: str) -> Compute:
    def compute(e: Emitter, flags: str, values: list[Value]) -> str:
        (value,) = values
        scalar = value.type.element.llvm
        function = name if value.type.element is F64 else f"{name}f"

        def call(text: str) -> str:
            return e.call(function, scalar, [f"{scalar} {text}"], [scalar], flags)

        return _lane_by_lane(e, value, call)

    return compute


def _lane_by_lane(e: Emitter, value: Value, compute: Callable[[str], str]) -> str:
    """Emit a scalar computation for each element, and return the vector of the results."""
    if value.type.shape is None:
        return compute(value.text)
    scalar, result = value.type.element.llvm, "poison"
    for lane in range(value.type.count):
        item = compute(e.set(f"extractelement {value.operand}, i64 {lane}"))
        result = e.set(f"insertelement {value.type.llvm} {result}, {scalar} {item}, i64 {lane}")
    return result


def _reciprocal_root(e: Emitter, flags: str, values: list[Value]) -> str:
    """Emit 1 divided by the root: two roundings, but no estimate that differs from CPU to CPU."""
    (value,) = values
    root = intrinsic("sqrt")(e, flags, values)
    words = f"fdiv {flags}" if flags else "fdiv"
    return e.set(f"{words} {splat(value.type, 1.0).operand}, {root}")


def _bits(name: str, flag: str | None) -> Handler:
    """Return the translation to an integer intrinsic.

    Args:
        name: the name of the intrinsic.
        flag: the `i1` that allows poison for 0 or the smallest integer; None for an intrinsic that
            takes none.
    """

    def translate(t: Translator, op: ir.Operation) -> None:
        (value,) = t.values(op)
        llvm = value.type.llvm
        more, types = ([f"i1 {flag}"], ["i1"]) if flag else ([], [])
        full = f"llvm.{name}.{value.type.mangled}"
        t.set_result(op, t.emitter.call(full, llvm, [value.operand, *more], [llvm, *types]))

    return translate


def _classify(predicate: str, *, against_infinity: bool) -> Handler:
    def translate(t: Translator, op: ir.Operation) -> None:
        (value,) = t.values(op)
        if value.type.element.is_narrow_float:
            value = widen(t.emitter, value)
        flags = instruction_flags(op)
        words = f"fcmp {flags} {predicate}" if flags else f"fcmp {predicate}"
        text, other = value.text, value.text
        if against_infinity:
            text = intrinsic("fabs")(t.emitter, "", [value])
            other = splat(value.type, float("inf")).text
        register = t.emitter.set(f"{words} {value.type.llvm} {text}, {other}")
        t[op.results[0]] = Value(value.type.of(I1), register)

    return translate


OPS: dict[str, Handler] = {
    **{f"math.{name}": float_op(intrinsic(full)) for name, full in _INTRINSICS.items()},
    **{f"math.{name}": float_op(_libm(name)) for name in LIBM},
    "math.absi": _bits("abs", "false"),
    "math.ctlz": _bits("ctlz", "false"),
    "math.ctpop": _bits("ctpop", None),
    "math.cttz": _bits("cttz", "false"),
    "math.isfinite": _classify("olt", against_infinity=True),
    "math.isinf": _classify("oeq", against_infinity=True),
    "math.isnan": _classify("uno", against_infinity=False),
    "math.rsqrt": float_op(_reciprocal_root),
}
