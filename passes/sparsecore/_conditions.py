"""What must hold for an access to be right, and what is said if it does not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.passes.sparsecore._instrument import Reporter, compare, constant, create, wide

Number = int | ir.Value
"""A number that is known, or one that is computed."""
SUBVIEW = "memref.subview"
_PARTS = ("static_offsets", "static_sizes", "static_strides")
_MOST_VALUES = 7
_EQ, ULT, ULE = 0, 6, 7


@dataclass(frozen=True)
class Condition:
    """What must hold.

    Attributes:
        holds: computed, i1.
        message: what is said if it does not; `{1}` to `{7}` stand for the values.
        values: of type index.
    """

    holds: ir.Value
    message: str
    values: tuple[ir.Value, ...]


def condition(holds: ir.Value, *clauses: str | tuple[str, Sequence[Number]]) -> Condition:
    """Make a condition from the parts of its message.

    Args:
        holds: computed, i1.
        clauses: texts, those with `{}` together with the numbers that stand there in brackets.
            A clause with more computed numbers than there is room for is left out.
    """
    message, values = "", []
    for clause in clauses:
        if isinstance(clause, str):
            message += clause
            continue
        text, numbers = clause
        if len(values) + sum(not isinstance(each, int) for each in numbers) > _MOST_VALUES:
            continue
        places = []
        for each in numbers:
            if not isinstance(each, int):
                values.append(each)
            places.append(str(each) if isinstance(each, int) else f"{{{len(values)}}}")
        message += text.format(f"[{', '.join(places)}]")
    return Condition(holds, message, tuple(values))


def tell(condition: Condition, reporter: Reporter, *, is_sure: bool) -> None:
    """Add code that tells that a condition does not hold.

    Args:
        condition: what is told.
        reporter: of the program.
        is_sure: it does not hold where the code is; else that is asked first.
    """
    number = reporter.number_of(condition.message)

    def report() -> None:
        reporter.report(number, wide(condition.values))

    if is_sure:
        report()
        return
    choice = create("scf.if", [condition.holds], regions=2)
    with ir.InsertionPoint(choice.regions[0].blocks.append()):
        create("scf.yield", [])
    with ir.InsertionPoint(choice.regions[1].blocks.append()):
        report()
        create("scf.yield", [])


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


def is_below(number: Number, limit: Number, predicate: int = ULT) -> ir.Value:
    """Compare as unsigned numbers: a negative one is larger than any size."""
    return compare(predicate, value_of(number), value_of(limit))


def is_equal(a: Number, b: Number) -> ir.Value:
    """Compare two numbers."""
    return compare(_EQ, value_of(a), value_of(b))


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


def all_of(conditions: Sequence[ir.Value]) -> ir.Value:
    """Give whether all hold; there is at least one."""
    result = conditions[0]
    for other in conditions[1:]:
        result = create("arith.andi", [result, other], [result.type]).result
    return result
