"""`vector`: elements, reductions, masks, arithmetic."""

from __future__ import annotations

import numpy as np

from sdykit.mlir import ir
from sdykit.sparsecore.codegen._attributes import enumerator, instruction_flags, integers
from sdykit.sparsecore.codegen._constants import splat, vector
from sdykit.sparsecore.codegen._emitter import Emitter
from sdykit.sparsecore.codegen._floats import (
    Compute,
    float_op,
    in_float32,
    instruction,
    intrinsic,
)
from sdykit.sparsecore.codegen._located import error_of
from sdykit.sparsecore.codegen._shuffles import splat_register
from sdykit.sparsecore.codegen._translator import Handler, Translator
from sdykit.sparsecore.codegen._types import BF16, I1, INDEX, Type, flat
from sdykit.sparsecore.codegen._values import Value

_FLOAT_KINDS: dict[str, tuple[str, Compute]] = {
    "add": ("fadd", instruction("fadd")),
    "mul": ("fmul", instruction("fmul")),
    "maximumf": ("fmaximum", intrinsic("maximum")),
    "maxnumf": ("fmax", intrinsic("maxnum")),
    "minimumf": ("fminimum", intrinsic("minimum")),
    "minnumf": ("fmin", intrinsic("minnum")),
}
"""Kind of a reduction to the end of LLVM's name for it, and the op on two elements."""

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
    if element is BF16:
        t[op.results[0]] = _in_order(t, flags, source, start, _FLOAT_KINDS[kind][1])
        return
    name, combine = (_FLOAT_KINDS if element.is_float else _INTEGER_KINDS)[kind]
    scalar = Type(element)
    full, types = f"llvm.vector.reduce.{name}.{source.type.mangled}", [source.type.llvm]
    if name in _IDENTITIES:
        # These take where to start, and add up in order unless they may reassociate.
        first = start[0] if start else splat(scalar, _IDENTITIES[name])
        types = [scalar.llvm, *types]
        operands = [first.operand, source.operand]
        t.set_result(op, t.emitter.call(full, scalar.llvm, operands, types, flags))
        return
    reduced = Value(scalar, t.emitter.call(full, scalar.llvm, [source.operand], types, flags))
    if start:
        reduced = Value(scalar, combine(t, flags, [*start, reduced]))
    t[op.results[0]] = reduced


def _in_order(
    t: Translator, flags: str, source: Value, start: list[Value], combine: Compute
) -> Value:
    """Reduce bfloat16 one element after the other, each result rounded."""
    total, scalar = start[0] if start else None, Type(source.type.element)
    for lane in range(source.type.count):
        text = t.emitter.set(f"extractelement {source.operand}, i64 {lane}")
        item = Value(scalar, text)
        total = in_float32(t, flags, [total, item], combine) if total else item
    assert total
    return total


def _position(t: Translator, op: ir.Operation, type_: Type, dynamic: list[ir.Value]) -> str:
    """Compute the number of the first element at a position in a flat vector."""
    e, left, shape = t.emitter, iter(dynamic), type_.shape or ()
    unknown, position = ir.ShapedType.get_dynamic_size(), "0"
    entries = integers(op, "static_position")
    for k, entry in enumerate(entries):
        text = t.value(next(left)).text if entry == unknown else str(entry)
        position = e.add(position, e.multiply(text, str(int(np.prod(shape[k + 1 :])))))
    return position


def _extract(t: Translator, op: ir.Operation) -> None:
    source = t.value(op.operands[0])
    position = _position(t, op, source.type, list(op.operands)[1:])
    to = t.result_type(op)
    if to.shape is None:
        t.set_result(op, t.emitter.set(f"extractelement {source.operand}, i64 {position}"))
        return
    _check_static(op, position)
    t[op.results[0]] = part(t.emitter, source, int(position), to)


def _insert(t: Translator, op: ir.Operation) -> None:
    item, target = (t.value(operand) for operand in list(op.operands)[:2])
    position = _position(t, op, target.type, list(op.operands)[2:])
    if item.type.shape is None:
        words = f"insertelement {target.operand}, {item.operand}, i64 {position}"
        t.set_result(op, t.emitter.set(words))
        return
    _check_static(op, position)
    t[op.results[0]] = with_part(t.emitter, target, item, int(position))


def _check_static(op: ir.Operation, position: str) -> None:
    if position.startswith("%"):
        raise error_of(op, "vectors within vectors need a static position")


def part(e: Emitter, source: Value, start: int, to: Type) -> Value:
    """Take consecutive elements; `start` is a multiple of their number."""
    full = f"llvm.vector.extract.{to.mangled}.{source.type.mangled}"
    operands = [source.operand, f"i64 {start}"]
    return Value(to, e.call(full, to.llvm, operands, [source.type.llvm, "i64"]))


def with_part(e: Emitter, target: Value, item: Value, start: int) -> Value:
    """Replace consecutive elements; `start` is a multiple of their number."""
    whole = target.type
    full = f"llvm.vector.insert.{whole.mangled}.{item.type.mangled}"
    operands = [target.operand, item.operand, f"i64 {start}"]
    text = e.call(full, whole.llvm, operands, [whole.llvm, item.type.llvm, "i64"])
    return Value(whole, text)


def _from_elements(t: Translator, op: ir.Operation) -> None:
    to, made = t.result_type(op), "poison"
    for lane, item in enumerate(t.values(op)):
        made = t.emitter.set(f"insertelement {to.llvm} {made}, {item.operand}, i64 {lane}")
    t.set_result(op, made)


def _to_elements(t: Translator, op: ir.Operation) -> None:
    (source,) = t.values(op)
    for lane, result in enumerate(op.results):
        text = t.emitter.set(f"extractelement {source.operand}, i64 {lane}")
        t[result] = Value(Type(source.type.element), text)


def _step(t: Translator, op: ir.Operation) -> None:
    to = t.result_type(op)
    t.set_result(op, vector(INDEX, range(to.count)).text)


def below(e: Emitter, limit: Value, lanes: list[int]) -> Value:
    """Tell which of some numbers lie below a limit, an `i64`."""
    indices = flat(INDEX, len(lanes))
    limits = splat_register(e, limit, indices)
    text = e.set(f"icmp slt {vector(INDEX, lanes).operand}, {limits.text}")
    return Value(indices.of(I1), text)


def _create_mask(t: Translator, op: ir.Operation) -> None:
    _mask(t, op, t.values(op))


def _constant_mask(t: Translator, op: ir.Operation) -> None:
    sizes = integers(op, "mask_dim_sizes")
    _mask(t, op, [Value(Type(INDEX), str(size)) for size in sizes])


def _mask(t: Translator, op: ir.Operation, limits: list[Value]) -> None:
    """Make a mask whose elements are true below a limit in every dimension."""
    e, to = t.emitter, t.result_type(op)
    shape, text = to.shape or (1,), ""
    for axis, limit in enumerate(limits):
        lanes = np.indices(shape)[axis].ravel().tolist()
        inside = below(e, limit, lanes).text
        text = e.set(f"and {to.llvm} {text}, {inside}") if text else inside
    t.set_result(op, text)


OPS: dict[str, Handler] = {
    "vector.constant_mask": _constant_mask,
    "vector.create_mask": _create_mask,
    "vector.extract": _extract,
    "vector.fma": float_op(intrinsic("fma")),
    "vector.from_elements": _from_elements,
    "vector.insert": _insert,
    "vector.reduction": _reduction,
    "vector.step": _step,
    "vector.to_elements": _to_elements,
}
