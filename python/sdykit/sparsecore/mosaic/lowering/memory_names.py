"""Which buffer of a kernel the memory is that reports of compiled programs name."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.buffers import Buffers
from sdykit.sparsecore.mosaic.kernel import Kernel, walk
from sdykit.sparsecore.mosaic.layout import SEMAPHORE_BYTES, lay_out
from sdykit.sparsecore.mosaic.lowering.arguments import Arguments
from sdykit.sparsecore.mosaic.reports import NOBODY, Deadlock, Names, Report
from sdykit.sparsecore.mosaic.spec import MosaicSpec

_ARGUMENT, _ARENA, _CORE, _DEVICE, _SEMAPHORE = (number << 48 for number in range(1, 6))
"""The first numbers of arguments, of bytes of an arena, of a core's memory and of that of all, and of
an agent's semaphores: native/machine/memory.cc and ending.cc."""

_MEMORY = ("buffer", "memory")
"""The fields of reports that are numbers of memory."""


@dataclass(frozen=True)
class _Range:
    """Numbers of memory, [first, end), and the buffer there: its number, and what makes it."""

    first: int
    end: int
    buffer: int
    value: ir.Value


class Memory:
    """The memory of a compiled kernel, as the runtime numbers it: by where it is.

    Args:
        kernel: the kernel.
        spec: how it runs.
        buffers: the kernel's buffers.
    """

    def __init__(self, kernel: Kernel, spec: MosaicSpec, buffers: Buffers) -> None:
        self._kernel = kernel
        layouts = lay_out(kernel)
        vmem = max(layout.sizes.get("vmem", 0) for layout in layouts.values())
        first_of = {"vmem": _ARENA, "smem": _ARENA + vmem, "vmem_shared": _CORE, "hbm": _DEVICE}
        function = kernel.functions[0]
        arguments = Arguments(function, spec, is_together=True)
        self._ranges = [
            _Range(_ARGUMENT + number, _ARGUMENT + number + 1, buffers.of(value), value)
            for value, number in zip(function.arrays, arguments.numbers, strict=True)
        ]
        for layout in layouts.values():
            for value, place in layout.places.items():
                if place.space == "semaphore_mem":
                    first = _SEMAPHORE + place.offset // SEMAPHORE_BYTES
                    end = first + place.bytes // SEMAPHORE_BYTES
                    self._ranges.append(_Range(first, end, buffers.of(value), value))
                elif place.space in first_of:
                    first = first_of[place.space] + place.offset
                    end = first + place.bytes
                    self._ranges.append(_Range(first, end, buffers.of(value), value))

    def named(self, report: Report, names: Names) -> Report:
        """Return a report with the number of a buffer where the runtime has put that of memory.

        Of buffers that share bytes it is the one that exists at the line of the report.

        Args:
            report: the report.
            names: the texts of its numbers.
        """
        if isinstance(report, Deadlock):
            waiting = [
                replace(each, memory=self._buffer(each.memory, names.place(each.place)))
                for each in report.waiting
            ]
            return replace(report, waiting=tuple(waiting))
        line = names.place(report.place)
        changes = {
            each.name: self._buffer(getattr(report, each.name), line)
            for each in fields(report)
            if each.name in _MEMORY
        }
        return replace(report, **changes)

    def _buffer(self, number: int, line: str) -> int:
        """Return the number of the buffer that exists at a line where the runtime numbers memory."""
        if number < _ARGUMENT:
            return number
        found = [each for each in self._ranges if each.first <= number < each.end]
        there = [each for each in found if self._exists_at(each.value, line)] or found
        return there[0].buffer if there else NOBODY

    def _exists_at(self, value: ir.Value, line: str) -> bool:
        """Return whether an op of a line is in the region, or function, that makes a buffer."""
        if isinstance(value.owner, ir.Block):
            return True
        parent = value.owner.operation.parent
        assert parent is not None
        return any(self._kernel.places.text(op) == line for op in walk(parent))
