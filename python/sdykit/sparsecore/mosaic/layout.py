"""The fixed places of a subcore's memory: of scratch, of `memref.alloca` and of `tpu.sem_alloc`.

Every subcore that runs a function has each of them at the same place, so that the same memref on
another subcore means something. Allocations of regions that are not open at the same time share
bytes; semaphores never do, so that reports can name them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sdykit.mlir import ir
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.mosaic.kernel import Function, Kernel
from sdykit.sparsecore.mosaic.types import MemRef, is_memref, memref_of

ALIGNMENT = 64
"""Bytes that the size of each buffer is rounded up to, but of semaphores."""

SPACES = ("vmem", "smem", "vmem_shared", "semaphore_mem", "hbm")
"""The spaces that a kernel has memory of its own in. `vmem_shared` exists once for each core, `hbm`
once for all cores, the others once for each subcore."""

_ALLOCATIONS = {"memref.alloca", "tpu.sem_alloc"}
SEMAPHORE_BYTES = 16
"""Bytes of a semaphore: its count, and the place of the last transfer that it counts."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a buffer is.

    Attributes:
        space: one of `SPACES`.
        offset: its first byte in that space.
        bytes: its size. An element of fewer than 8 bits takes a byte, a semaphore 16.
        what: what it is, for errors: "scratch 0", "buffers at kernel.py:31".
    """

    space: str
    offset: int
    bytes: int
    what: str


@dataclass(frozen=True)
class Layout:
    """The places of all buffers of one function's subcores.

    Attributes:
        places: the place of each scratch argument, and of the result of each allocation.
        sizes: the bytes that are taken in each space.
    """

    places: Mapping[ir.Value, Place]
    sizes: Mapping[str, int]


def lay_out(kernel: Kernel, *, is_packed: bool = False) -> dict[str, Layout]:
    """Return the layout of each function of a kernel, by name.

    Scratch argument `k` is one place in all functions.

    Args:
        kernel: the kernel.
        is_packed: whether elements of fewer than 8 bits are next to each other in a byte, as on the
            chip; otherwise each takes a byte, as in programs.

    Raises:
        SparseCoreError: an allocation has no fixed size.
    """
    first = _Ends(is_packed)
    scratch: dict[int, Place] = {}
    for function in kernel.functions:
        for number, value in enumerate(function.scratch):
            if is_memref(value.type) and number not in scratch:
                scratch[number] = first.place(value, f"scratch {number}")
    return {
        function.name: _of_function(kernel, function, scratch, first)
        for function in kernel.functions
    }


def check_capacity(kernel: Kernel, layouts: Mapping[str, Layout], chip: str, capacity: int) -> None:
    """Check that what a vector subcore has in VMEM fits.

    Args:
        kernel: the kernel.
        layouts: what `lay_out` returned for it.
        chip: the name of the chip, for the error.
        capacity: the size of a subcore's VMEM in bytes.

    Raises:
        SparseCoreError: it does not fit, also if elements of fewer than 8 bits take no byte each; the
            text lists what takes how many bytes.
    """
    if all(layout.sizes.get("vmem", 0) <= capacity for layout in layouts.values()):
        return
    for layout in lay_out(kernel, is_packed=True).values():
        size = layout.sizes.get("vmem", 0)
        if size <= capacity:
            continue
        parts: dict[str, int] = {}
        for place in _at_once(layout):
            parts[place.what] = parts.get(place.what, 0) + place.bytes
        listed = ", ".join(f"{what} ({count})" for what, count in parts.items())
        raise SparseCoreError(
            f"kernel '{kernel.name}': the VMEM of a subcore would take {size} bytes; {chip} has "
            f"{capacity}: {listed}"
        )


def _at_once(layout: Layout) -> list[Place]:
    """Return the buffers in VMEM that exist at the moment when the most bytes are taken."""
    in_vmem = [place for place in layout.places.values() if place.space == "vmem"]
    found: list[Place] = []
    end = layout.sizes["vmem"]
    for place in sorted(in_vmem, key=lambda each: each.offset + each.bytes, reverse=True):
        if place.offset + place.bytes == end:
            found.append(place)
            end = place.offset
    return found[::-1]


def _of_function(
    kernel: Kernel, function: Function, scratch: Mapping[int, Place], first: _Ends
) -> Layout:
    places: dict[ir.Value, Place] = {
        value: scratch[number] for number, value in enumerate(function.scratch) if number in scratch
    }
    largest = {**first.ends, **first.semaphores}
    _add_block(kernel, function.body, first.copy(), places, largest)
    return Layout(places, largest)


def _add_block(
    kernel: Kernel,
    block: ir.Block,
    ends: _Ends,
    places: dict[ir.Value, Place],
    largest: dict[str, int],
) -> None:
    """Add the allocations of a block, then those of each region in it, which begin after them."""
    ops = [view.operation for view in block.operations]
    for op in ops:
        if op.name in _ALLOCATIONS:
            what = f"{_kind(op)} at {kernel.places.text(op)}"
            places[op.results[0]] = ends.place(op.results[0], what)
    for space, end in {**ends.ends, **ends.semaphores}.items():
        largest[space] = max(largest.get(space, 0), end)
    for inner in (inner for op in ops for inner in _blocks(op)):
        _add_block(kernel, inner, ends.copy(), places, largest)


def _blocks(op: ir.Operation) -> Iterator[ir.Block]:
    for region in op.regions:
        yield from region.blocks


def _kind(op: ir.Operation) -> str:
    """Return what an allocation is for: those of `emit_pipeline` are its buffers."""
    for view in op.block.operations:
        inner = view.operation
        if inner.name == "tpu.trace_start" and "ep_" in str(inner.attributes["message"])[:4]:
            return "pipeline buffers"
    return "buffers"


@dataclass
class _Ends:
    """The first free byte of each space; that of semaphores is the same for all copies."""

    is_packed: bool
    ends: dict[str, int] = field(default_factory=dict)
    semaphores: dict[str, int] = field(default_factory=dict)

    def copy(self) -> _Ends:
        return _Ends(self.is_packed, dict(self.ends), self.semaphores)

    def place(self, value: ir.Value, what: str) -> Place:
        """Take the next bytes for a buffer."""
        memref = memref_of(value.type)
        size = size_in_bytes(memref, is_packed=self.is_packed)
        if not memref.is_semaphore:
            size = -(-size // ALIGNMENT) * ALIGNMENT
        ends = self.semaphores if memref.is_semaphore else self.ends
        offset = ends.get(memref.space, 0)
        ends[memref.space] = offset + size
        return Place(memref.space, offset, size, what)


def size_in_bytes(memref: MemRef, *, is_packed: bool = False) -> int:
    """Return the bytes that a buffer takes; an element of fewer than 8 bits takes one unless packed.

    Raises:
        SparseCoreError: a size is known only when the kernel runs.
    """
    sizes = [size for size in memref.shape if size is not None]
    if len(sizes) != len(memref.shape):
        raise SparseCoreError(
            f"an allocation in {memref.space} has the shape {memref.shape}; expected fixed sizes"
        )
    if memref.is_semaphore:
        return math.prod(sizes) * SEMAPHORE_BYTES
    return -(-math.prod(sizes) * (memref.bits if is_packed else max(memref.bits, 8)) // 8)
