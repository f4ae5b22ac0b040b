"""Numbers of the memory that a kernel names, and its texts in errors."""

from __future__ import annotations

from functools import cached_property

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.kernel import Kernel, walk
from sdykit.sparsecore.mosaic.reports import Names
from sdykit.sparsecore.mosaic.spinning import root_of
from sdykit.sparsecore.mosaic.types import memref_of

_ALLOCATIONS = {"memref.alloca", "tpu.sem_alloc", "tpu.sem_barrier"}


class Buffers:
    """The memory of a kernel by number: arrays of the call, then scratch, then what regions make.

    Array `k` is one buffer in all functions of a kernel, and so is scratch `k`; its number is that
    of the memref, not of an agent's copy of it.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        first = kernel.functions[0]
        self._numbers: dict[ir.Value, int] = {}
        self._texts = [f"array {k}" for k in range(len(first.arrays))]
        self._texts += [f"scratch {k}" for k in range(len(first.scratch))]
        for function in kernel.functions:
            for number, value in enumerate((*function.arrays, *function.scratch)):
                self._numbers[value] = number
            for op in walk(function.op):
                if op.operation.name in _ALLOCATIONS:
                    self._add(op.results[0], kernel.places.text(op))

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of all buffers, by number."""
        return tuple(self._texts)

    @cached_property
    def atomic(self) -> frozenset[int]:
        """The numbers of the memory whose words are added to atomically."""
        ops = [op.operation for each in self._kernel.functions for op in walk(each.op)]
        roots = [root_of(op.operands[0]) for op in ops if op.name == "tpu.fetch_and_add_sync"]
        return frozenset(self.of(root) for root in roots if root is not None)

    def of(self, value: ir.Value) -> int:
        """Return the number of a block argument of the kernel, or of the result of an allocation."""
        return self._numbers[value]

    def _add(self, value: ir.Value, place: str) -> None:
        memref = memref_of(value.type)
        what = "semaphore" if memref.is_semaphore else memref.space.upper()
        self._numbers[value] = len(self._texts)
        self._texts.append(f"{what} made at {place}")


def names_of(kernel: Kernel, buffers: Buffers) -> Names:
    """Return the texts of all numbers of a kernel, once its places are numbered."""
    agents = tuple(each.text for each in kernel.agents)
    return Names(kernel.name, agents, kernel.places.texts, buffers.texts)
