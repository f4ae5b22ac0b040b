"""Numbers of the memory that a kernel names, and its texts in errors."""

from __future__ import annotations

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.kernel import Kernel, walk
from sdykit.sparsecore.mosaic.reports import Names
from sdykit.sparsecore.mosaic.types import is_memref, memref_of


class Buffers:
    """The memory of a kernel by number: arrays of the call, then scratch, then what regions make.

    Array `k` is one buffer in all functions of a kernel, and so is scratch `k`; its number is that
    of the memref, not of an agent's copy of it.
    """

    def __init__(self, kernel: Kernel) -> None:
        first = kernel.functions[0]
        self._numbers: dict[ir.Value, int] = {}
        self._texts = [f"array {k}" for k in range(len(first.arrays))]
        self._texts += [f"scratch {k}" for k in range(len(first.scratch))]
        for function in kernel.functions:
            for number, value in enumerate((*function.arrays, *function.scratch)):
                self._numbers[value] = number
            for op in walk(function.op):
                if op.operation.name == "memref.alloca":
                    self._add(op.results[0], kernel.places.text(op))

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of all buffers, by number."""
        return tuple(self._texts)

    def of(self, value: ir.Value) -> int:
        """Return the number of a block argument of the kernel, or of the result of an alloca."""
        return self._numbers[value]

    def _add(self, value: ir.Value, place: str) -> None:
        space = memref_of(value.type).space.upper() if is_memref(value.type) else "memory"
        self._numbers[value] = len(self._texts)
        self._texts.append(f"{space} made at {place}")


def names_of(kernel: Kernel, buffers: Buffers) -> Names:
    """Return the texts of all numbers of a kernel, once its places are numbered."""
    agents = tuple(each.text for each in kernel.agents)
    return Names(kernel.name, agents, kernel.places.texts, buffers.texts)
