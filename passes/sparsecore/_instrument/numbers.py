"""Numbers that passes compute with: those that are known stay out of the program."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sdykit.mlir import ir
from sdykit.passes.sparsecore._instrument.ops import constant, create

Number = int | ir.Value
"""A number that is known, or one that is computed."""
SUBVIEW = "memref.subview"
_PARTS = ("static_offsets", "static_sizes", "static_strides")


def sizes_of(buffer: ir.Value) -> list[Number]:
    """Give the sizes of a buffer; adds `memref.dim` for those that are nowhere to be seen."""
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


def parts_of(view: ir.Operation) -> list[list[Number]]:
    """Give offsets, sizes and strides of a subview."""
    unknown, left = ir.ShapedType.get_dynamic_size(), iter(list(view.operands)[1:])
    static = [list(ir.DenseI64ArrayAttr(view.attributes[name])) for name in _PARTS]
    return [[next(left) if each == unknown else each for each in part] for part in static]


def value_of(number: Number) -> ir.Value:
    """Give a number as a value; adds a constant for one that is known."""
    return constant(number, ir.IndexType.get()) if isinstance(number, int) else number


def compute(name: str, a: Number, b: Number) -> Number:
    """Add, subtract or multiply; numbers that are known are folded."""
    if isinstance(a, int) and isinstance(b, int):
        return _FOLDED[name](a, b)
    if b == _NEUTRAL.get(name):
        return a
    return create(name, [value_of(a), value_of(b)], [ir.IndexType.get()]).result


def product(numbers: Sequence[Number]) -> Number:
    """Multiply numbers; of none it is 1."""
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
