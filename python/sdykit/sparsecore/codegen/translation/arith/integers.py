"""`arith`: integers, comparisons, `select`. Element-wise on vectors."""

from __future__ import annotations

from sdykit.mlir import ir
from sdykit.sparsecore.codegen.emission.literals import splat
from sdykit.sparsecore.codegen.emission.narrow_floats import widen
from sdykit.sparsecore.codegen.emission.types import I1, Type
from sdykit.sparsecore.codegen.emission.values import Value
from sdykit.sparsecore.codegen.translation.op_attributes import instruction_flags, integer
from sdykit.sparsecore.codegen.translation.translator import Handler, Translator

_BINARY = {
    "addi": "add",
    "andi": "and",
    "divsi": "sdiv",
    "divui": "udiv",
    "muli": "mul",
    "ori": "or",
    "remsi": "srem",
    "remui": "urem",
    "shli": "shl",
    "shrsi": "ashr",
    "shrui": "lshr",
    "subi": "sub",
    "xori": "xor",
}
_EXTREMA = {"maxsi": "smax", "maxui": "umax", "minsi": "smin", "minui": "umin"}
_INTEGER_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
_FLOAT_PREDICATES = (
    "false",
    *("oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno"),
    "true",
)
"""LLVM's names of the predicates, in the order of MLIR's enumerations."""


def _binary(opcode: str) -> Handler:
    def translate(t: Translator, op: ir.Operation) -> None:
        a, b = t.values(op)
        words = " ".join(filter(None, (opcode, instruction_flags(op), a.type.llvm)))
        t[op.results[0]] = Value(a.type, t.emitter.set(f"{words} {a.text}, {b.text}"))

    return translate


def _extremum(name: str) -> Handler:
    def translate(t: Translator, op: ir.Operation) -> None:
        a, b = t.values(op)
        llvm = a.type.llvm
        intrinsic = f"llvm.{name}.{a.type.mangled}"
        text = t.emitter.call(intrinsic, llvm, [a.operand, b.operand], [llvm, llvm])
        t[op.results[0]] = Value(a.type, text)

    return translate


def _compare_integers(t: Translator, op: ir.Operation) -> None:
    a, b = t.values(op)
    predicate = _INTEGER_PREDICATES[integer(op, "predicate")]
    text = t.emitter.set(f"icmp {predicate} {a.operand}, {b.text}")
    t[op.results[0]] = Value(a.type.of(I1), text)


def _compare_floats(t: Translator, op: ir.Operation) -> None:
    a, b = t.values(op)
    if a.type.element.is_narrow_float:
        a, b = widen(t.emitter, a), widen(t.emitter, b)
    words = ["fcmp", instruction_flags(op), _FLOAT_PREDICATES[integer(op, "predicate")]]
    t.set_result(op, t.emitter.set(f"{' '.join(filter(None, words))} {a.operand}, {b.text}"))


def _select(t: Translator, op: ir.Operation) -> None:
    condition, then, otherwise = op.operands
    lowered = t[then]
    flags = instruction_flags(op) if str(then.type) in {"f32", "f64"} else ""
    start = f"{'select ' + flags if flags else 'select'} {t.value(condition).operand}"
    parts = zip(lowered.parts, t[otherwise].parts, strict=True)
    texts = [t.emitter.set(f"{start}, {type_} {a}, {type_} {b}") for (type_, a), (_, b) in parts]
    t[op.results[0]] = lowered.with_parts(texts)


def _ceil_div_unsigned(t: Translator, op: ir.Operation) -> None:
    a, b = t.values(op)
    e, llvm = t.emitter, a.type.llvm
    quotient = e.set(f"udiv {a.operand}, {b.text}")
    rest = e.set(f"urem {a.operand}, {b.text}")
    some = e.set(f"icmp ne {llvm} {rest}, {splat(a.type, 0).text}")
    one = e.set(f"zext {a.type.of(I1).llvm} {some} to {llvm}")
    t.set_result(op, e.set(f"add {llvm} {quotient}, {one}"))


