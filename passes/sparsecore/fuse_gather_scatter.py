"""`-sparsecore-fuse-gather-scatter`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass, fail
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._fusion.accesses import (
    BUFFERS,
    COPY,
    LOAD,
    VIEW,
    accesses_in,
    maker_of,
    row_of,
    touched_by,
)
from sdykit.passes.sparsecore._fusion.loops import (
    FOR,
    count_the_same,
    is_same,
    loop_around,
    marked_in,
    ops_between,
    ops_of,
    round_of,
)
from sdykit.passes.sparsecore._programs.arguments import name_of, source_of
from sdykit.passes.sparsecore._programs.entry import entry_of

_MARK = "sparsecore.in_place"
_IDLE = ("arith.", LOAD)
_EXPECTED = (
    "expected two views, of one row each: a loop copies rows of a buffer to the one, and a loop "
    "behind it copies the other back to the same rows, which are loaded from a list"
)
_BETWEEN = "what is between two loops that copy rows"
_Key = tuple[ir.Block, ir.Value, ir.Value]


@dataclass(frozen=True)
class FuseGatherScatterPass(ModulePass):
    """Change rows where they are, instead of gathering them before and scattering them behind.

    An allocation with the attribute `sparsecore.in_place` is filled by a loop that copies rows of
    a buffer there, and copied back to the same rows by another loop. What is between them changes
    the buffer's rows themselves, and the copies go.

    That no row is gathered twice, and only what was gathered is loaded, is up to the program.

    Before:

    ```mlir
    %held = memref.alloc() {sparsecore.in_place} : memref<64x8xf32, "spmem">
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex, "spmem">
      %from = memref.subview %table[%row, 0] [1, 8] [1, 1] : ...
      %to = memref.subview %held[%k, 0] [1, 8] [1, 1] : ...
      memref.copy %from, %to : ...
    }
    scf.for %k = %c0 to %n step %c1 {
      %0 = vector.load %held[%k, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
      %1 = arith.addf %0, %0 : vector<8xf32>
      vector.store %1, %held[%k, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
    }
    // The copies of the first loop, the other way round.
    ```

    After:

    ```mlir
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %rows[%k] : memref<64xindex, "spmem">
      %0 = vector.load %table[%row, %c0] : memref<?x8xf32>, vector<8xf32>
      %1 = arith.addf %0, %0 : vector<8xf32>
      vector.store %1, %table[%row, %c0] : memref<?x8xf32>, vector<8xf32>
    }
    ```
    """

    name = "sparsecore-fuse-gather-scatter"

    def run(self, module: ModuleOp) -> None:
        entry = entry_of(module)
        if entry is None:
            return
        found: dict[tuple[ir.Operation, ir.Operation], list[_Copies]] = {}
        for alloc in marked_in(entry, _MARK):
            copies = _copies_of(alloc)
            found.setdefault(copies.loops, []).append(copies)
        for copies in found.values():
            _fuse(entry, copies[0].loops, copies)


@dataclass(frozen=True)
class _Copies:
    """The two copies of rows.

    Attributes:
        alloc: what rows are copied to, and from.
        buffer: that rows come from.
        rows: which rows they are.
        ops: the copies: to SPMEM, and back.
        loops: of these.
    """

    alloc: ir.Operation
    buffer: ir.Value
    rows: ir.Value
    ops: tuple[ir.Operation, ir.Operation]
    loops: tuple[ir.Operation, ir.Operation]


def _copies_of(alloc: ir.Operation) -> _Copies:
    """Find the copies.

    Raises:
        PassFailure: rows are not copied there and back, each by a loop.
    """
    users = [use.owner.operation for use in alloc.results[0].uses]
    views = [user for user in users if user.name == VIEW]
    uses = [use for view in views for use in view.results[0].uses]
    copies = {use.operand_number: use.owner.operation for use in uses}
    if len(views) != 2 or len(uses) != 2 or set(copies) != {0, 1}:
        fail(
            alloc,
            f"is changed in place, with {len(views)} views that have {len(uses)} uses; {_EXPECTED}",
        )
    gather, scatter = copies[1], copies[0]
    first, last = loop_around(gather, FOR), loop_around(scatter, FOR)
    if first is None or last is None or first.block != last.block:
        fail(alloc, f"is changed in place, and has no two loops; {_EXPECTED}")
    if not count_the_same(first, last):
        fail(last, f"copies other rows back than were copied; {_EXPECTED}")
    end = _other_end(gather, first, 0)
    if end is None or end != _other_end(scatter, last, 1) or not first.is_before_in_block(last):
        fail(alloc, f"is changed in place, and not copied row by row; {_EXPECTED}")
    return _Copies(alloc, *end, (gather, scatter), (first, last))


def _other_end(
    copy: ir.Operation, loop: ir.Operation, side: int
) -> tuple[ir.Value, ir.Value] | None:
    """Give the buffer on a side of a copy in a loop, and the list of the rows there."""
    if copy.name != COPY or len(loop.results):
        return None
    number = round_of(loop).arguments[0]
    view, own = (maker_of(copy.operands[each]) for each in (side, 1 - side))
    row = view and row_of(view)
    load = row and maker_of(row)
    if view is None or own is None or load is None or load.name != LOAD:
        return None
    if len(list(view.results[0].uses)) != 1:
        return None
    if not is_same(row_of(own), number) or list(load.operands)[1:] != [number]:
        return None
    return view.operands[0], load.operands[0]


def _fuse(
    entry: ir.Operation, loops: tuple[ir.Operation, ir.Operation], found: list[_Copies]
) -> None:
    """Access the rows that two loops copy where they come from."""
    known: list[tuple[_Key, ir.Value]] = []
    for op, copies in _accesses(entry, loops, found):
        side = BUFFERS[op.name]
        key = op.block, copies.rows, op.operands[side + 1]
        row = next((row for other, row in known if other == key), None)
        if row is None:
            row = _load(op, *key[1:])
            known.append((key, row))
        op.operands[side] = copies.buffer
        op.operands[side + 1] = row
    for copies in found:
        for copy in copies.ops:
            views = [maker_of(view) for view in copy.operands]
            for op in (copy, *views):
                assert op is not None  # They have been looked at.
                op.erase()
        copies.alloc.erase()
    for loop in loops:
        if all(op.name.startswith(_IDLE) for op in ops_of(round_of(loop))):
            loop.erase()


def _accesses(
    entry: ir.Operation, loops: tuple[ir.Operation, ir.Operation], found: list[_Copies]
) -> list[tuple[ir.Operation, _Copies]]:
    """List what accesses the rows in SPMEM.

    Raises:
        PassFailure: something does so elsewhere than between the loops, or what is there accesses
            the rows themselves, or changes which they are.
    """
    held = {copies.alloc.results[0]: copies for copies in found}
    wholes = [source_of(copies.buffer) for copies in found]
    lists = [source_of(copies.rows) for copies in found]
    accesses = []
    between = [each for op in ops_between(*loops) for each in accesses_in(op, _BETWEEN)]
    _check_loops(entry, loops, found)
    for op in between:
        for buffer, is_written in touched_by(op):
            if buffer in held and op.name != COPY and op.operands[BUFFERS[op.name]] == buffer:
                accesses.append((op, held[buffer]))
            elif buffer in wholes:
                fail(op, f"accesses {name_of(entry, buffer)}, whose rows are changed in SPMEM")
            elif is_written and buffer in lists:
                fail(op, "changes which rows are changed in SPMEM")
    for value, copies in held.items():
        if len(list(value.uses)) != 2 + sum(each is copies for _, each in accesses):
            fail(copies.alloc, f"is changed in place, and used elsewhere; {_EXPECTED}")
    return accesses


def _check_loops(
    entry: ir.Operation, loops: tuple[ir.Operation, ir.Operation], found: list[_Copies]
) -> None:
    """Complain if the loops do more with buffers and lists than to copy rows, once."""
    wholes: list[ir.Value] = []
    for copies in found:
        buffer = source_of(copies.buffer)
        if buffer in wholes:
            fail(copies.alloc, f"has rows of {name_of(entry, buffer)}, as another one has")
        wholes.append(buffer)
    lists = [source_of(copies.rows) for copies in found]
    known = [copy for copies in found for copy in copies.ops]
    for number, loop in enumerate(loops):
        for op in accesses_in(loop, "a loop that copies rows"):
            for buffer, is_written in touched_by(op) if op not in known else ():
                is_late = number == 1 and buffer in wholes
                if is_late or (is_written and buffer in (*wholes, *lists)):
                    fail(op, f"accesses {name_of(entry, buffer)}, in a loop that copies its rows")


def _load(before: ir.Operation, rows: ir.Value, number: ir.Value) -> ir.Value:
    """Load which row a number stands for."""
    element = ir.MemRefType(rows.type).element_type
    with ir.InsertionPoint(before), before.location:
        return ir.Operation.create(LOAD, results=[element], operands=[rows, number]).result
