"""`-sparsecore-stage-in-hbm`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass, fail
from sdykit.core.sparsecore.names import GATHER_OPERAND, SIZE, TILES
from sdykit.core.sparsecore.nesting import is_after
from sdykit.core.sparsecore.sizes import names_in
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
from sdykit.passes.sparsecore._programs.limits import describe_layout, limited_buffers

_CHOICES = ("auto", "hbm", "spmem")
_COPY = "memref.copy"
_VIEW = "memref.subview"
_LIMIT = "max_"
"""The prefix of the names of limits."""


@dataclass(frozen=True)
class StageInHbmPass(ModulePass):
    """Keep gather operands in HBM if SPMEM is too small for them.

    A gather operand is a buffer of rows, or of entries that are sorted. Its attribute
    `sparsecore.gather_operand` decides where it is: `"hbm"`; `"spmem"`, which is an error if it does
    not fit there beside the other allocations of the phase; or `"auto"`, which is SPMEM if it fits,
    else HBM. If it is copied once, to a target that is computed before, the target replaces it in HBM,
    and the copy is removed. Otherwise it stays an allocation, in HBM: its type, and those of its
    views, lose the memory space.

    If all allocations of the phase have names and sizes (`sparsecore.name`, `sparsecore.size`), the error
    lists them, with the limits that they follow from, and the highest limits with which they would fit.
    Otherwise it has the sizes of the buffer, if they are known, and the limits in them.

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
    """

    name = "sparsecore-stage-in-hbm"

    always: bool = False
    """Move all gather operands to HBM, also those that must be in SPMEM. Results do not change; a CPU
    has no SPMEM."""

    def run(self, module: ModuleOp) -> None:
        entry = entry_of(module)
        if entry is None:
            return
        memory = tile_memory(entry)
        for phase in phases_of(entry):
            found = allocations_in(phase)
            operands = [each for each in found if GATHER_OPERAND in each.attributes]
            # The largest first, so that as few as possible are moved.
            for alloc in sorted(operands, key=lambda each: -_size(each, self.always)):
                if self.always or _is_for_hbm(phase, alloc, memory, entry):
                    _move(alloc)


def _size(alloc: ir.Operation, always: bool) -> int:
    """Return the size of an operand in bytes; 0 if all are moved, and their sizes do not matter."""
    return 0 if always else bytes_of(alloc)


def _is_for_hbm(
    phase: ir.Operation, alloc: ir.Operation, memory: int | None, entry: ir.Operation
) -> bool:
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
    allocations = allocations_in(phase)
    total = total_bytes(allocations)
    if total <= memory:
        return False
    if choice == "spmem":
        left = max(memory - total + aligned(bytes_of(alloc)), 0)
        buffers = limited_buffers(allocations)
        # Without names and sizes, the buffer describes itself.
        known = "" if buffers is None else describe_layout(alloc.location, buffers, entry, memory)
        _fail_too_large(alloc, memory, left // ALIGNMENT * ALIGNMENT, known)
    return True


def _fail_too_large(alloc: ir.Operation, memory: int, left: int, layout: str) -> None:
    type_ = ir.MemRefType(alloc.results[0].type)
    shape = "x".join(map(str, type_.shape))
    elements = "floats" if isinstance(type_.element_type, ir.FloatType) else "words"
    shared = " of each tile" if TILES in alloc.attributes else ""
    sizes = _sizes_of(alloc)
    names = {name for size in sizes for name in names_in(size)}
    limits = " or ".join(sorted(name for name in names if name.startswith(_LIMIT)))
    lowered = f" a lower {limits}," if limits and not layout else ""
    product = " x ".join(sizes) or "samples of a tile x feature width"
    fail(
        alloc.location,
        f"Gather operand too large: {shape} {elements} ({product}) are "
        f"{bytes_of(alloc)} bytes{shared}, and {left} of the {memory} bytes of TileSpmem are left "
        f'for it{layout and f". In bytes: {layout}"}; use staging = "auto",{lowered} a smaller '
        "batch, narrower rows, or more chips",
    )


def _sizes_of(alloc: ir.Operation) -> list[str]:
    """Return the expressions of the sizes of an allocation; none if it has no such attribute."""
    if SIZE not in alloc.attributes:
        return []
    return [ir.StringAttr(each).value for each in ir.ArrayAttr(alloc.attributes[SIZE])]


def _move(alloc: ir.Operation) -> None:
    """Replace an allocation by the target of the copy from it; without one it is in HBM itself."""
    operand = alloc.results[0]
    views = [use.owner.operation for use in operand.uses if use.owner.operation.name == _VIEW]
    uses = [use for view in views for use in view.results[0].uses]
    copy = uses[0].owner.operation if len(views) == len(uses) == 1 else None
    if copy is None or not _is_filled_from(copy, uses[0].operand_number, alloc):
        with alloc.location:
            _leave_spmem(operand)
        return
    target = copy.operands[1]
    copy.erase()
    views[0].erase()
    operand.replace_all_uses_with(target)
    alloc.erase()


def _is_filled_from(copy: ir.Operation, number: int, alloc: ir.Operation) -> bool:
    """Return whether an op copies an operand, of a number, to a target known before an allocation."""
    if (copy.name, number) != (_COPY, 0):
        return False
    maker = copy.operands[1].owner
    return isinstance(maker, ir.Block) or is_after(maker.operation, alloc)


def _leave_spmem(buffer: ir.Value) -> None:
    """Remove the memory space from the types of a buffer and its views."""
    type_ = ir.MemRefType(buffer.type)
    buffer.set_type(ir.MemRefType.get(type_.shape, type_.element_type, type_.layout))
    for use in buffer.uses:
        if use.owner.operation.name in VIEWS:
            _leave_spmem(use.owner.operation.results[0])
