"""`-sparsecore-stage-in-hbm`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass, fail
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._programs.entry import (
    ALIGNMENT,
    COUNTED,
    GATHER_OPERAND,
    TILES,
    aligned,
    allocations_in,
    bytes_of,
    entry_of,
    phases_of,
    tile_memory,
    total_bytes,
)
from sdykit.passes.sparsecore._programs.staged import join_blocks, pass_on, read_in_place

_CHOICES = ("auto", "hbm", "spmem")
_COPY = "memref.copy"
_VIEW = "memref.subview"
_ACCESSES = ("memref.load", "memref.store", "vector.load", "vector.store")
_SIZES = "sparsecore.sizes"
_LIMIT = "sparsecore.limit"


@dataclass(frozen=True)
class StageInHbmPass(ModulePass):
    """Keep gather operands in HBM if SPMEM is too small for them.

    A gather operand is what a tile sums rows in; it is copied to HBM when it is done. Its
    attribute `sparsecore.gather_operand` says where it is to be: `"hbm"`; `"spmem"`, which is an
    error if it does not fit there beside what else the phase allocates; or `"auto"`, which is
    SPMEM if it fits, else HBM. In HBM, what it was copied to takes its place, and the copy goes.
    If it is not copied at all, since the tile uses the sums itself, one after another, nothing
    takes its place: what was stored last is what is loaded.

    What it is, for the error, may be told by `sparsecore.sizes`, and by `sparsecore.limit` which
    limit of the spec it is for.

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

    What a tile reads of an argument is copied to SPMEM before, block by block. With `always`, an
    allocation with the attribute `sparsecore.staged` gives way to what is copied there, and an
    `arith.minsi` with the attribute `sparsecore.block`, the smaller of where a block's room ends
    and of where its data do, to the latter; a program that counts keeps its blocks.
    """

    name = "sparsecore-stage-in-hbm"

    always: bool = False
    """Move all of them, those that must be in SPMEM too, and read what is copied to SPMEM (with the
    attribute `sparsecore.staged`) where it comes from. Results do not change, and a CPU, whose
    caches are no SPMEM, is spared the copies."""

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
    """Decide; an operand that must be in SPMEM and does not fit is an error."""
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
    """Read an attribute; without it, nothing is told."""
    if name not in op.attributes:
        return ""
    attribute = op.attributes[name]
    return attribute.value if isinstance(attribute, ir.StringAttr) else str(attribute)


def _move(alloc: ir.Operation) -> None:
    """Put the target of the copy in the place of an allocation.

    The target is computed before the allocation, or this is not valid.
    """
    operand = alloc.results[0]
    users = [use.owner.operation for use in operand.uses]
    if users and all(user.name in _ACCESSES for user in users):
        pass_on(alloc)
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
        fail(alloc, "is a gather operand that is copied to; expected it to be copied from")
    target = copy.operands[1]
    copy.erase()
    view.erase()
    operand.replace_all_uses_with(target)
    alloc.erase()
