"""Conditions of accesses: loads, stores and copies are within the bounds of their buffers."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from sdykit.mlir import ir
from sdykit.passes.sparsecore._instrument.numbers import compute, sizes_of
from sdykit.passes.sparsecore._instrument.ops import constant, create
from sdykit.passes.sparsecore._programs.arguments import description_of
from sdykit.passes.sparsecore.check_bounds.conditions import (
    ULE,
    Condition,
    all_of,
    condition,
    is_below,
    is_equal,
)
from sdykit.passes.sparsecore.check_bounds.views import CheckedViews

ACCESSES = {"memref.load": 0, "memref.store": 1, "vector.load": 0, "vector.store": 1}
"""Ops that access memory, and the number of the operand that is the buffer; indices follow it."""
COMPRESSED = "vector.compressstore"
SCATTERED = "vector.scatter"
MASKED = ("vector.maskedload", "vector.maskedstore")
"""Ops that access the elements of a vector whose mask is true."""


def of_access(op: ir.Operation, views: CheckedViews) -> list[Condition]:
    """Return the conditions of a load or a store."""
    buffer, *indices = list(op.operands)[ACCESSES[op.name] :]
    if not indices:
        return []
    sizes, shape = sizes_of(buffer), _shape(op)
    insides = [is_below(index, size) for index, size in zip(indices, sizes, strict=True)]
    for count, index, size in zip(shape[::-1], indices[::-1], sizes[::-1], strict=False):
        if count > 1:
            insides.append(is_below(compute("arith.addi", index, count), size, ULE))
    what = f"{'x'.join(map(str, shape))} elements" if prod(shape) > 1 else "1 element"
    found = condition(
        all_of(insides),
        (f"'{op.name}' of {what} at {{}}", indices),
        f" is out of the bounds of {description_of(views.entry, buffer)}",
        (", whose sizes are {}", sizes),
    )
    return [found]


def of_compressed(op: ir.Operation, views: CheckedViews) -> list[Condition]:
    """Return the condition of a store of the elements whose mask is true: there is room for them."""
    buffer, *indices, mask, _ = op.operands
    index, bits = ir.IndexType.get(), ir.IntegerType.get_signless(32)
    lanes = ir.VectorType.get(ir.VectorType(mask.type).shape, bits)
    ones = create("arith.extui", [mask], [lanes]).result
    kind = ir.Attribute.parse("#vector.kind<add>")
    total = create("vector.reduction", [ones], [bits], kind=kind).result
    count = create("arith.index_cast", [total], [index]).result
    sizes = sizes_of(buffer)
    insides = [is_below(at, size) for at, size in zip(indices[:-1], sizes[:-1], strict=True)]
    # Compared with what is left, as the sum could overflow; the index may be that of the end.
    insides.append(is_below(indices[-1], sizes[-1], ULE))
    insides.append(is_below(count, compute("arith.subi", sizes[-1], indices[-1]), ULE))
    found = condition(
        all_of(insides),
        (f"'{COMPRESSED}' of sizes {{}}", [count]),
        (" at {}", indices),
        f" is out of the bounds of {description_of(views.entry, buffer)}",
        (", whose sizes are {}", sizes),
    )
    return [found]


def of_scattered(op: ir.Operation, views: CheckedViews) -> list[Condition]:
    """Return the condition of a store to the places in a vector: those in the mask are inside."""
    buffer, *indices, offsets, mask, _ = op.operands
    return _of_places(op, views, (buffer, *indices), _as_i64(offsets, _wide(mask)), mask)


def of_masked(op: ir.Operation, views: CheckedViews) -> list[Condition]:
    """Return the condition of an access of adjacent elements: those in the mask are inside."""
    buffer, *indices, mask, _ = op.operands
    wide = _wide(mask)
    numbers = [ir.IntegerAttr.get(wide.element_type, lane) for lane in range(wide.shape[0])]
    lanes = ir.DenseElementsAttr.get(numbers, wide)
    offsets = create("arith.constant", [], [wide], value=lanes).result
    return _of_places(op, views, (buffer, *indices), offsets, mask)


def _wide(mask: ir.Value) -> ir.VectorType:
    """Return the type of a vector of i64, as many as a mask has."""
    return ir.VectorType.get(ir.VectorType(mask.type).shape, ir.IntegerType.get_signless(64))


def _of_places(
    op: ir.Operation,
    views: CheckedViews,
    place: Sequence[ir.Value],
    offsets: ir.Value,
    mask: ir.Value,
) -> list[Condition]:
    """Return the condition of an access by mask.

    Args:
        op: the op.
        views: the views that are checked.
        place: the buffer and the indices.
        offsets: what is added to the last index for each element, i64.
        mask: which elements are accessed.
    """
    buffer, *indices = place
    wide, index = ir.VectorType(offsets.type), ir.IndexType.get()
    bits, truth, sizes = wide.element_type, ir.IntegerType.get_signless(1), sizes_of(buffer)
    kinds = {name: ir.Attribute.parse(f"#vector.kind<{name}>") for name in ("maxui", "or")}
    start = create("arith.index_cast", [indices[-1]], [bits]).result
    starts = create("vector.broadcast", [start], [wide]).result
    places = create("arith.addi", [offsets, starts], [wide]).result
    # The offsets of other lanes may be anything.
    zeros = ir.DenseElementsAttr.get_splat(wide, ir.IntegerAttr.get(bits, 0))
    zero = create("arith.constant", [], [wide], value=zeros).result
    stored = create("arith.select", [mask, places, zero], [wide]).result
    last = create("vector.reduction", [stored], [bits], kind=kinds["maxui"]).result
    last = create("arith.index_castui", [last], [index]).result
    is_any = create("vector.reduction", [mask], [truth], kind=kinds["or"]).result
    inside = [is_below(at, size) for at, size in zip((*indices[:-1], last), sizes, strict=True)]
    fits = create("arith.select", [is_any, all_of(inside), constant(1, truth)], [truth]).result
    found = condition(
        fits,
        (f"'{op.name}' of elements up to {{}}", [*indices[:-1], last]),
        f" is out of the bounds of {description_of(views.entry, buffer)}",
        (", whose sizes are {}", sizes),
    )
    return [found]


def _as_i64(values: ir.Value, wide: ir.Type) -> ir.Value:
    """Convert a vector of integers to i64."""
    element = ir.VectorType(values.type).element_type
    if not isinstance(element, ir.IntegerType):
        return create("arith.index_cast", [values], [wide]).result
    return values if element.width == 64 else create("arith.extsi", [values], [wide]).result


def of_copy(op: ir.Operation, views: CheckedViews) -> list[Condition]:
    """Return the conditions of a copy: the sizes are equal."""
    source, target = op.operands
    sizes, others = sizes_of(source), sizes_of(target)
    same = [
        is_equal(size, other)
        for size, other in zip(sizes, others, strict=True)
        if not (isinstance(size, int) and isinstance(other, int))
    ]
    if not same:
        return []
    found = condition(
        all_of(same),
        (f"'{op.name}' of {description_of(views.entry, source)}, whose sizes are {{}},", sizes),
        f" to {description_of(views.entry, target)}",
        (", whose sizes are {}", others),
    )
    return [found]


def _shape(op: ir.Operation) -> list[int]:
    """Return the number of accessed elements in each of the last dimensions."""
    value = (op.results[0] if len(op.results) else op.operands[0]).type
    return list(ir.VectorType(value).shape) if isinstance(value, ir.VectorType) else []
