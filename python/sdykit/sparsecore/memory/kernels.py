"""What each subcore holds of a kernel in its VMEM: the memory of a tile."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from sdykit.mlir import ir
from sdykit.sparsecore.memory.spmem import Buffer, Spmem, SpmemPhase
from sdykit.sparsecore.mosaic.kernel import Function, Kernel, read_kernel
from sdykit.sparsecore.mosaic.layout import Layout, lay_out
from sdykit.sparsecore.mosaic.spec import MosaicSpec
from sdykit.sparsecore.mosaic.types import memref_of

KERNEL = "kernel"
"""The kind of programs that are kernels."""

_VMEM = "vmem"
_SCRATCH = "all"
"""The first step, in which only scratch is held."""


@dataclasses.dataclass(frozen=True)
class _Scope:
    """A block that allocates: its buffers are in use in it and in the blocks inside it.

    Attributes:
        name: what it is called: a named scope of the user's, or a line.
        first: its position among all blocks that allocate.
        last: that of the last one inside it.
        allocations: what it allocates.
    """

    name: str
    first: int
    last: int
    allocations: tuple[ir.Value, ...]


def kernel_spmem(spec: MosaicSpec) -> Spmem:
    """Return what each vector subcore holds of a kernel: a phase for each function that they run.

    The steps of a phase are the blocks that allocate, by the name of a scope or the user's line.

    Raises:
        SparseCoreError: its module is no kernel, or an allocation has no fixed size.
    """
    kernel = read_kernel(spec.module, spec.name)
    layouts = lay_out(kernel)
    phases = (
        _phase(kernel, each, layouts[each.name])
        for each in kernel.functions
        if each.core == "vector"
    )
    held = tuple(each for each in phases if each.buffers)
    return Spmem(spec.name, KERNEL, spec.chip.vmem_bytes, spec.chip.subcores, held, ())


def _phase(kernel: Kernel, function: Function, layout: Layout) -> SpmemPhase:
    scopes = _scopes(kernel, function)
    whole = _Scope(_SCRATCH, 0, len(scopes), function.scratch)
    buffers = (
        _buffer(value, layout, scope)
        for scope in (whole, *scopes)
        for value in scope.allocations
        if value in layout.places and layout.places[value].space == _VMEM
    )
    ordered = tuple(sorted(buffers, key=lambda each: (each.offset, each.first)))
    steps = (_SCRATCH, *(each.name for each in scopes))
    return SpmemPhase(("core", "subcore"), steps, ordered, layout.sizes.get(_VMEM, 0))


def _buffer(value: ir.Value, layout: Layout, scope: _Scope) -> Buffer:
    place, memref = layout.places[value], memref_of(value.type)
    sizes = [str(each) for each in memref.shape]
    return Buffer(
        name=place.what,
        offset=place.offset,
        bytes=place.bytes,
        shape="x".join([*sizes, memref.element]),
        tiles=1,
        product=" x ".join(sizes),
        limits=(),
        first=scope.first,
        last=scope.last,
    )


def _scopes(kernel: Kernel, function: Function) -> list[_Scope]:
    """Return the blocks of a function that allocate, each before those inside it."""
    found: list[_Scope] = []
    _add_scopes(kernel, function.body, found)
    return found


def _add_scopes(kernel: Kernel, block: ir.Block, found: list[_Scope]) -> None:
    ops = [each.operation for each in block.operations]
    own = [each for each in ops if each.name == "memref.alloca"]
    allocations = tuple(each.results[0] for each in own)
    at = len(found)
    if own:
        found.append(_Scope(_name(kernel, ops, own[0]), at + 1, at + 1, allocations))
    for op in ops:
        for inner in _blocks(op):
            _add_scopes(kernel, inner, found)
    if own:
        found[at] = dataclasses.replace(found[at], last=len(found))


def _blocks(op: ir.Operation) -> Iterator[ir.Block]:
    for region in op.regions:
        yield from region.blocks


def _name(kernel: Kernel, ops: list[ir.Operation], first: ir.Operation) -> str:
    """Return the name of the first scope of the user's in a block, or the line of its allocations."""
    for op in ops:
        if op.name == "tpu.trace_start":
            return ir.StringAttr(op.attributes["message"]).value
    return kernel.places.text(first)
