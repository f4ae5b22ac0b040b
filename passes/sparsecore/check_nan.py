"""`-sparsecore-check-nan`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from sdykit.core import ModulePass, ops_named
from sdykit.core.sparsecore.names import CHECK
from sdykit.core.sparsecore.views import SUBVIEW, Number, parts_of
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._instrument.numbers import compute, sizes_of, value_of
from sdykit.passes.sparsecore._instrument.ops import constant, create, wide
from sdykit.passes.sparsecore._instrument.reports import Reporter, make_reporter
from sdykit.passes.sparsecore._programs.arguments import name_of, source_of
from sdykit.passes.sparsecore._programs.entry import entry_of, phases_of

_LOADS = ("memref.load", "vector.load")
_MASKED_LOAD = "vector.maskedload"
_MASKED_STORE = "vector.maskedstore"
_STORES = ("memref.store", "vector.store")
_COPY = "memref.copy"
_CASTS = ("memref.cast", "memref.memory_space_cast")
_REINTERPRET = "memref.reinterpret_cast"
_UNORDERED = 14
_MAX_RANK = 7


@dataclass(frozen=True)
class CheckNanPass(ModulePass):
    """Look for NaN in what a tile program reads from its arguments and writes to them.

    The program continues; the first NaN is reported through a status argument that the pass adds to
    the entry function, `memref<8xi64>` with the attribute `sparsecore.status`. It holds the number
    of a message in `sparsecore.messages` and the position in the argument, whatever view of it is
    read.

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
        names = (*_LOADS, *_STORES, _MASKED_LOAD, _MASKED_STORE, _COPY)
        accesses = [op for phase in phases_of(entry) for op in ops_named(phase, *names)]
        with module.context, ir.Location.unknown():
            reporter = make_reporter(entry)
            for op in accesses:
                _check(op, reporter)
            reporter.finish()


def _check(op: ir.Operation, reporter: Reporter) -> None:
    with ir.InsertionPoint.after(op), op.location:
        if op.name == _COPY:
            source, target = op.operands
            _check_all(source, "read from", reporter)
            _check_all(target, "written to", reporter)
        elif op.name == _MASKED_LOAD:
            buffer, *indices, _, _ = op.operands
            _check_value(op.results[0], buffer, indices, "read from", reporter)
        elif op.name == _MASKED_STORE:
            buffer, *indices, mask, value = op.operands
            if _is_checked(buffer, ir.VectorType(value.type).element_type):
                value = _in_mask(value, mask)
            _check_value(value, buffer, indices, "written to", reporter)
        elif op.name in _LOADS:
            buffer, *indices = op.operands
            _check_value(op.results[0], buffer, indices, "read from", reporter)
        else:
            value, buffer, *indices = op.operands
            _check_value(value, buffer, indices, "written to", reporter)


def _in_mask(values: ir.Value, mask: ir.Value) -> ir.Value:
    """Return the elements of a mask, and 0 for others."""
    element = ir.VectorType(values.type).element_type
    zero = ir.DenseElementsAttr.get_splat(values.type, ir.FloatAttr.get(element, 0.0))
    zeros = create("arith.constant", [], [values.type], value=zero).result
    return create("arith.select", [mask, values, zeros], [values.type]).result


def _check_all(buffer: ir.Value, verb: str, reporter: Reporter) -> None:
    """Check each element of a buffer, in nested loops."""
    element = ir.MemRefType(buffer.type).element_type
    if not _is_checked(buffer, element):
        return
    index = ir.IndexType.get()

    def nest(left: list[Number], indices: list[ir.Value]) -> None:
        if not left:
            load = create("memref.load", [buffer, *indices], [element])
            load.attributes[CHECK] = ir.UnitAttr.get()
            value = load.result
            _check_value(value, buffer, indices, verb, reporter)
            return
        bounds = [constant(0, index), value_of(left[0]), constant(1, index)]
        loop = create("scf.for", bounds, regions=1)
        block = loop.regions[0].blocks.append(index)
        with ir.InsertionPoint(block):
            nest(left[1:], [*indices, block.arguments[0]])
            create("scf.yield", [])

    nest(sizes_of(buffer), [])


def _check_value(
    value: ir.Value, buffer: ir.Value, indices: Sequence[ir.Value], verb: str, reporter: Reporter
) -> None:
    """Check a value that is loaded or stored, and report a NaN."""
    vector = value.type
    element = vector.element_type if isinstance(vector, ir.VectorType) else vector
    if not _is_checked(buffer, element):
        return
    truth = ir.IntegerType.get_signless(1)
    choice = create("scf.if", [_any_nan(value, truth)], regions=2)
    with ir.InsertionPoint(choice.regions[0].blocks.append()):
        position = _position(buffer, indices)
        where = " (relative to the tile's part)" if position is None else ""
        values = indices if position is None else position
        places = ", ".join(f"{{{number}}}" for number in range(1, len(values) + 1))
        name = name_of(reporter.entry, buffer)
        number = reporter.number_of(f"NaN {verb} {name} at or after [{places}]{where}")
        reporter.report(number, wide(values))
        create("scf.yield", [])


def _position(buffer: ir.Value, indices: Sequence[ir.Value]) -> list[ir.Value] | None:
    """Return the position in the argument of an element of a view; None: the view is not followed."""
    position: list[Number] = list(indices)
    while not isinstance(buffer.owner, ir.Block):
        view = buffer.owner.operation
        source = view.operands[0]
        if view.name == SUBVIEW:
            offsets, _, steps = parts_of(view)
            if len(offsets) != len(position) or any(step != 1 for step in steps):
                return None
            position = [
                compute("arith.addi", *both) for both in zip(position, offsets, strict=True)
            ]
        elif view.name == _REINTERPRET and _is_one_row(view):
            both = [value_of(position[0]), value_of(sizes_of(source)[1])]
            names = ("arith.divui", "arith.remui")
            position = [create(name, both, [ir.IndexType.get()]).result for name in names]
        elif view.name not in _CASTS:
            return None
        buffer = source
    return [value_of(each) for each in position]


def _is_one_row(view: ir.Operation) -> bool:
    """Return whether a view is of all rows of an argument, one after another, as one row."""
    source = view.operands[0]
    (offset,), sizes, steps = parts_of(view)
    type_ = ir.MemRefType(source.type)
    is_plain = isinstance(source.owner, ir.Block) and type_.rank == 2
    return is_plain and offset == 0 and len(sizes) == 1 and steps == [1]


def _is_checked(buffer: ir.Value, element: ir.Type) -> bool:
    """Return whether a buffer is of floats, and an argument or a view of one."""
    is_argument = isinstance(source_of(buffer), ir.BlockArgument)
    is_small = ir.MemRefType(buffer.type).rank <= _MAX_RANK
    return is_argument and is_small and isinstance(element, ir.FloatType)


def _any_nan(value: ir.Value, truth: ir.Type) -> ir.Value:
    bits = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _UNORDERED)
    if not isinstance(value.type, ir.VectorType):
        return create("arith.cmpf", [value, value], [truth], predicate=bits).result
    lanes = ir.VectorType.get(value.type.shape, truth)
    found = create("arith.cmpf", [value, value], [lanes], predicate=bits).result
    if len(lanes.shape) != 1:
        flat = ir.VectorType.get([prod(lanes.shape)], truth)
        found = create("vector.shape_cast", [found], [flat]).result
    kind = ir.Attribute.parse("#vector.kind<or>")
    return create("vector.reduction", [found], [truth], kind=kind).result
