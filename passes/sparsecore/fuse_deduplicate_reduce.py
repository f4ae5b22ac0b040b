"""`-sparsecore-fuse-deduplicate-reduce`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import ModulePass, fail
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._fusion.accesses import LOAD, STORE, accesses_in, maker_of, touched_by
from sdykit.passes.sparsecore._fusion.loops import end_of, is_same, marked_in, ops_of, round_of
from sdykit.passes.sparsecore._fusion.row_blocks import (
    CONSTANT,
    RowBlocks,
    condition_of,
    limit_of,
    row_blocks_of,
)
from sdykit.passes.sparsecore._instrument.ops import compare, constant, create
from sdykit.passes.sparsecore._programs.arguments import name_of
from sdykit.passes.sparsecore._programs.entry import entry_of

_MARK = "sparsecore.deduplicated"


@dataclass(frozen=True)
class FuseDeduplicateReducePass(ModulePass):
    """Find where the entries of a row end while they are summed, instead of before.

    Allocations with the attribute `sparsecore.deduplicated` hold what is known of the rows of a
    block: a loop finds the next rows as long as there is room for them, and stores for each where
    its entries end; another loop goes over these rows, from the position of the first entry on.
    Both are in a loop over blocks. One loop becomes of the three. It needs no room, and what is
    loaded is what would have been stored; the number of the row starts from 0 again where a block
    would end. Where a position is compared with the end of the row, it is asked whether the row
    goes on there, as the first loop did.

    That only positions behind the first of a row and up to its end are compared is up to the
    program, and that the second loop carries the end of each row to the next.

    Before:

    ```mlir
    scf.while (%block = %first) : (index) -> index {
      %left = arith.cmpi slt, %block, %last : index
      scf.condition(%left) %block : index
    } do {
    ^bb0(%block: index):
      %found:2 = scf.while (%p = %block, %n = %c0) : (index, index) -> (index, index) {
        %left = arith.cmpi slt, %p, %last : index
        %room = arith.cmpi slt, %n, %c64 : index
        %both = arith.andi %left, %room : i1
        scf.condition(%both) %p, %n : index, index
      } do {
      ^bb0(%p: index, %n: index):
        %behind = arith.addi %p, %c1 : index
        %end = scf.while (%q = %behind) : (index) -> index {
          %same = "goes on at"(%q)
          scf.condition(%same) %q : index
        } do { ... }
        memref.store %end, %ends[%n] : memref<64xindex, "spmem">
        %next = arith.addi %n, %c1 : index
        scf.yield %end, %next : index, index
      }
      scf.for %k = %c0 to %found#1 step %c1 iter_args(%begin = %block) -> (index) {
        %end = memref.load %ends[%k] : memref<64xindex, "spmem">
        %stop = scf.while (%q = %begin) : (index) -> index {
          %behind = arith.addi %q, %c1 : index
          %on = arith.cmpi slt, %behind, %end : index
          scf.condition(%on) %behind : index
        } do { ... }
        scf.yield %stop : index
      }
      scf.yield %found#0 : index
    }
    ```

    After:

    ```mlir
    scf.while (%begin = %first, %k = %c0) : (index, index) -> (index, index) {
      %left = arith.cmpi slt, %begin, %last : index
      scf.condition(%left) %begin, %k : index, index
    } do {
    ^bb0(%begin: index, %k: index):
      %stop = scf.while (%q = %begin) : (index) -> index {
        %behind = arith.addi %q, %c1 : index
        %same = "goes on at"(%behind)
        scf.condition(%same) %behind : index
      } do { ... }
      %next = arith.addi %k, %c1 : index
      %full = arith.cmpi eq, %next, %c64 : index
      %place = arith.select %full, %c0, %next : index
      scf.yield %stop, %place : index, index
    }
    ```
    """

    name = "sparsecore-fuse-deduplicate-reduce"

    def run(self, module: ModuleOp) -> None:
        entry = entry_of(module)
        if entry is None:
            return
        left = marked_in(entry, _MARK)
        while left:
            block = left[0].block
            held = [alloc for alloc in left if alloc.block == block]
            left = [alloc for alloc in left if alloc.block != block]
            loops = row_blocks_of(held)
            _check(entry, loops, held)
            _fuse(loops, held)


def _check(entry: ir.Operation, loops: RowBlocks, held: Sequence[ir.Operation]) -> None:
    """Complain if it matters that rows are summed before the next ones are found."""
    known = [alloc.results[0] for alloc in held]
    read: set[ir.Value] = set()
    for op in accesses_in(loops.find, "a loop that finds rows"):
        for buffer, is_written in touched_by(op):
            if is_written and buffer not in known:
                fail(op, f"writes {name_of(entry, buffer)}, in a loop that finds rows")
            read.add(buffer)
    for op in accesses_in(loops.reduce, "a loop over rows"):
        for buffer, is_written in touched_by(op):
            if is_written and buffer in read:
                fail(op, f"writes {name_of(entry, buffer)}, which the loop that finds rows reads")
    for op in ops_of(loops.blocks.regions[0].blocks[0]):
        if not op.name.startswith("arith."):
            fail(op, "is in the condition of a loop over blocks; expected arithmetic")


def _fuse(loops: RowBlocks, held: list[ir.Operation]) -> None:
    """Do what is done with a row when it is found."""
    find, reduce = loops.find, loops.reduce
    for op in ops_of(round_of(loops.blocks)):
        if op.name == CONSTANT:
            op.move_before(loops.blocks)
    find.operands[0] = loops.blocks.operands[0]
    find.move_before(loops.blocks)
    position, number = round_of(find).arguments
    for value, same in zip(round_of(reduce).arguments, (number, position), strict=True):
        value.replace_all_uses_with(same)
    for op in ops_of(round_of(reduce)):
        op.move_before(loops.end)
    goes_on = end_of(round_of(find))
    goes_on.operands[0] = end_of(round_of(reduce)).operands[0]
    loops.blocks.results[0].replace_all_uses_with(find.results[0])
    loops.blocks.erase()
    for alloc in held:
        _pass_on(alloc, loops.end)
    loops.end.erase()
    _go_round(find, loops.room)


def _pass_on(alloc: ir.Operation, end: ir.Operation) -> None:
    """Use what is stored in an allocation where it is loaded; positions of ends are compared."""
    users = [use.owner.operation for use in alloc.results[0].uses]
    store = next(user for user in users if user.name == STORE)
    for load in users:
        if load.name == LOAD and store.operands[0] == end.results[0]:
            _look_on(load, end)
        elif load.name == LOAD:
            load.results[0].replace_all_uses_with(store.operands[0])
    for user in (*users, alloc):
        user.erase()


def _look_on(load: ir.Operation, end: ir.Operation) -> None:
    """Where a position is compared with the end of a row, ask whether the row goes on there.

    Raises:
        PassFailure: the end is used for something else.
    """
    condition = condition_of(end)
    assert condition is not None  # It has been looked at.
    for comparison in [use.owner.operation for use in load.results[0].uses]:
        position, found = comparison.operands[0], load.results[0]
        if position == found or not is_same(limit_of(comparison, position), found):
            fail(comparison, "uses the end of a row; expected that a position is less than it")
        values = {end.regions[0].blocks[0].arguments[0]: position}
        with ir.InsertionPoint(comparison):
            for op in ops_of(end.regions[0].blocks[0]):
                _copy(op, values)
        same = condition.results[0]
        comparison.results[0].replace_all_uses_with(values.get(same, same))
        comparison.erase()


def _copy(op: ir.Operation, values: dict[ir.Value, ir.Value]) -> None:
    """Copy an op with what is in it.

    Args:
        op: to be copied.
        values: which values become which others; the results of the op are added.
    """

    def replace(inner: ir.Operation) -> ir.WalkResult:
        for number, operand in enumerate(inner.operands):
            if operand in values:
                inner.operands[number] = values[operand]
        return ir.WalkResult.ADVANCE

    made = op.clone()
    made.walk(replace)
    values.update(zip(op.results, made.results, strict=True))


def _go_round(find: ir.Operation, room: int) -> None:
    """Go on as long as there are positions; rows behind those that fit have the first places."""
    both, goes_on = condition_of(find), end_of(round_of(find))
    has_room = both and maker_of(both.operands[1])
    assert both is not None  # They have been looked at.
    assert has_room is not None
    both.results[0].replace_all_uses_with(both.operands[0])
    both.erase()
    if not list(has_room.results[0].uses):
        has_room.erase()
    behind = goes_on.operands[1]
    with ir.InsertionPoint(goes_on), goes_on.location:
        is_full = compare(0, behind, constant(room, behind.type))
        place = create("arith.select", [is_full, constant(0, behind.type), behind], [behind.type])
    goes_on.operands[1] = place.result
