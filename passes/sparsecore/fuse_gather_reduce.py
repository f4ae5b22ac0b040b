"""`-sparsecore-fuse-gather-reduce`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import ModulePass, fail, ops_named
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._fusion.accesses import COPY, LOAD, VIEW, maker_of, row_of
from sdykit.passes.sparsecore._fusion.loops import is_same
from sdykit.passes.sparsecore._programs.arguments import source_of
from sdykit.passes.sparsecore._programs.entry import allocations_in, entry_of, phases_of
from sdykit.passes.sparsecore._programs.nesting import is_after
from sdykit.passes.sparsecore._programs.staged import LOADS, check_source, writers_of

_MARK = "sparsecore.gathered"
_PLACES = "what says which rows are gathered"
_PURE = ("arith.", "memref.dim", LOAD)


@dataclass(frozen=True)
class FuseGatherReducePass(ModulePass):
    """Read rows where they are used, instead of gathering them before.

    An allocation with the attribute `sparsecore.gathered` is filled row by row in a loop, which
    looks each row's place up and copies the row. Who loads from it behind the loop looks the
    place up there, and loads from where the row comes from: gather and reduction are one loop,
    and there are no rows in SPMEM.

    Before:

    ```mlir
    %rows = memref.alloc() {sparsecore.gathered} : memref<256x8xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %id = memref.load %ids[%k] : memref<256xi32, "spmem">
      %row = arith.index_cast %id : i32 to index
      %from = memref.subview %table[%row, 0] [%c1, 8] [1, 1] : ...
      %to = memref.subview %rows[%k, 0] [%c1, 8] [1, 1] : ...
      memref.copy %from, %to : ...
    }
    %sum = scf.for %i = %begin to %end step %c1 iter_args(%sum = %zero) -> (vector<8xf32>) {
      %0 = vector.load %rows[%i, %c0] : memref<256x8xf32, "spmem">, vector<8xf32>
    ```

    After:

    ```mlir
    %sum = scf.for %i = %begin to %end step %c1 iter_args(%sum = %zero) -> (vector<8xf32>) {
      %id = memref.load %ids[%i] : memref<256xi32, "spmem">
      %row = arith.index_cast %id : i32 to index
      %0 = vector.load %table[%row, %c0] : memref<?x8xf32>, vector<8xf32>
    ```
    """

    name = "sparsecore-fuse-gather-reduce"

    def run(self, module: ModuleOp) -> None:
        entry = entry_of(module)
        if entry is None:
            return
        for phase in phases_of(entry):
            for alloc in allocations_in(phase):
                if _MARK in alloc.attributes:
                    gather = _gather_of(alloc)
                    _check(entry, phase, gather)
                    _fuse(phase, gather)


@dataclass(frozen=True)
class _Gather:
    """The loop that fills an allocation.

    Attributes:
        alloc: what is filled.
        loop: over the rows.
        table: rows come from it.
        row: which is copied.
        needed: ops of the loop that compute it, in order.
    """

    alloc: ir.Operation
    loop: ir.Operation
    table: ir.Value
    row: ir.Value
    needed: Sequence[ir.Operation]

    @property
    def number(self) -> ir.Value:
        """Of the row, in the allocation."""
        return self.loop.regions[0].blocks[0].arguments[0]


def _gather_of(alloc: ir.Operation) -> _Gather:
    """Find the loop.

    Raises:
        PassFailure: the allocation is not filled by a loop of one copy.
    """
    users = [use.owner.operation for use in alloc.results[0].uses]
    views = [user for user in users if user.name == VIEW]
    copies = [use.owner.operation for view in views for use in view.results[0].uses]
    found = _parts_of(views[0], copies[0]) if len(views) == len(copies) == 1 else None
    if found is None:
        fail(
            alloc,
            f"is gathered, with {len(views)} views that have {len(copies)} uses; "
            "expected one view, of one row, that a loop over rows copies a row to",
        )
    loop, source, row = found
    body = [view.operation for view in loop.regions[0].blocks[0]][:-1]
    ops = [op for op in body if op not in (views[0], source, copies[0])]
    for op in ops:
        if not op.name.startswith(_PURE):
            fail(op, "is in a loop that gathers; expected arithmetic and loads")
    return _Gather(alloc, loop, source.operands[0], row, _needed_for(row, ops))


def _parts_of(
    view: ir.Operation, copy: ir.Operation
) -> tuple[ir.Operation, ir.Operation, ir.Value] | None:
    """Give the loop around a copy to a view, the view that is copied from, and its row."""
    parent = copy.parent
    if copy.name != COPY or parent is None or parent.operation.name != "scf.for":
        return None
    loop, source = parent.operation, maker_of(copy.operands[0])
    if source is None or len(loop.results) or copy.operands[1] != view.results[0]:
        return None
    counter, row = loop.regions[0].blocks[0].arguments[0], row_of(source)
    return (loop, source, row) if row is not None and is_same(row_of(view), counter) else None


def _needed_for(value: ir.Value, ops: Sequence[ir.Operation]) -> list[ir.Operation]:
    """List which of some ops in order a value depends on."""
    wanted, needed = {value}, []
    for op in reversed(ops):
        if any(result in wanted for result in op.results):
            wanted.update(op.operands)
            needed.append(op)
    return needed[::-1]


def _check(entry: ir.Operation, phase: ir.Operation, gather: _Gather) -> None:
    """Complain if rows could be others where they are used than where they are gathered."""
    known: list[ir.Block] = []  # In the loop's own block, others may be before it.
    for use in gather.alloc.results[0].uses:
        user = use.owner.operation
        if user.name == VIEW or (user.name in LOADS and user.block in known):
            continue
        if user.name not in LOADS or not is_after(gather.loop, user):
            fail(user, f"uses what is gathered; expected {' or '.join(LOADS)} behind the loop")
        if user.block != gather.loop.block:
            known.append(user.block)
    check_source(entry, phase, gather.table)
    for read in (source_of(op.operands[0]) for op in gather.needed if op.name == LOAD):
        for op in writers_of(read):
            if is_after(gather.loop, op):
                fail(op, f"writes {_PLACES}, behind the loop that gathers them")


def _fuse(phase: ir.Operation, gather: _Gather) -> None:
    """Load rows from where they come from."""
    gathered = gather.alloc.results[0]
    found: list[tuple[ir.Block, ir.Value, ir.Value]] = []
    for load in list(ops_named(phase, *LOADS)):
        if load.operands[0] != gathered:
            continue
        number = load.operands[1]
        known = (row for block, other, row in found if (block, other) == (load.block, number))
        row = next(known, None)
        if row is None:
            row = _computed(gather, number, load)
            found.append((load.block, number, row))
        _replace(load, gather.table, row)
    gather.loop.erase()
    gather.alloc.erase()


def _computed(gather: _Gather, number: ir.Value, before: ir.Operation) -> ir.Value:
    """Compute the row of a number before an op."""
    values = {gather.number: number}
    with ir.InsertionPoint(before):
        for op in gather.needed:
            copy = op.clone()
            for position, operand in enumerate(op.operands):
                copy.operands[position] = values.get(operand, operand)
            values.update(zip(op.results, copy.results, strict=True))
    return values.get(gather.row, gather.row)


def _replace(load: ir.Operation, table: ir.Value, row: ir.Value) -> None:
    """Load from a row of a table instead."""
    with ir.InsertionPoint(load):
        made = ir.Operation.create(
            load.name,
            results=[load.results[0].type],
            operands=[table, row, *list(load.operands)[2:]],
            attributes={name: load.attributes[name] for name in load.attributes},
            loc=load.location,
        )
    load.results[0].replace_all_uses_with(made.results[0])
    load.erase()
