"""The phase of a kernel's tile program: its iterations are the subcores that run the kernel."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from sdykit.core.sparsecore.names import (
    APART,
    DEVICE,
    PASSED_SEMAPHORES,
    SEMAPHORES,
    SHARED,
    TOGETHER,
)
from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.counting import Counting
from sdykit.sparsecore.mosaic.kernel import Function, Kernel
from sdykit.sparsecore.mosaic.layout import SEMAPHORE_BYTES, Layout
from sdykit.sparsecore.mosaic.lowering.arguments import Arguments
from sdykit.sparsecore.mosaic.lowering.checked_accesses import fill
from sdykit.sparsecore.mosaic.lowering.counting import counter_of, timer_of
from sdykit.sparsecore.mosaic.lowering.emitter import Emitter
from sdykit.sparsecore.mosaic.lowering.numbers import row_major
from sdykit.sparsecore.mosaic.lowering.poison import Poison
from sdykit.sparsecore.mosaic.lowering.registry import NotLowered
from sdykit.sparsecore.mosaic.lowering.semaphores import check_zero, clear
from sdykit.sparsecore.mosaic.lowering.view import View
from sdykit.sparsecore.mosaic.reports import NOBODY, End
from sdykit.sparsecore.mosaic.scopes import Scopes
from sdykit.sparsecore.mosaic.spec import MosaicSpec
from sdykit.sparsecore.mosaic.types import MemRef, is_memref, memref_of
from sdykit.sparsecore.tile.builder.ops import Builder

_OWN_SPACES = ("vmem", "smem", "semaphore_mem")
"""The spaces that each subcore has memory of its own in."""
_SHARED_SPACES = {"vmem_shared": "unit", "hbm": f'"{DEVICE}"'}
"""The spaces that subcores share, and how such memory is marked: those of a core, or all."""


@dataclass(frozen=True)
class Phase:
    """The phase of a kernel.

    Attributes:
        kernel: the kernel.
        layouts: the places of each function's buffers, by its name.
        arguments: the arguments of the entry function.
        spec: how the kernel is to run.
        is_together: whether subcores may wait for each other.
        poison: what memory holds that was never written, if accesses are checked.
        counting: the counters of the kernel; None: nothing is counted.
        scopes: the scopes whose times are noted; None: there are none.
        messages: the reports that the program can end with, see `Emitter`; `add` adds to them.
        declared: the functions of the runtime that are called, see `Emitter`; `add` adds to them.
    """

    kernel: Kernel
    layouts: Mapping[str, Layout]
    arguments: Arguments
    spec: MosaicSpec
    is_together: bool
    poison: Poison | None
    counting: Counting | None
    scopes: Scopes | None
    messages: dict[str, int] = field(default_factory=dict)
    declared: dict[tuple[str, tuple[str, ...]], str] = field(default_factory=dict)

    def add(self, b: Builder) -> None:
        """Add the phase to the entry function."""
        if not self.is_together:
            (function,) = self.kernel.functions
            axes: dict[str, int] = dict(zip(("core", "subcore"), function.bounds, strict=False))
            b.phase(axes, lambda *point: self._free(b, function, point))
            return
        agents = self.kernel.agents
        cores = ", ".join(str(agent.core) for agent in agents)
        places = ", ".join(map(str, self._places()))
        marks = {TOGETHER: f"array<i64: {cores}>"}
        if self._is_apart:
            marks[APART] = "unit"
        if places:
            marks[SEMAPHORES] = f"array<i64: {places}>"
        if self._passed:
            numbers = ", ".join(str(each) for passed in self._passed for each in passed)
            marks[PASSED_SEMAPHORES] = f"array<i64: {numbers}>"
        b.phase({"agent": len(agents)}, lambda agent: self._agent(b, agent), **marks)

    @property
    def _is_apart(self) -> bool:
        """Whether agents may run on several threads, and all of them again if there is anything to report."""
        return self.kernel.is_free and not (self.counting or self.spec.input_output_aliases)

    def _free(self, b: Builder, function: Function, point: Sequence[ir.Value]) -> None:
        """Add what a subcore does that never waits for another."""
        agent = point[0]
        for position, bound in zip(point[1:], function.bounds[1:], strict=True):
            agent = b.add(b.mul(agent, bound), position)
        self._subcore(b, function, agent, point, self._memory(b))

    def _agent(self, b: Builder, agent: ir.Value) -> None:
        """Add what an agent does: it runs one of the functions, by its number."""
        memory = self._memory(b)

        def runs(functions: Sequence[Function]) -> tuple[()]:
            function, *others = functions
            if not others:
                own = b.sub(agent, function.agents[0].number)
                point = [own]
                if len(function.bounds) > 1:
                    point = [b.div(own, function.bounds[1]), b.rem(own, function.bounds[1])]
                self._subcore(b, function, agent, point, memory)
                return ()
            is_first = b.compare("ult", agent, others[0].agents[0].number)
            b.choose(is_first, lambda: runs([function]), lambda: runs(others))
            return ()

        runs(self.kernel.functions)

    def _subcore(
        self,
        b: Builder,
        function: Function,
        agent: ir.Value,
        point: Sequence[ir.Value],
        memory: Mapping[str, ir.Value],
    ) -> None:
        """Add what a subcore does, by its position in the mesh."""
        given: list[ir.Value] = list(b.block.arguments)
        device = self.arguments.device
        e = Emitter(
            b,
            self.kernel,
            function,
            self.layouts[function.name],
            lanes=self.spec.chip.lanes,
            agent=agent,
            memory=memory,
            inputs={given[number]: number for number in self.arguments.inputs},
            status=given[-1],
            device=None if device is None else given[device],
            is_together=self.is_together,
            poison=self.poison,
            declared=self.declared,
            messages=self.messages,
            count=self._counter(given),
        )
        for value, position in zip(function.indices, point, strict=True):
            e.set(value, b.to_integer(position, str(value.type)))
        for value, number in zip(function.arrays, self.arguments.numbers, strict=True):
            memref = memref_of(value.type)
            if memref.is_semaphore:
                e.set(value, _semaphores(b, memref, given[-1], self._semaphores_of[number]))
                continue
            e.set(value, _array(b, memref, given[number]))
            if number not in self.arguments.operands:
                fill(e, e.view(value), once=True)
        _run(e)

    def _counter(self, given: Sequence[ir.Value]) -> Callable[[Emitter, ir.Operation], None] | None:
        if self.counting is None or self.arguments.counters is None:
            return None
        count = counter_of(self.counting, given[self.arguments.counters])
        if self.scopes is None or self.arguments.scope_times is None:
            return count
        note = timer_of(self.scopes, given[self.arguments.scope_times])

        def both(e: Emitter, op: ir.Operation) -> None:
            count(e, op)
            note(e, op)

        return both

    def _memory(self, b: Builder) -> dict[str, ir.Value]:
        """Return the memory of a subcore in each space, bytes."""
        found: dict[str, ir.Value] = {}
        for space in (*_OWN_SPACES, *_SHARED_SPACES):
            size = max(layout.sizes.get(space, 0) for layout in self.layouts.values())
            if size and not (self.is_together and space == "semaphore_mem"):
                marks = {SHARED: _SHARED_SPACES[space]} if space in _SHARED_SPACES else {}
                found[space] = b.spmem([size], "i8", **marks)
        return found

    @cached_property
    def _own_semaphores(self) -> int:
        """How many semaphores of an agent are scratch, or are made by regions."""
        sizes = [layout.sizes.get("semaphore_mem", 0) for layout in self.layouts.values()]
        return max(sizes) // SEMAPHORE_BYTES

    @cached_property
    def _semaphores_of(self) -> dict[int, int]:
        """The first of an agent's semaphores whose counts an argument has, after the others."""
        found: dict[int, int] = {}
        end = self._own_semaphores
        for value, number in zip(
            self.kernel.functions[0].arrays, self.arguments.numbers, strict=True
        ):
            if memref_of(value.type).is_semaphore and number not in found:
                found[number] = end
                end += _count(memref_of(value.type))
        return found

    @cached_property
    def _passed(self) -> list[tuple[int, int, int, int]]:
        """What `PASSED_SEMAPHORES` has of each array of semaphores."""
        results = set(self.arguments.numbers[self.spec.operands :])
        counts = {
            number: _count(memref_of(value.type))
            for value, number in zip(
                self.kernel.functions[0].arrays, self.arguments.numbers, strict=True
            )
        }
        return [
            (
                first,
                counts[number],
                number if number in self.arguments.operands else -1,
                number if number in results else -1,
            )
            for number, first in self._semaphores_of.items()
        ]

    def _places(self) -> list[int]:
        """Return the place that made each semaphore of an agent; `NOBODY` if it is no region's."""
        passed = sum(count for _, count, *_ in self._passed)
        places = [NOBODY] * (self._own_semaphores + passed)
        for layout in self.layouts.values():
            for value, place in layout.places.items():
                if place.space == "semaphore_mem" and not isinstance(value.owner, ir.Block):
                    first = place.offset // SEMAPHORE_BYTES
                    count = place.bytes // SEMAPHORE_BYTES
                    made = self.kernel.places.of(value.owner)
                    places[first : first + count] = [made] * count
        return places


