"""`-sparsecore-stage-in-hbm`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass, fail
from sdykit.core.sparsecore.names import COUNTED, GATHER_OPERAND, NAME, TILES
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._programs.arguments import VIEWS
from sdykit.passes.sparsecore._programs.entry import (
    ALIGNMENT,
    aligned,
    allocations_in,
    bytes_of,
    entry_of,
    phases_of,
    tile_memory,
    total_bytes,
)
from sdykit.passes.sparsecore._programs.staged import forward_stores, join_blocks, read_in_place

_CHOICES = ("auto", "hbm", "spmem")
_COPY = "memref.copy"
_VIEW = "memref.subview"
_ACCESSES = ("memref.load", "memref.store", "vector.load", "vector.store")
_SIZES = "sparsecore.sizes"
_LIMIT = "sparsecore.limit"


@dataclass(frozen=True)
class StageInHbmPass(ModulePass):
    """Keep gather operands in HBM if SPMEM is too small for them.

    A gather operand is a buffer that a tile sums rows in, and copies to HBM at the end. Its
    attribute `sparsecore.gather_operand` decides where it is: `"hbm"`; `"spmem"`, which is an error
    if it does not fit there beside the other allocations of the phase; or `"auto"`, which is SPMEM
    if it fits, else HBM. In HBM, the target of the copy replaces the buffer, and the copy is
    removed. If the tile uses the sums itself, one after another, there is no copy: each load is
    replaced by the value that was stored last.

    A buffer with the attribute `sparsecore.name`, that steps share, stays an allocation, in HBM: its
    type, and those of its views, lose the memory space.

    For the error, `sparsecore.sizes` may describe the sizes of the buffer, and `sparsecore.limit`
    may name the limit of the spec that they follow from.

    Before:

    ```mlir
    %sums = memref.alloc() {sparsecore.gather_operand = "hbm"} : memref<64x32xf32, "spmem">
    vector.store %row, %sums[%i, %c0] : memref<64x32xf32, "spmem">, vector<32xf32>
    %done = memref.subview %sums[%c0, 0] [%n, 32] [1, 1] : ...
    memref.copy %done, %target : ...
    ```

    After:

    ```mlir
    vector.store %row, %target[%i, %c0] : memref<?x32xf32, strided<...>>, vector<32xf32>
    ```

    A tile copies its input to SPMEM, block by block. With `always`, an allocation with the attribute
    `sparsecore.staged` is replaced by the source of the copy to it. An `arith.minsi` with the
    attribute `sparsecore.block`, the end of a block or of all data, is replaced by the latter; a
    program with counters keeps its blocks.
    """

    name = "sparsecore-stage-in-hbm"

    always: bool = False
    """Move all gather operands to HBM, also those that must be in SPMEM, and read input (with the
    attribute `sparsecore.staged`) where it is copied from. Results do not change; a CPU, which has
    no SPMEM, need not copy."""

    def run(self, module: ModuleOp) -> None:
        entry = entry_of(module)
        if entry is None:
            return
        memory = tile_memory(entry)
        for phase in phases_of(entry):
            for alloc in allocations_in(phase):
                if GATHER_OPERAND not in alloc.attributes:
                    continue
                if self.always or _is_for_hbm(phase, alloc, memory):
                    _move(alloc)
            if self.always:
                read_in_place(entry, phase)
            if self.always and COUNTED not in entry.attributes:
                join_blocks(phase)


def _is_for_hbm(phase: ir.Operation, alloc: ir.Operation, memory: int | None) -> bool:
    """Return whether an operand is to be in HBM; one that must be in SPMEM must fit."""
    attribute = alloc.attributes[GATHER_OPERAND]
    choice = attribute.value if isinstance(attribute, ir.StringAttr) else str(attribute)
    if choice not in _CHOICES:
        fail(
            alloc,
            f"has the attribute '{GATHER_OPERAND}' = {attribute}; "
            f"expected one of {', '.join(_CHOICES)}",
        )
    if choice == "hbm" or memory is None:
        return choice == "hbm"
    total = total_bytes(allocations_in(phase))
    if total <= memory:
        return False
    if choice == "spmem":
        left = max(memory - total + aligned(bytes_of(alloc)), 0)
        _fail_too_large(alloc, memory, left // ALIGNMENT * ALIGNMENT)
    return True


def _fail_too_large(alloc: ir.Operation, memory: int, left: int) -> None:
    type_ = ir.MemRefType(alloc.results[0].type)
    shape = "x".join(map(str, type_.shape))
    elements = "floats" if isinstance(type_.element_type, ir.FloatType) else "words"
    shared = " of each tile" if TILES in alloc.attributes else ""
    limit = _text(alloc, _LIMIT)
    fail(
        alloc.location,
        f"Gather operand too large: {shape} {elements} "
        f"({_text(alloc, _SIZES) or 'samples of a tile x feature width'}) are "
        f"{bytes_of(alloc)} bytes{shared}, and {left} of the {memory} bytes of TileSpmem are left "
        f'for it; use staging = "auto",{limit and f" a lower {limit},"} a smaller batch, '
        "narrower rows, or more chips",
    )


def _text(op: ir.Operation, name: str) -> str:
    """Return the text of an attribute, empty if there is none."""
    if name not in op.attributes:
        return ""
    attribute = op.attributes[name]
    return attribute.value if isinstance(attribute, ir.StringAttr) else str(attribute)


def _move(alloc: ir.Operation) -> None:
    """Replace an allocation by the target of the copy from it; one with a name is in HBM itself.

    The target must be computed before the allocation.
    """
    operand = alloc.results[0]
    if NAME in alloc.attributes:
        with alloc.location:
            _leave_spmem(operand)
        return
    users = [use.owner.operation for use in operand.uses]
    if users and all(user.name in _ACCESSES for user in users):
        forward_stores(alloc)
        return
    views = [user for user in users if user.name == _VIEW]
    copies = [
        use.owner.operation
        for view in views
        for use in view.results[0].uses
        if use.owner.operation.name == _COPY
    ]
    if len(views) != 1 or len(copies) != 1:
        fail(
            alloc,
            f"is a gather operand with {len(views)} views and {len(copies)} copies; "
            "expected one view that is copied once",
        )
    (view,), (copy,) = views, copies
    if copy.operands[0] != view.results[0]:
        fail(alloc, "is a gather operand that a copy writes; expected a copy that reads it")
    target = copy.operands[1]
    copy.erase()
    view.erase()
    operand.replace_all_uses_with(target)
    alloc.erase()


def _leave_spmem(buffer: ir.Value) -> None:
    """Remove the memory space from the types of a buffer and its views."""
    type_ = ir.MemRefType(buffer.type)
    buffer.set_type(ir.MemRefType.get(type_.shape, type_.element_type, type_.layout))
    for use in buffer.uses:
        if use.owner.operation.name in VIEWS:
            _leave_spmem(use.owner.operation.results[0])
