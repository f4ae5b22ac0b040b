"""`vector.reduction` and `vector.multi_reduction`, which fold elements of a vector into one."""

from __future__ import annotations

import numpy as np

from sdykit.mlir import ir
from sdykit.sparsecore.codegen.emission.floats import Compute, in_float32, instruction, intrinsic
from sdykit.sparsecore.codegen.emission.literals import splat
from sdykit.sparsecore.codegen.emission.types import Type
from sdykit.sparsecore.codegen.emission.values import Value
from sdykit.sparsecore.codegen.translation.op_attributes import (
    enumerator,
    instruction_flags,
    integers,
)
from sdykit.sparsecore.codegen.translation.translator import Handler, Translator
from sdykit.sparsecore.codegen.translation.vector.shuffles import numbers, shuffle

_FLOAT_KINDS: dict[str, tuple[str, Compute]] = {
    "add": ("fadd", instruction("fadd")),
    "mul": ("fmul", instruction("fmul")),
    "maximumf": ("fmaximum", intrinsic("maximum")),
    "maxnumf": ("fmax", intrinsic("maxnum")),
    "minimumf": ("fminimum", intrinsic("minimum")),
    "minnumf": ("fmin", intrinsic("minnum")),
}
"""By kind of reduction: the end of LLVM's name for it, and the computation on two elements."""

_INTEGER_KINDS = {
    "add": ("add", instruction("add")),
    "and": ("and", instruction("and")),
    "maxsi": ("smax", intrinsic("smax")),
    "maxui": ("umax", intrinsic("umax")),
    "minsi": ("smin", intrinsic("smin")),
    "minui": ("umin", intrinsic("umin")),
    "mul": ("mul", instruction("mul")),
    "or": ("or", instruction("or")),
    "xor": ("xor", instruction("xor")),
}

_IDENTITIES = {"fadd": -0.0, "fmul": 1.0}


def _reduction(t: Translator, op: ir.Operation) -> None:
    source, *start = t.values(op)
    kind, element = enumerator(op, "kind"), source.type.element
    flags = instruction_flags(op) if element.is_float else ""
    if element.is_narrow_float:
        t[op.results[0]] = _in_order(t, flags, source, start, _FLOAT_KINDS[kind][1])
        return
    name, combine = (_FLOAT_KINDS if element.is_float else _INTEGER_KINDS)[kind]
    scalar = Type(element)
    full, types = f"llvm.vector.reduce.{name}.{source.type.mangled}", [source.type.llvm]
    if name in _IDENTITIES:
        # These take an initial value, and go from first lane to last unless `reassoc` is set.
        first = start[0] if start else splat(scalar, _IDENTITIES[name])
        types = [scalar.llvm, *types]
        operands = [first.operand, source.operand]
        t.set_result(op, t.emitter.call(full, scalar.llvm, operands, types, flags))
        return
    reduced = Value(scalar, t.emitter.call(full, scalar.llvm, [source.operand], types, flags))
    if start:
        reduced = Value(scalar, combine(t.emitter, flags, [*start, reduced]))
    t[op.results[0]] = reduced


def _in_order(
    t: Translator, flags: str, source: Value, start: list[Value], combine: Compute
) -> Value:
    """Reduce floats that are computed in float32 from the first lane to the last; each result is rounded."""
    total, scalar = start[0] if start else None, Type(source.type.element)
    for lane in range(source.type.count):
        text = t.emitter.set(f"extractelement {source.operand}, i64 {lane}")
        item = Value(scalar, text)
        total = in_float32(t.emitter, flags, [total, item], combine) if total else item
    assert total
    return total


def _multi_reduction(t: Translator, op: ir.Operation) -> None:
    """Fold along some dimensions: vectors of the others, from the first to the last."""
    source, total = t.values(op)
    if total.type.shape is None:
        _reduction(t, op)
        return
    folded = integers(op, "reduction_dims")
    kept = [k for k in range(len(source.type.shape or ())) if k not in folded]
    slices = numbers(source.type).transpose([*folded, *kept]).reshape(-1, total.type.count)
    is_float = source.type.element.is_float
    _, combine = (_FLOAT_KINDS if is_float else _INTEGER_KINDS)[enumerator(op, "kind")]
    flags = instruction_flags(op) if is_float else ""
    for picked in np.asarray(slices).tolist():
        item = shuffle(t.emitter, source, None, picked, total.type)
        total = in_float32(t.emitter, flags, [total, item], combine)
    t[op.results[0]] = total


OPS: dict[str, Handler] = {
    "vector.multi_reduction": _multi_reduction,
    "vector.reduction": _reduction,
}
