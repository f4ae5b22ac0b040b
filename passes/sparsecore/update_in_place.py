"""`-sparsecore-update-in-place`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass, fail
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._fusion.accesses import (
    BUFFERS,
    COPY,
    VIEW,
    indices_of,
    maker_of,
    row_of,
)
from sdykit.passes.sparsecore._fusion.blocks import join_blocks_of_rows
from sdykit.passes.sparsecore._fusion.loops import body_of, joined_in, ops_between
from sdykit.passes.sparsecore._programs.accesses import accesses_of
from sdykit.passes.sparsecore._programs.arguments import name_of, source_of
from sdykit.passes.sparsecore._programs.entry import entry_of
from sdykit.passes.sparsecore._programs.nesting import ops_in, place_in

_EXPECTED = (
    "expected a copy of a row of another buffer to the row of the iteration, loads and stores there, "
    "and a copy back to where it came from"
)


@dataclass(frozen=True)
class UpdateInPlacePass(ModulePass):
    """Change rows where they are, instead of gathering them before and scattering them after.

    In a loop of `-sparsecore-join-row-steps`, an iteration copies a row to SPMEM, changes it there,
    and copies it back. The row itself is changed instead, and the copies are removed. If no buffer
    in SPMEM depends on the number of the row any more, one loop is over the rows of all blocks.

    Before:

    ```mlir
    ^bb0(%p: index, %n: index):
      %from = memref.subview %table[%row, 0] [1, 8] [1, 1] : ...
      %to = memref.subview %held[%n, 0] [1, 8] [1, 1] : ...
      memref.copy %from, %to : ...
      %0 = vector.load %held[%n, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
      %1 = arith.addf %0, %0 : vector<8xf32>
      vector.store %1, %held[%n, %c0] : memref<64x8xf32, "spmem">, vector<8xf32>
      // The same views, and the copy from %to to %from.
    ```

    After:

    ```mlir
    ^bb0(%p: index, %n: index):
      %0 = vector.load %table[%row, %c0] : memref<?x8xf32>, vector<8xf32>
      %1 = arith.addf %0, %0 : vector<8xf32>
      vector.store %1, %table[%row, %c0] : memref<?x8xf32>, vector<8xf32>
    ```
    """

    name = "sparsecore-update-in-place"

    def run(self, module: ModuleOp) -> None:
        entry = entry_of(module)
        if entry is None:
            return
        for loop, number in list(joined_in(entry)):
            copies = [op for op in ops_in(loop) if op.name == COPY]
            held = dict.fromkeys(source_of(copy.operands[1]) for copy in copies)
            for buffer in held:
                if (alloc := maker_of(buffer)) is not None:
                    _replace(entry, _copies_of(entry, alloc, body_of(loop), number))
            join_blocks_of_rows(loop)


@dataclass(frozen=True)
class _Copies:
    """The copies of a row to a buffer in SPMEM, and back.

    Attributes:
        held: the allocation of the buffer.
        whole: the buffer that the row comes from.
        row: the row.
        ops: the two copies.
        accesses: the loads and stores between them.
    """

    held: ir.Operation
    whole: ir.Value
    row: ir.Value
    ops: tuple[ir.Operation, ir.Operation]
    accesses: list[ir.Operation]


def _copies_of(
    entry: ir.Operation, alloc: ir.Operation, body: ir.Block, number: ir.Value
) -> _Copies:
    """Find how the rows of a buffer in SPMEM are copied and changed.

    Raises:
        PassFailure: they are used in another way.
    """
    name = name_of(entry, alloc.results[0])
    users = [use.owner.operation for use in alloc.results[0].uses]
    views = [user for user in users if user.name == VIEW]
    copies = {
        use.operand_number: use.owner.operation for view in views for use in view.results[0].uses
    }
    gather, scatter = copies.get(1), copies.get(0)
    if gather is None or scatter is None or len(views) != 2 or len(copies) != 2:
        fail(alloc, f"is {name}, with {len(views)} views that {len(copies)} ops use; {_EXPECTED}")
    sources = [maker_of(gather.operands[0]), maker_of(scatter.operands[1])]
    if any(row_of(view) != number for view in views) or not _are_of_one_row(sources):
        fail(gather, f"copies to {name}; {_EXPECTED}")
    accesses = [user for user in users if user not in views]
    for op in accesses:
        place = place_in(body, op)
        is_between = place is not None and (
            gather.is_before_in_block(place) and place.is_before_in_block(scatter)
        )
        if op.name not in BUFFERS or not is_between or indices_of(op)[0] != number:
            fail(op, f"uses {name}; {_EXPECTED}")
    source = sources[0]
    assert source is not None  # Both are views.
    return _Copies(alloc, source.operands[0], source.operands[1], (gather, scatter), accesses)


def _are_of_one_row(views: list[ir.Operation | None]) -> bool:
    """Return whether two ops are views of the same row of the same buffer."""
    first, second = views
    if first is None or second is None:
        return False
    rows = [row_of(first), row_of(second)]
    return rows[0] is not None and rows[0] == rows[1] and first.operands[0] == second.operands[0]


def _replace(entry: ir.Operation, copies: _Copies) -> None:
    """Access the row where it comes from; remove the copies."""
    gather, scatter = copies.ops
    whole = source_of(copies.whole)
    for op in ops_between(gather, scatter):
        for access in (each for inner in (op, *ops_in(op)) for each in accesses_of(inner)):
            if access.buffer == whole:
                name = name_of(entry, whole)
                fail(
                    access.op,
                    f"accesses {name}, whose row is changed in SPMEM; expected accesses of the copy",
                )
    for op in copies.accesses:
        side = BUFFERS[op.name]
        op.operands[side], op.operands[side + 1] = copies.whole, copies.row
    for copy in copies.ops:
        views = [maker_of(view) for view in copy.operands]
        copy.erase()
        for view in views:
            if view is not None and not list(view.results[0].uses):
                view.erase()
    copies.held.erase()
