"""`-sparsecore-assign-spmem`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass, fail
from sdykit.core.sparsecore.names import OFFSET, SPMEM_BYTES
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._programs.entry import (
    aligned,
    allocations_in,
    bytes_of,
    entry_of,
    phases_of,
    tile_memory,
    total_bytes,
)
from sdykit.passes.sparsecore._programs.limits import describe_layout, limited_buffers


@dataclass(frozen=True)
class AssignSpmemPass(ModulePass):
    """Lay out what tiles hold in SPMEM.

    Every allocation of a phase gets an offset, a multiple of 64 bytes, one after another. An
    allocation with the attribute `sparsecore.tiles` is held by that number of tiles together, each
    an even share. Phases run one after another, so that each starts at offset 0. The loop of a
    phase gets the attribute `sparsecore.spmem_bytes`, the number of bytes that it takes. A phase
    that takes more than `sparsecore.tile_memory_bytes` of the entry function is an error. If all of its
    allocations have names and sizes (`sparsecore.name`, `sparsecore.size`), the error lists them, with
    the limits (`sparsecore.sizes` of the entry function) that they follow from, and the highest values
    of these limits with which they would fit.

    Before:

    ```mlir
    scf.parallel (%tile) = (%c0) to (%c16) step (%c1) {
      %ids = memref.alloc() : memref<100xi32, "spmem">
      %gains = memref.alloc() : memref<100xf32, "spmem">
    }
    ```

    After:

    ```mlir
    scf.parallel (%tile) = (%c0) to (%c16) step (%c1) {
      %ids = memref.alloc() {sparsecore.offset = 0 : i64} : memref<100xi32, "spmem">
      %gains = memref.alloc() {sparsecore.offset = 448 : i64} : memref<100xf32, "spmem">
    } {sparsecore.spmem_bytes = 896 : i64}
    ```
    """

    name = "sparsecore-assign-spmem"

    def run(self, module: ModuleOp) -> None:
        entry = entry_of(module)
        if entry is None:
            return
        memory = tile_memory(entry)
        for phase in phases_of(entry):
            allocations = allocations_in(phase)
            total = total_bytes(allocations)
            if memory is not None and total > memory:
                _fail_too_large(phase, allocations, total, memory, entry)
            _assign(phase, allocations)


def _assign(phase: ir.Operation, allocations: list[ir.Operation]) -> None:
    offset = 0
    for each in allocations:
        each.attributes[OFFSET] = _integer(each, offset)
        offset += aligned(bytes_of(each))
    phase.attributes[SPMEM_BYTES] = _integer(phase, offset)


def _integer(op: ir.Operation, value: int) -> ir.IntegerAttr:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64, op.context), value)


def _fail_too_large(
    phase: ir.Operation,
    allocations: list[ir.Operation],
    total: int,
    memory: int,
    entry: ir.Operation,
) -> None:
    largest, buffers = max(allocations, key=bytes_of), limited_buffers(allocations)
    if buffers is None:
        listed = (
            f"the largest of {bytes_of(largest)} bytes ({largest.results[0].type}); lower "
            "max_ids_per_partition,"
        )
    else:
        listed = f"in bytes: {describe_layout(phase.location, buffers, entry, memory)}; or"
    fail(
        phase.location,
        f"Fixed size allocations ({total} bytes) do not fit in TileSpmem ({memory} bytes): "
        f"{len(allocations)} allocation{'s' * (len(allocations) > 1)}, {listed} use a smaller batch, more chips, or tiles with "
        "more memory",
    )