def _array(b: Builder, memref: MemRef, buffer: ir.Value) -> View:
    sizes = tuple(size or 0 for size in memref.shape)
    return View(buffer, 0, sizes, row_major(b, sizes), memref.element, memref.space, memref.bits)


def _semaphores(b: Builder, memref: MemRef, status: ir.Value, first: int) -> View:
    """Return semaphores of the runtime: numbers from the first on."""
    sizes = tuple(size or 0 for size in memref.shape)
    return View(status, first, sizes, row_major(b, sizes), memref.element, memref.space, 64)


def _count(memref: MemRef) -> int:
    return math.prod(size or 0 for size in memref.shape)


def _run(e: Emitter) -> None:
    """Add what a subcore does, from memory that is its own to the checks at its end."""
    spaces = (*_OWN_SPACES, *_SHARED_SPACES)
    for value in e.function.scratch:
        if not is_memref(value.type):
            raise NotLowered(f"scratch of type '{value.type}'")
        if memref_of(value.type).space not in spaces:
            raise NotLowered(f"scratch in {memref_of(value.type).space}")
        view = e.placed(value)
        e.set(value, view)
        if memref_of(value.type).is_semaphore:
            clear(e, view)
            e.semaphores.append((value, NOBODY))
        else:
            fill(e, view, once=view.space in _SHARED_SPACES)
    e.block(e.function.body)
    for made, place in e.semaphores:
        check_zero(e, made, place, End.KERNEL)
