"""One subcore while it runs: its memrefs, and what it does with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.mosaic.kernel import Agent
from sdykit.sparsecore.mosaic.reference.checks import DEVICE, Region, core
from sdykit.sparsecore.mosaic.reference.machine import Machine
from sdykit.sparsecore.mosaic.reference.memory import Array, Site
from sdykit.sparsecore.mosaic.reference.semaphores import Semaphore
from sdykit.sparsecore.mosaic.reference.views import BoundsError, SplitRowsError, View
from sdykit.sparsecore.mosaic.reports import (
    NOBODY,
    Access,
    Action,
    OtherDevice,
    OutOfBounds,
    Report,
    SplitRows,
    UnknownAgent,
    WriteToInput,
)
from sdykit.sparsecore.mosaic.types import MemRef, dtype_of


@dataclass(frozen=True, eq=False, slots=True)
class Subcore:
    """An agent, and the machine that it is a part of."""

    agent: Agent
    machine: Machine

    @property
    def number(self) -> int:
        """The number of the agent."""
        return self.agent.number

    def memref(self, site: Site) -> View:
        """Return what this subcore's memref of a site is."""
        buffer = self.machine.buffer(site, self.owner(site.memref))
        return View(buffer, buffer.array, site.memref.element)

    def owner(self, memref: MemRef) -> int:
        """Return who has the memory that this subcore means by a memref.

        That of another kind of subcore is, until ids say otherwise, the scalar subcore of the same
        core, or its first vector subcore.
        """
        if memref.space == "hbm":
            return DEVICE
        if memref.space == "vmem_shared":
            return core(self.agent.core)
        if memref.core in (None, self.agent.core_type):
            return self.number
        subcore = None if memref.core == "scalar" else 0
        other = self.machine.find(memref.core, self.agent.core, subcore)
        if other is None:
            raise SparseCoreError(
                f"kernel '{self.machine.names.kernel}': {self.agent.text} uses memory of a "
                f"{memref.core} subcore, and the kernel has no function for these"
            )
        return other.number

    def slice(
        self, place: int, access: Access, view: View, starts: Sequence[int], sizes: Sequence[int]
    ) -> View:
        """Return a part of a memref; it is an error if it is not all inside."""
        try:
            return view.slice(starts, sizes)
        except BoundsError as error:
            report: Report = OutOfBounds(
                agent=self.number,
                place=place,
                access=access,
                dimension=error.dimension,
                rank=len(starts),
                first=error.start,
                end=error.start + error.count,
                size=error.size,
            )
        except SplitRowsError as error:
            report = SplitRows(
                agent=self.number,
                place=place,
                first=error.start,
                count=error.count,
                parts=error.parts,
            )
        self.machine.fail(report)

    def load(self, place: int, view: View, starts: Sequence[int], sizes: Sequence[int]) -> Array:
        """Return a copy of a part of a memref.

        What is not inside is an error, or, if the user said so, as if it was never written.
        """
        if self.machine.spec.out_of_bounds == "raise":
            block = self.slice(place, Access.LOAD, view, starts, sizes)
            self.touch(place, block, Action.READ)
            return block.read()
        found = self.machine.undefined(tuple(sizes), dtype_of(view.element))
        bounds = zip(starts, sizes, view.shape, strict=True)
        inside = [range(max(start, 0), min(start + n, size)) for start, n, size in bounds]
        if all(inside):
            block = view.slice([each.start for each in inside], [len(each) for each in inside])
            self.touch(place, block, Action.READ)
            pairs = zip(inside, starts, strict=True)
            there = tuple(slice(each.start - start, each.stop - start) for each, start in pairs)
            found[there] = block.read()
        return found

    def touch(self, place: int, view: View, action: Action) -> None:
        """Tell the checks of a load or store."""
        if view.buffer.site.number in self.machine.atomic:
            region = region_of(view)
            self.machine.checks.touch_word(self.number, place, view.address, region, action)
        if self.machine.checks.watches(self.number):
            self.machine.checks.touch(self.number, place, region_of(view), action)

    def touch_elements(self, place: int, view: View, at: tuple[Array, ...], action: Action) -> None:
        """Tell the checks of a load or store of single elements, at these indices."""
        if not self.machine.checks.watches(self.number):
            return
        for index in zip(*at, strict=True):
            element = view.slice([int(each) for each in index], [1] * len(index))
            self.touch(place, element, action)

    def check_writable(self, place: int, view: View) -> None:
        """End the run if a transfer writes an array that is an input alone."""
        if not view.array.flags.writeable:
            number = view.buffer.site.number
            self.machine.fail(WriteToInput(agent=self.number, place=place, buffer=number))

    def check_device(self, place: int, device: int | None) -> None:
        """End the run if an id names another device."""
        if device not in (None, self.machine.device):
            self.machine.fail(OtherDevice(agent=self.number, place=place, device=int(device)))

    def semaphore(self, view: View) -> Semaphore:
        """Return the semaphore that a memref of one semaphore is."""
        return view.buffer.semaphores[int(view.array.reshape(()))]

    def elsewhere(self, place: int, view: View, ids: tuple[int | None, int | None]) -> View:
        """Return the same memref of the subcore that ids name.

        Args:
            place: the number of the line.
            view: the memref.
            ids: core and vector subcore; None is this subcore's own.
        """
        space = view.buffer.site.memref.space
        if ids == (None, None) or space == "hbm":
            return view
        core_id = self.agent.core if ids[0] is None else ids[0]
        if space == "vmem_shared":
            return view.in_buffer(self.machine.buffer(view.buffer.site, core(core_id)))
        kind = self.machine.kernel.agents[view.buffer.owner].core_type
        subcore = None if kind == "scalar" else self.agent.subcore if ids[1] is None else ids[1]
        other = self.machine.find(kind, core_id, subcore)
        if other is None:
            self.fail_unknown(place, kind, core_id, subcore)
        return view.in_buffer(self.machine.buffer(view.buffer.site, other.number))

    def fail_unknown(self, place: int, kind: str, core_id: int, subcore: int | None) -> NoReturn:
        """End the run: no agent has these ids."""
        agents = [each for each in self.machine.kernel.agents if each.core_type == kind]
        report = UnknownAgent(
            agent=self.number,
            place=place,
            scalar=int(kind == "scalar"),
            core=core_id,
            subcore=NOBODY if subcore is None else subcore,
            cores=len({each.core for each in agents}),
            subcores=len({each.subcore for each in agents}),
        )
        self.machine.fail(report)


def region_of(view: View) -> Region:
    """Return the bytes of a memref, as the checks compare them."""
    array = view.array
    return Region(
        buffer=view.buffer.site.number,
        owner=view.buffer.owner,
        offset=view.offset,
        sizes=array.shape,
        strides=array.strides,
        width=view.width,
    )


def region_of_rows(view: View, rows: Sequence[int]) -> Region:
    """Return the bytes of some rows of a memref."""
    size = view.shape[1:]
    start = (0,) * len(size)
    parts = [region_of(view.slice((row, *start), (1, *size))) for row in rows]
    first = parts[0] if parts else region_of(view)
    return Region(
        buffer=first.buffer,
        owner=first.owner,
        offset=0,
        sizes=first.sizes,
        strides=first.strides,
        width=first.width,
        starts=np.array([part.offset for part in parts], np.int64),
    )
