"""`-sparsecore-forward-rows`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass, fail
from sdykit.core.sparsecore.names import GATHER_OPERAND, SIZE
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._fusion.accesses import BUFFERS, STORES, indices_of, maker_of
from sdykit.passes.sparsecore._fusion.loops import is_same, joined_in
from sdykit.passes.sparsecore._instrument.ops import constant
from sdykit.passes.sparsecore._programs.arguments import name_of
from sdykit.passes.sparsecore._programs.entry import entry_of
from sdykit.passes.sparsecore._programs.nesting import is_after, ops_in


@dataclass(frozen=True)
class ForwardRowsPass(ModulePass):
    """Use what an iteration stores for its row, instead of loading it from SPMEM.

    In a loop of `-sparsecore-join-row-steps`, a load of what the same iteration has stored is
    replaced by the value. A buffer that nothing loads from any more is erased. Of another one, only
    one row is left: an iteration does not use the rows of others.

    That the stores of an iteration do not overlap is up to the program.

    Before:

    ```mlir
    ^bb0(%p: index, %n: index):
      memref.store %row, %rows[%n] : memref<64xindex, "spmem">
      vector.store %sum, %sums[%n, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
      %0 = memref.load %rows[%n] : memref<64xindex, "spmem">
      %1 = vector.load %sums[%n, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
      vector.store %1, %table[%0, %c0] : memref<?x8xf32>, vector<8xf32>
    ```

    After:

    ```mlir
    ^bb0(%p: index, %n: index):
      vector.store %sum, %table[%row, %c0] : memref<?x8xf32>, vector<8xf32>
    ```
    """

    name = "sparsecore-forward-rows"

    def run(self, module: ModuleOp) -> None:
        entry = entry_of(module)
        if entry is None:
            return
        for loop, number in joined_in(entry):
            for buffer, accesses in _accesses_by_row(loop, number).items():
                _forward(entry, buffer, accesses)


def _accesses_by_row(loop: ir.Operation, number: ir.Value) -> dict[ir.Value, list[ir.Operation]]:
    """Return the loads and stores of buffers that only the loop uses, and only at the row's number.

    They are in program order.
    """
    found: dict[ir.Value, list[ir.Operation]] = {}
    for op in ops_in(loop):
        if op.name in BUFFERS and number in indices_of(op)[:1]:
            found.setdefault(op.operands[BUFFERS[op.name]], []).append(op)
    return {
        buffer: accesses
        for buffer, accesses in found.items()
        if maker_of(buffer) is not None and len(list(buffer.uses)) == len(accesses)
    }


def _forward(entry: ir.Operation, buffer: ir.Value, accesses: list[ir.Operation]) -> None:
    """Replace loads from a buffer by what was stored; erase it, or make it one row."""
    if accesses[0].name not in STORES:
        name = name_of(entry, buffer)
        fail(
            accesses[0],
            f"loads a row of {name} that its iteration has not stored before; "
            "expected a store first",
        )
    stores = [op for op in accesses if op.name in STORES]
    left = []
    for load in (op for op in accesses if op.name not in STORES):
        same = [store for store in stores if _is_loaded(store, load)]
        if len(same) == 1:
            load.results[0].replace_all_uses_with(same[0].operands[0])
            load.erase()
        else:
            left.append(load)
    alloc = maker_of(buffer)
    assert alloc is not None  # The buffer is no argument.
    if left:
        _keep_one_row(alloc, [*stores, *left])
        return
    for op in (*stores, alloc):
        op.erase()


def _is_loaded(store: ir.Operation, load: ir.Operation) -> bool:
    """Return whether a load is of the value that a store before it has stored."""
    pairs = zip(indices_of(store), indices_of(load), strict=True)
    is_same_place = all(is_same(*pair) for pair in pairs)
    is_same_type = store.operands[0].type == load.results[0].type
    return is_same_place and is_same_type and is_after(store, load)


def _keep_one_row(alloc: ir.Operation, users: list[ir.Operation]) -> None:
    """Make a buffer one row, in place, which each iteration uses."""
    type_ = ir.MemRefType(alloc.results[0].type)
    shape = [1, *type_.shape[1:]]
    with ir.InsertionPoint(alloc), alloc.location:
        zero = constant(0, ir.IndexType.get())
        one = ir.MemRefType.get(shape, type_.element_type, memory_space=type_.memory_space)
    alloc.results[0].set_type(one)
    for user in users:
        user.operands[BUFFERS[user.name] + 1] = zero
    for attribute in (GATHER_OPERAND, SIZE):
        if attribute in alloc.attributes:
            del alloc.attributes[attribute]
