"""`-sparsecore-check-nan`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass, ops_named
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._instrument import (
    Reporter,
    create,
    make_reporter,
    name_of,
    source_of,
    wide,
)
from sdykit.passes.sparsecore._tile import entry_of, phases_of

_LOADS = ("memref.load", "vector.load")
_STORES = ("memref.store", "vector.store")
_UNORDERED = 14
_MOST_RANK = 7


@dataclass(frozen=True)
class CheckNanPass(ModulePass):
    """Look for NaN in what a tile program reads from its arguments and writes to them.

    The program goes on; the first NaN that is seen is told through a status argument,
    `memref<8xi64>` with the attribute `sparsecore.status`, which the entry function gets. The texts
    are in `sparsecore.messages`.

    Before:

    ```mlir
    %0 = memref.load %gains[%i] : memref<?xf32>
    ```

    After:

    ```mlir
    %0 = memref.load %gains[%i] : memref<?xf32>
    %is_nan = arith.cmpf uno, %0, %0 : f32
    scf.if %is_nan {
      // stores to %status, unless it holds a message
    }
    ```
    """

    name = "sparsecore-check-nan"

    def run(self, module: ModuleOp) -> None:
        entry = entry_of(module)
        if entry is None:
            return
        names = (*_LOADS, *_STORES)
        accesses = [op for phase in phases_of(entry) for op in ops_named(phase, *names)]
        with module.context, ir.Location.unknown():
            reporter = make_reporter(entry)
            for op in accesses:
                _check(op, reporter)
            reporter.finish()


def _check(op: ir.Operation, reporter: Reporter) -> None:
    is_load = op.name in _LOADS
    value = op.results[0] if is_load else op.operands[0]
    buffer, *indices = list(op.operands)[0 if is_load else 1 :]
    element = value.type.element_type if isinstance(value.type, ir.VectorType) else value.type
    is_argument = isinstance(source_of(buffer), ir.BlockArgument)
    if not is_argument or not isinstance(element, ir.FloatType) or len(indices) > _MOST_RANK:
        return
    number = reporter.number_of(_message(op, buffer, len(indices), reporter))
    with _behind(op), op.location:
        truth = ir.IntegerType.get_signless(1)
        choice = create("scf.if", [_any_nan(value, truth)], regions=2)
        with ir.InsertionPoint(choice.regions[0].blocks.append()):
            reporter.report(number, wide(indices))
            create("scf.yield", [])


def _behind(op: ir.Operation) -> ir.InsertionPoint:
    """Give the place right behind an op, which is no terminator."""
    ops = op.block.operations
    at = next(number for number, other in enumerate(ops) if other.operation == op)
    return ir.InsertionPoint(ops[at + 1])


def _any_nan(value: ir.Value, truth: ir.Type) -> ir.Value:
    bits = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _UNORDERED)
    if not isinstance(value.type, ir.VectorType):
        return create("arith.cmpf", [value, value], [truth], predicate=bits).result
    lanes = ir.VectorType.get(value.type.shape, truth)
    found = create("arith.cmpf", [value, value], [lanes], predicate=bits).result
    kind = ir.Attribute.parse("#vector.kind<or>")
    return create("vector.reduction", [found], [truth], kind=kind).result


def _message(op: ir.Operation, buffer: ir.Value, rank: int, reporter: Reporter) -> str:
    places = ", ".join(f"{{{number}}}" for number in range(1, rank + 1))
    verb = "read from" if op.name in _LOADS else "written to"
    name = name_of(reporter.entry, buffer)
    where = "" if isinstance(buffer, ir.BlockArgument) else " (counted from the tile's part)"
    return f"NaN {verb} {name} at or behind [{places}]{where}"
