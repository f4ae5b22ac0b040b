"""`-sparsecore-check-bounds`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass, ops_named
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._instrument import (
    Reporter,
    compare,
    constant,
    create,
    make_reporter,
    name_of,
    wide,
)
from sdykit.passes.sparsecore._tile import entry_of, phases_of

_ACCESSES = {"memref.load": 0, "memref.store": 1, "vector.load": 0, "vector.store": 1}
"""Ops that access memory, and which operand is the buffer; indices follow it."""
_ULT, _ULE = 6, 7
_MOST_RANK = 3
"""A message has room for as many indices and sizes."""


@dataclass(frozen=True)
class CheckBoundsPass(ModulePass):
    """Check every load and store of a tile program against the bounds of its buffer.

    What is out of bounds is not accessed: a load gives zeros, a store does nothing. The entry
    function gets a status argument, `memref<8xi64>` with the attribute `sparsecore.status`, which
    says what was accessed and where; the texts are in `sparsecore.messages`. To be run late, as
    it hides accesses from other passes.

    Before:

    ```mlir
    %0 = memref.load %ids[%i] : memref<?xi32>
    ```

    After:

    ```mlir
    %size = memref.dim %ids, %c0 : memref<?xi32>
    %inside = arith.cmpi ult, %i, %size : index
    %0 = scf.if %inside -> (i32) {
      %1 = memref.load %ids[%i] : memref<?xi32>
      scf.yield %1 : i32
    } else {
      // stores to %status, unless it holds a message
      scf.yield %c0_i32 : i32
    }
    ```
    """

    name = "sparsecore-check-bounds"

    def run(self, module: ModuleOp) -> None:
        entry = entry_of(module)
        if entry is None:
            return
        accesses = [op for phase in phases_of(entry) for op in ops_named(phase, *_ACCESSES)]
        with module.context, ir.Location.unknown():
            reporter = make_reporter(entry)
            for op in accesses:
                _guard(op, reporter)
            reporter.finish()


def _guard(op: ir.Operation, reporter: Reporter) -> None:
    at = _ACCESSES[op.name]
    buffer, indices = op.operands[at], list(op.operands)[at + 1 :]
    if buffer == reporter.status or not 1 <= len(indices) <= _MOST_RANK:
        return
    types = [result.type for result in op.results]
    with ir.InsertionPoint(op), op.location:
        sizes = _sizes(buffer, len(indices))
        inside = _is_inside(op, indices, sizes)
        choice = create("scf.if", [inside], types, regions=2)
        with ir.InsertionPoint(choice.regions[0].blocks.append()) as then:
            copy = op.clone(then)
            create("scf.yield", list(copy.results))
        with ir.InsertionPoint(choice.regions[1].blocks.append()):
            reporter.report(_message(op, buffer, len(indices), reporter), wide(indices + sizes))
            create("scf.yield", [_zero(type_) for type_ in types])
    for old, new in zip(op.results, choice.results, strict=True):
        old.replace_all_uses_with(new)
    op.erase()


def _sizes(buffer: ir.Value, rank: int) -> list[ir.Value]:
    index = ir.IndexType.get()
    return [
        create("memref.dim", [buffer, constant(dimension, index)], [index]).result
        for dimension in range(rank)
    ]


def _is_inside(op: ir.Operation, indices: list[ir.Value], sizes: list[ir.Value]) -> ir.Value:
    """Compare as unsigned numbers: a negative index is larger than any size."""
    found = [compare(_ULT, index, size) for index, size in zip(indices, sizes, strict=True)]
    count = _count(op)
    if count > 1:
        end = create(
            "arith.addi", [indices[-1], constant(count, indices[-1].type)], [indices[-1].type]
        )
        found.append(compare(_ULE, end.result, sizes[-1]))
    inside = found[0]
    for other in found[1:]:
        inside = create("arith.andi", [inside, other], [inside.type]).result
    return inside


def _count(op: ir.Operation) -> int:
    """Give how many elements side by side are accessed."""
    value = (op.results[0] if len(op.results) else op.operands[0]).type
    return ir.VectorType(value).shape[-1] if isinstance(value, ir.VectorType) else 1


def _message(op: ir.Operation, buffer: ir.Value, rank: int, reporter: Reporter) -> int:
    places = [f"{{{number}}}" for number in range(1, 2 * rank + 1)]
    count = _count(op)
    what = f"{count} elements" if count > 1 else "1 element"
    return reporter.number_of(
        f"'{op.name}' of {what} at [{', '.join(places[:rank])}] is out of the bounds of "
        f"{name_of(reporter.entry, buffer)}, whose sizes are [{', '.join(places[rank:])}]"
    )


def _zero(type_: ir.Type) -> ir.Value:
    element = type_.element_type if isinstance(type_, ir.VectorType) else type_
    if isinstance(element, ir.FloatType):
        zero: ir.Attribute = ir.FloatAttr.get(element, 0.0)
    else:
        zero = ir.IntegerAttr.get(element, 0)
    if isinstance(type_, ir.VectorType):
        zero = ir.DenseElementsAttr.get_splat(type_, zero)
    return create("arith.constant", [], [type_], value=zero).result
