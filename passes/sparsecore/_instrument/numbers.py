"""Numbers that are known when a pass runs, or computed by the program: sizes, offsets, strides."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sdykit.core.sparsecore.views import SUBVIEW, Number, parts_of
from sdykit.mlir import ir
from sdykit.passes.sparsecore._instrument.ops import constant, create


def sizes_of(buffer: ir.Value) -> list[Number]:
    """Return the sizes of a buffer; adds `memref.dim` for those that no type and no view has."""
    type_, index = ir.MemRefType(buffer.type), ir.IndexType.get()
    owner = buffer.owner
    if not isinstance(owner, ir.Block) and owner.operation.name == SUBVIEW:
        _, sizes, _ = parts_of(owner.operation)
        if len(sizes) == type_.rank:
            return sizes
    return [
        create("memref.dim", [buffer, constant(number, index)], [index]).result
        if type_.is_dynamic_dim(number)
        else type_.shape[number]
        for number in range(type_.rank)
    ]


def value_of(number: Number) -> ir.Value:
    """Return a number as a value; adds a constant for a known one."""
    return constant(number, ir.IndexType.get()) if isinstance(number, int) else number


def compute(name: str, a: Number, b: Number) -> Number:
    """Compute a number by an op of `arith`; known numbers are folded."""
    if isinstance(a, int) and isinstance(b, int):
        return _FOLDED[name](a, b)
    if b == _NEUTRAL.get(name):
        return a
    return create(name, [value_of(a), value_of(b)], [ir.IndexType.get()]).result


def product(numbers: Sequence[Number]) -> Number:
    """Return the product of numbers; it is 1 if there are none."""
    result: Number = 1
    for number in numbers:
        result = compute("arith.muli", number, result)
    return result


_FOLDED: dict[str, Callable[[int, int], int]] = {
    "arith.addi": int.__add__,
    "arith.divui": int.__floordiv__,
    "arith.muli": int.__mul__,
    "arith.subi": int.__sub__,
}
_NEUTRAL = {"arith.addi": 0, "arith.divui": 1, "arith.muli": 1, "arith.subi": 0}
