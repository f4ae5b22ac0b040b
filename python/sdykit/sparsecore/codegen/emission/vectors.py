"""Instructions on flat vectors that several ops share."""

from __future__ import annotations

from sdykit.sparsecore.codegen.emission.emitter import Emitter
from sdykit.sparsecore.codegen.emission.literals import vector
from sdykit.sparsecore.codegen.emission.types import I1, INDEX, Type, flat
from sdykit.sparsecore.codegen.emission.values import Value


def splat_register(e: Emitter, scalar: Value, to: Type) -> Value:
    """Return a vector all of whose elements are a scalar."""
    if not scalar.text.startswith("%"):
        return Value(to, f"splat ({scalar.operand})")
    one = flat(to.element, 1)
    first = e.once(f"insertelement {one.llvm} poison, {scalar.operand}, i64 0")
    zeros = f"<{to.count} x i32> zeroinitializer"
    return Value(to, e.once(f"shufflevector {one.llvm} {first}, {one.llvm} poison, {zeros}"))


def part(e: Emitter, source: Value, start: int, to: Type) -> Value:
    """Return consecutive elements as a vector; `start` is a multiple of their number."""
    full = f"llvm.vector.extract.{to.mangled}.{source.type.mangled}"
    operands = [source.operand, f"i64 {start}"]
    return Value(to, e.call(full, to.llvm, operands, [source.type.llvm, "i64"]))


def with_part(e: Emitter, target: Value, item: Value, start: int) -> Value:
    """Return a vector with consecutive elements replaced; `start` is a multiple of their number."""
    whole = target.type
    full = f"llvm.vector.insert.{whole.mangled}.{item.type.mangled}"
    operands = [target.operand, item.operand, f"i64 {start}"]
    text = e.call(full, whole.llvm, operands, [whole.llvm, item.type.llvm, "i64"])
    return Value(whole, text)


def below(e: Emitter, limit: Value, numbers: list[int]) -> Value:
    """Return the mask of the numbers that are less than a limit, an `i64`."""
    indices = flat(INDEX, len(numbers))
    limits = splat_register(e, limit, indices)
    text = e.set(f"icmp slt {vector(INDEX, numbers).operand}, {limits.text}")
    return Value(indices.of(I1), text)
