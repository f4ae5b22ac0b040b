"""Forwarding: what is stored in a buffer is used where it is computed, instead of being loaded."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.core.sparsecore.names import GATHER_OPERAND, SIZE
from sdykit.core.sparsecore.nesting import is_after
from sdykit.mlir import ir
from sdykit.passes.sparsecore._programs.accesses import LOADS, indices_of
from sdykit.passes.sparsecore._programs.values import is_same


def forward_row(alloc: ir.Operation, accesses: Sequence[ir.Operation]) -> None:
    """Replace loads from the first row of a buffer by what was stored there.

    The buffer is erased if nothing loads from it any more; otherwise it becomes one row. That stores
    do not overlap is up to the program.

    Args:
        alloc: the allocation of the buffer.
        accesses: the loads and stores of its first row, in program order; nothing else uses it.
    """
    stores = [op for op in accesses if op.name not in LOADS]
    is_needed = False
    for load in (op for op in accesses if op.name in LOADS):
        same = [store for store in stores if _is_loaded(store, load)]
        if len(same) == 1:
            load.results[0].replace_all_uses_with(same[0].operands[0])
            load.erase()
        else:
            is_needed = True
    if is_needed:
        _keep_one_row(alloc)
        return
    for op in (*stores, alloc):
        op.erase()


def _is_loaded(store: ir.Operation, load: ir.Operation) -> bool:
    """Return whether a load is of the value that a store before it has stored."""
    pairs = zip(indices_of(store), indices_of(load), strict=True)
    is_same_place = all(is_same(*pair) for pair in pairs)
    is_same_type = store.operands[0].type == load.results[0].type
    return is_same_place and is_same_type and is_after(store, load)


def _keep_one_row(alloc: ir.Operation) -> None:
    """Make a buffer its first row, in place."""
    buffer = alloc.results[0]
    type_ = ir.MemRefType(buffer.type)
    shape = [1, *type_.shape[1:]]
    with alloc.location:
        row = ir.MemRefType.get(shape, type_.element_type, memory_space=type_.memory_space)
    buffer.set_type(row)
    for attribute in (GATHER_OPERAND, SIZE):
        if attribute in alloc.attributes:
            del alloc.attributes[attribute]
