"""`-sparsecore-fuse-reduce-apply`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core import ModulePass, fail
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._fusion.accesses import (
    BUFFERS,
    accesses_in,
    first_index_of,
    touched_by,
)
from sdykit.passes.sparsecore._fusion.loops import (
    FOR,
    count_the_same,
    end_of,
    is_equal,
    is_same,
    marked_in,
    ops_between,
    ops_of,
    round_of,
)
from sdykit.passes.sparsecore._programs.arguments import name_of
from sdykit.passes.sparsecore._programs.entry import entry_of
from sdykit.passes.sparsecore._programs.nesting import parents_of, place_in
from sdykit.passes.sparsecore._programs.staged import LOADS, WRITTEN

_MARK = "sparsecore.sums"
_LOOP = "a loop for sums"
_PURE = ("arith.", "memref.dim")
_EXPECTED = (
    "expected a loop that stores those of each round's number, and a loop right behind it that "
    "counts the same and loads them"
)


@dataclass(frozen=True)
class FuseReduceApplyPass(ModulePass):
    """Use each sum as soon as there is one, instead of computing all of them before.

    An allocation with the attribute `sparsecore.sums` is filled by a loop over rows, and a loop
    after it, over the same rows, loads each row's sums. They become one loop, and so do loops
    over columns in them, one by one, if an iteration of the one loads what the same iteration of the
    other stores; what else comes after them stays there.
    The sums stay where they are, for `sparsecore-stage-in-hbm` to decide.

    That each sum is stored once in an iteration is up to the program.

    Before:

    ```mlir
    scf.for %k = %c0 to %n step %c1 {
      vector.store %sum, %sums[%k, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
    }
    scf.for %k = %c0 to %n step %c1 {
      %0 = vector.load %sums[%k, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
      vector.store %0, %table[%k, %c0] : memref<?x8xf32>, vector<8xf32>
    }
    ```

    After:

    ```mlir
    scf.for %k = %c0 to %n step %c1 {
      vector.store %sum, %sums[%k, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
      %0 = vector.load %sums[%k, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
      vector.store %0, %table[%k, %c0] : memref<?x8xf32>, vector<8xf32>
    }
    ```
    """

    name = "sparsecore-fuse-reduce-apply"

    def run(self, module: ModuleOp) -> None:
        entry = entry_of(module)
        if entry is None:
            return
        for alloc in marked_in(entry, _MARK):
            _fuse(entry, alloc)


def _fuse(entry: ir.Operation, alloc: ir.Operation) -> None:
    first, second = _loops_of(alloc)
    _check(entry, alloc, first, second)
    for op in ops_between(first, second):
        if not op.name.startswith(_PURE) or any(value in first.results for value in op.operands):
            fail(op, f"is between two loops for sums; {_EXPECTED}")
        op.move_before(first)
    _join(alloc.results[0], first, second)
    del alloc.attributes[_MARK]


def _loops_of(alloc: ir.Operation) -> tuple[ir.Operation, ir.Operation]:
    """Find the loop that fills an allocation, and the one that loads from it.

    Raises:
        PassFailure: there are not two such loops.
    """
    users = [use.owner.operation for use in alloc.results[0].uses]
    load = next((user for user in users if user.name in LOADS), None)
    store = next((user for user in users if user.name not in LOADS), None)
    # The ops of one block that the store and the load are in.
    pairs = [(op, load and place_in(op.block, load)) for op in parents_of(store)] if store else []
    first, second = next((pair for pair in pairs if pair[1] is not None), (None, None))
    if first is None or second is None or not _are_alike(first, second):
        fail(alloc, f"has sums; {_EXPECTED}")
    if not first.is_before_in_block(second):
        fail(second, f"uses sums before there are any; {_EXPECTED}")
    for user in users:
        loop = second if user.name in LOADS else first
        number = round_of(loop).arguments[0]
        if (
            loop not in parents_of(user)
            or user.name not in BUFFERS
            or not is_same(first_index_of(user), number)
        ):
            fail(user, f"uses sums; {_EXPECTED}")
    return first, second


def _are_alike(first: ir.Operation, second: ir.Operation) -> bool:
    """Tell whether two loops count the same, and the second gives nothing."""
    are_loops = first.name == second.name == FOR
    return are_loops and count_the_same(first, second) and not len(second.results)


def _check(
    entry: ir.Operation, alloc: ir.Operation, first: ir.Operation, second: ir.Operation
) -> None:
    """Complain if rounds of two loops depend on each other by more than the sums."""
    for use in [use for result in first.results for use in result.uses]:
        if second in parents_of(use.owner.operation):
            fail(use.owner, "uses what the loop gives that sums")
    before = {found for op in accesses_in(first, _LOOP) for found in touched_by(op)}
    before -= {(alloc.results[0], True)}
    for op in accesses_in(second, _LOOP):
        for buffer, is_written in touched_by(op):
            if (buffer, True) in before or (is_written and (buffer, False) in before):
                fail(op, f"accesses {name_of(entry, buffer)}, as the loop does that sums")


def _join(sums: ir.Value, first: ir.Operation, second: ir.Operation) -> None:
    """Do in a round of the first loop what the second one does; loops in them are joined, too."""
    number = round_of(first).arguments[0]
    round_of(second).arguments[0].replace_all_uses_with(number)
    pairs = _pairs(sums, first, second)
    joined = [inner for _, inner in pairs]
    before = _up_to(joined, ops_of(round_of(second)))
    for op in before:
        if op not in joined:
            op.move_before(pairs[0][0])
    for pair in pairs:
        _join(sums, *pair)
    end = end_of(round_of(first))
    for op in ops_of(round_of(second)):
        op.move_before(end)
    second.erase()


def _pairs(
    sums: ir.Value, first: ir.Operation, second: ir.Operation
) -> list[tuple[ir.Operation, ir.Operation]]:
    """Return the loops in two loops that can be joined: all in the first, and as many in the second.

    They are the first ones there, with nothing but arithmetic before them.
    """
    outer, inner = (
        [op for op in ops_of(round_of(loop)) if op.name == FOR] for loop in (first, second)
    )
    pairs = list(zip(outer, inner, strict=False))
    before = _up_to([loop for _, loop in pairs], ops_of(round_of(second)))
    are_pure = all(op.name == FOR or op.name.startswith(_PURE) for op in before)
    are_in_turn = all(_are_in_turn(sums, *pair) for pair in pairs)
    return pairs if len(pairs) == len(outer) and are_pure and are_in_turn else []


def _up_to(loops: Sequence[ir.Operation], ops: Sequence[ir.Operation]) -> Sequence[ir.Operation]:
    """Return the ops up to the last of some loops among them."""
    return ops[: ops.index(loops[-1]) + 1] if loops else []


def _are_in_turn(sums: ir.Value, first: ir.Operation, second: ir.Operation) -> bool:
    """Tell whether two loops count the same, and what a round loads, the other's has stored."""
    if not _are_alike(first, second):
        return False
    numbers = [round_of(loop).arguments[0] for loop in (first, second)]
    stores = [op for op in ops_of(round_of(first)) if op.name in WRITTEN and op.operands[1] == sums]
    return all(
        any(_is_loaded(store, load, numbers) for store in stores)
        for load in accesses_in(second, _LOOP)
        if load.name in LOADS and load.operands[0] == sums
    )


def _is_loaded(store: ir.Operation, load: ir.Operation, numbers: Sequence[ir.Value]) -> bool:
    """Tell whether the places are the same where an op stores and where another one loads."""
    if store.operands[0].type != load.results[0].type:
        return False
    pairs = zip(list(store.operands)[2:], list(load.operands)[1:], strict=True)
    return all(is_equal(*pair, *numbers) for pair in pairs)
