"""`-sparsecore-check-bounds`.

`accesses` has the conditions of each kind of access, `views` those of views in their buffers; both
are made of `conditions`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import ModulePass, fail
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._instrument.ops import create
from sdykit.passes.sparsecore._instrument.reports import Reporter, make_reporter
from sdykit.passes.sparsecore._programs.entry import entry_of
from sdykit.passes.sparsecore.check_bounds.accesses import (
    ACCESSES,
    COMPRESSED,
    MASKED,
    SCATTERED,
    of_access,
    of_compressed,
    of_copy,
    of_masked,
    of_scattered,
)
from sdykit.passes.sparsecore.check_bounds.conditions import (
    Condition,
    all_of,
    report_failure,
)
from sdykit.passes.sparsecore.check_bounds.views import VIEWS, CheckedViews

_COPY = "memref.copy"
_HARMLESS = ("memref.dim", "memref.rank", "memref.prefetch", "memref.dealloc", *VIEWS)
"""Ops that take buffers and access nothing; views are checked where they are used."""
_ELEMENTS = (ir.IntegerType, ir.FloatType, ir.IndexType)
_MAX_RANK = 7


@dataclass(frozen=True)
class CheckBoundsPass(ModulePass):
    """Check every access of a tile program against the bounds of its buffer.

    Loads, stores and copies are checked, and the views that they access. An access out of bounds is
    not made: a load returns zeros, a store or a copy does nothing. The pass adds a status argument
    to the entry function, `memref<8xi64>` with the attribute `sparsecore.status`, which holds the
    number of a message in `sparsecore.messages` and the values in it: what was accessed, and where.
    Run the pass late, as it hides accesses from other passes.

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
        accesses = _accesses_in(entry)
        with module.context, ir.Location.unknown():
            reporter = make_reporter(entry)
            views = CheckedViews(entry)
            for op in accesses:
                _check(op, views, reporter)
            reporter.finish()


def _accesses_in(entry: ir.Operation) -> list[ir.Operation]:
    """Return the ops that access memory.

    Raises:
        PassFailure: an op takes a buffer, and it is not known what it accesses.
    """
    found = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if any(isinstance(each.type, ir.MemRefType) for each in op.operands):
            found.append(op)
        return ir.WalkResult.ADVANCE

    entry.walk(visit)
    accesses = [op for op in found if op.name not in _HARMLESS]
    for op in accesses:
        known = (*ACCESSES, _COPY, COMPRESSED, SCATTERED, *MASKED)
        if op.name not in known:
            fail(
                op,
                "takes a buffer, and its bounds cannot be checked; "
                f"expected one of {', '.join((*known, *_HARMLESS))}",
            )
        _check_types(op)
    return accesses


def _check_types(op: ir.Operation) -> None:
    for buffer in _buffers_of(op):
        type_ = buffer.type
        if not isinstance(type_, ir.MemRefType) or not isinstance(type_.element_type, _ELEMENTS):
            fail(op, f"accesses '{type_}'; expected a buffer of integers or floats")
        if type_.rank > _MAX_RANK:
            fail(op, f"accesses a buffer of rank {type_.rank}; expected at most {_MAX_RANK}")


def _buffers_of(op: ir.Operation) -> list[ir.Value]:
    if op.name == _COPY:
        return list(op.operands)
    return [op.operands[ACCESSES.get(op.name, 0)]]


def _check(op: ir.Operation, views: CheckedViews, reporter: Reporter) -> None:
    buffers = _buffers_of(op)
    if reporter.status in buffers:
        return
    outer = {each: None for buffer in buffers for each in views.conditions(op, buffer)}
    with ir.InsertionPoint(op), op.location:
        of = {_COPY: of_copy, COMPRESSED: of_compressed, SCATTERED: of_scattered}
        of |= dict.fromkeys(MASKED, of_masked)
        own = of.get(op.name, of_access)(op, views)
    if outer or own:
        _guard(op, [*outer, *own], reporter)


def _guard(op: ir.Operation, conditions: Sequence[Condition], reporter: Reporter) -> None:
    """Run an op only if all conditions hold; else report the first that does not."""
    types = [result.type for result in op.results]
    with ir.InsertionPoint(op), op.location:
        choice = create("scf.if", [all_of([each.holds for each in conditions])], types, regions=2)
        with ir.InsertionPoint(choice.regions[0].blocks.append()) as then:
            copy = op.clone(then)
            create("scf.yield", list(copy.results))
        with ir.InsertionPoint(choice.regions[1].blocks.append()):
            for each in conditions:
                report_failure(each, reporter, is_known=len(conditions) == 1)
            create("scf.yield", [_zero(type_) for type_ in types])
    for old, new in zip(op.results, choice.results, strict=True):
        old.replace_all_uses_with(new)
    op.erase()


def _zero(type_: ir.Type) -> ir.Value:
    element = type_.element_type if isinstance(type_, ir.VectorType) else type_
    if isinstance(element, ir.FloatType):
        zero: ir.Attribute = ir.FloatAttr.get(element, 0.0)
    else:
        zero = ir.IntegerAttr.get(element, 0)
    if isinstance(type_, ir.VectorType):
        zero = ir.DenseElementsAttr.get_splat(type_, zero)
    return create("arith.constant", [], [type_], value=zero).result