def _rounded_division(opcode: str, sign_of_rest: str) -> Handler:
    """Return the translation of a division that rounds up or down: truncation, then a correction.

    Args:
        opcode: `add` or `sub`, the instruction that corrects the quotient by 1.
        sign_of_rest: the comparison of (remainder xor divisor) with 0 that, if there is a
            remainder, requires the correction.
    """

    def translate(t: Translator, op: ir.Operation) -> None:
        a, b = t.values(op)
        e, llvm, zero = t.emitter, a.type.llvm, splat(a.type, 0).text
        truth = a.type.of(I1).llvm
        quotient = e.set(f"sdiv {a.operand}, {b.text}")
        rest = e.set(f"srem {a.operand}, {b.text}")
        some = e.set(f"icmp ne {llvm} {rest}, {zero}")
        signs = e.set(f"xor {llvm} {rest}, {b.text}")
        side = e.set(f"icmp {sign_of_rest} {llvm} {signs}, {zero}")
        wrong = e.set(f"and {truth} {some}, {side}")
        one = e.set(f"zext {truth} {wrong} to {llvm}")
        t.set_result(op, e.set(f"{opcode} {llvm} {quotient}, {one}"))

    return translate


def _add_carry(t: Translator, op: ir.Operation) -> None:
    a, b = t.values(op)
    e = t.emitter
    total = e.set(f"add {a.operand}, {b.text}")
    _set_pair(t, op, total, e.set(f"icmp ult {a.type.llvm} {total}, {a.text}"))


def _subtract_borrow(t: Translator, op: ir.Operation) -> None:
    a, b = t.values(op)
    rest = t.emitter.set(f"sub {a.operand}, {b.text}")
    _set_pair(t, op, rest, t.emitter.set(f"icmp ult {a.operand}, {b.text}"))


def _wide_multiply(extension: str) -> Handler:
    def translate(t: Translator, op: ir.Operation) -> None:
        a, b = t.values(op)
        e, type_, bits = t.emitter, a.type, a.type.element.bits
        wide = f"i{2 * bits}" if type_.shape is None else f"<{type_.count} x i{2 * bits}>"
        shift = str(bits) if type_.shape is None else f"splat (i{2 * bits} {bits})"
        x, y = (e.set(f"{extension} {value.operand} to {wide}") for value in (a, b))
        product = e.set(f"mul {wide} {x}, {y}")
        upper = e.set(f"lshr {wide} {product}, {shift}")
        low = e.set(f"trunc {wide} {product} to {type_.llvm}")
        _set_pair(t, op, low, e.set(f"trunc {wide} {upper} to {type_.llvm}"))

    return translate


def _set_pair(t: Translator, op: ir.Operation, first: str, second: str) -> None:
    types = [t.result_type(op, number) for number in range(2)]
    lowered = [Value(type_, text) for type_, text in zip(types, (first, second), strict=True)]
    t.set_all(op.results, lowered)


def _resize(t: Translator, op: ir.Operation, value: Value, to: Type, extension: str) -> None:
    """Convert integers to another width; the same width needs no instruction."""
    bits, wanted = value.type.element.bits, to.element.bits
    if bits == wanted:
        t[op.results[0]] = Value(to, value.text)
        return
    opcode = extension if bits < wanted else "trunc"
    words = " ".join(filter(None, (opcode, instruction_flags(op))))
    t[op.results[0]] = Value(to, t.emitter.set(f"{words} {value.operand} to {to.llvm}"))


def _cast(extension: str) -> Handler:
    def translate(t: Translator, op: ir.Operation) -> None:
        to = t.result_type(op)
        _resize(t, op, t.value(op.operands[0]), to, extension)

    return translate


OPS: dict[str, Handler] = {
    **{f"arith.{name}": _binary(opcode) for name, opcode in _BINARY.items()},
    **{f"arith.{name}": _extremum(intrinsic) for name, intrinsic in _EXTREMA.items()},
    "arith.addui_extended": _add_carry,
    "arith.ceildivsi": _rounded_division("add", "sge"),
    "arith.ceildivui": _ceil_div_unsigned,
    "arith.cmpf": _compare_floats,
    "arith.cmpi": _compare_integers,
    "arith.extsi": _cast("sext"),
    "arith.extui": _cast("zext"),
    "arith.floordivsi": _rounded_division("sub", "slt"),
    "arith.index_cast": _cast("sext"),
    "arith.index_castui": _cast("zext"),
    "arith.mulsi_extended": _wide_multiply("sext"),
    "arith.mului_extended": _wide_multiply("zext"),
    "arith.select": _select,
    "arith.subui_extended": _subtract_borrow,
    "arith.trunci": _cast("trunc"),
}
