"""How much memory a kernel touches: for little, threads cost more than they save."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.kernel import Kernel, walk
from sdykit.sparsecore.mosaic.types import memref_of

SERIAL_BYTES = 3 * 2**20
"""Bytes of the arrays of a kernel that only moves rows, up to which one thread is fastest (measured)."""


def only_moves(kernel: Kernel) -> bool:
    """Return whether a kernel computes no vectors: it takes the time that its transfers take."""
    return not any(
        isinstance(result.type, ir.VectorType)
        for function in kernel.functions
        for op in walk(function.op)
        for result in op.operation.results
    )


def work_of(kernel: Kernel, numbers: Sequence[int]) -> dict[int, int]:
    """Return the bytes that an element of each argument stands for, by the number of the argument.

    It is 0 for arrays of which indirect transfers read some rows: their size tells nothing.

    Args:
        kernel: the kernel.
        numbers: the number of the argument that each array is.
    """
    arrays = kernel.functions[0].arrays
    by_offsets = _arrays_by_offsets(kernel)
    return {
        number: 0 if array in by_offsets else max(memref_of(array.type).bits, 8) // 8
        for array, number in zip(arrays, numbers, strict=True)
    }


def _arrays_by_offsets(kernel: Kernel) -> set[ir.Value]:
    """Return the arrays that are sources of gathers."""
    return {
        _array(op.operation.operands[0])
        for function in kernel.functions
        for op in walk(function.op)
        if op.operation.name == "tpu.enqueue_indirect_dma"
        and memref_of(op.operation.operands[0].type).space == "hbm"
    }


def _array(value: ir.Value) -> ir.Value:
    """Return what a view is a view of."""
    while not isinstance(value.owner, ir.Block) and len(value.owner.operands):
        value = value.owner.operands[0]
    return value
