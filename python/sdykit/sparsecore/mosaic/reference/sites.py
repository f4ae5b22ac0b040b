"""Numbers of what a kernel names: memory, semaphores, source lines."""

from __future__ import annotations

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.buffers import Buffers, names_of
from sdykit.sparsecore.mosaic.kernel import Kernel, walk
from sdykit.sparsecore.mosaic.reference.memory import Site
from sdykit.sparsecore.mosaic.reports import NOBODY, Names
from sdykit.sparsecore.mosaic.types import is_memref, memref_of

_ALLOCATIONS = ("memref.alloca", "tpu.sem_alloc", "tpu.sem_barrier")


class Sites:
    """The memory and semaphores of a kernel, by the values that name them."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self._buffers = Buffers(kernel)
        self._sites: dict[ir.Value, Site] = {}
        for function in kernel.functions:
            for value in (*function.arrays, *function.scratch):
                if is_memref(value.type):
                    self._add(value, self._buffers.of(value), NOBODY)
            for op in walk(function.op):
                self._add_allocation(op)

    @property
    def names(self) -> Names:
        """Texts of all numbers."""
        return names_of(self.kernel, self._buffers)

    @property
    def atomic(self) -> frozenset[int]:
        """The numbers of the memory whose words are added to atomically."""
        return self._buffers.atomic

    def of(self, value: ir.Value) -> Site:
        """Return the site of a block argument, or of the result of an allocation."""
        return self._sites[value]

    def place(self, op: ir.Operation | ir.OpView) -> int:
        """Return the number of an op's source line."""
        return self.kernel.places.of(op)

    def _add(self, value: ir.Value, number: int, place: int) -> None:
        self._sites[value] = Site(number, memref_of(value.type), place)

    def _add_allocation(self, op: ir.OpView) -> None:
        if op.operation.name in _ALLOCATIONS:
            self._add(op.results[0], self._buffers.of(op.results[0]), self.place(op))
