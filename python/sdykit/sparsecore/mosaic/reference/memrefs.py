"""Memrefs of memrefs: slices, reshapes, bitcasts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.reference.sites import Sites
from sdykit.sparsecore.mosaic.reference.subcore import Subcore
from sdykit.sparsecore.mosaic.reference.tables import Table
from sdykit.sparsecore.mosaic.reference.values import error_of
from sdykit.sparsecore.mosaic.reference.views import View
from sdykit.sparsecore.mosaic.reports import Access
from sdykit.sparsecore.mosaic.types import MemRef, memref_of

Do = Callable[..., Any]
"""What an op does: a function of the subcore and the operands' values."""

OPS: Table[Callable[[ir.OpView, Sites], Do]] = Table("Memrefs")


@OPS("tpu.memref_slice")
def memref_slice(op: Any, sites: Sites) -> Do:
    """The elements from the indices on, of the sizes of the result's type, or of the operands'.

    An error if they are not all inside: `0 <= i` and `i + n <= size`.
    """
    place, sizes = sites.place(op), memref_of(op.result.type).shape

    def run(me: Subcore, memref: View, *numbers: int) -> View:
        starts, dynamic = numbers[: len(sizes)], iter(numbers[len(sizes) :])
        counts = [next(dynamic) if size is None else size for size in sizes]
        return me.slice(place, Access.SLICE, memref, starts, counts)

    return run


@OPS("tpu.memref_squeeze")
def memref_squeeze(op: Any, sites: Sites) -> Do:
    """The same elements without dimensions of 1: those the result's type lacks, from the left."""
    del sites
    kept: list[int] = []
    result = memref_of(op.result.type).shape
    for dimension, size in enumerate(memref_of(op.input.type).shape):
        if len(kept) < len(result) and size == result[len(kept)]:
            kept.append(dimension)

    def run(me: Subcore, memref: View) -> View:
        del me
        return memref.squeeze(kept)

    return run


@OPS("tpu.memref_reshape")
def memref_reshape(op: Any, sites: Sites) -> Do:
    """The same elements in the same, row-major order."""
    del sites
    shape = memref_of(op.result.type).shape

    def run(me: Subcore, memref: View) -> View:
        del me
        sizes = tuple(-1 if size is None else size for size in shape)
        return memref.reshape(sizes)

    return run


@OPS("tpu.memref_bitcast")
def memref_bitcast(op: Any, sites: Sites) -> Do:
    """The same bits as elements of another type.

    To another width, the second last dimension changes: with k = wide / narrow bits, row
    `k * r + j` of the narrow elements is the `j`-th part, from the lowest bits on, of row `r` of
    the wide ones.
    """
    del sites
    element = memref_of(op.result.type).element

    def run(me: Subcore, memref: View) -> View:
        del me
        return memref.bitcast(element)

    return run


@OPS("memref.cast", "tpu.erase_memref_layout", "tpu.assume_layout", "tpu.reinterpret_cast")
def same_memref(op: Any, sites: Sites) -> Do:
    """The same memref: layouts mean nothing to the simulated chip."""
    del sites
    old, new = memref_of(op.operands[0].type), memref_of(op.results[0].type)
    if old.element != new.element or len(old.shape) != len(new.shape) or _is_resized(old, new):
        raise error_of(
            op,
            f"'{op.operation.name}' from {op.operands[0].type} to {op.results[0].type} cannot run on a "
            "SparseCore; expected the same elements and sizes",
        )

    def run(me: Subcore, memref: View) -> View:
        del me
        return memref

    return run


def _is_resized(old: MemRef, new: MemRef) -> bool:
    """Return whether a size changes that both types say."""
    sizes = zip(old.shape, new.shape, strict=True)
    return any(None not in each and each[0] != each[1] for each in sizes)


@OPS("memref.dim")
def dim(op: Any, sites: Sites) -> Do:
    """The size of a dimension."""
    del op, sites

    def run(me: Subcore, memref: View, dimension: int) -> int:
        del me
        return memref.shape[dimension]

    return run


@OPS("memref.alloca")
def alloca(op: Any, sites: Sites) -> Do:
    """Memory: always the same place of a subcore.

    VMEM and SMEM hold NaN, or 0x7f in each byte of an integer, whenever the region is entered.
    """
    site = sites.of(op.results[0])

    def run(me: Subcore) -> View:
        memref = me.memref(site)
        if site.memref.space in ("vmem", "smem"):
            me.machine.forget(memref.array)
            me.machine.checks.allocate(me.number, site.number)
        return memref

    return run


@OPS("tpu.sem_alloc", "tpu.sem_barrier")
def sem_alloc(op: Any, sites: Sites) -> Do:
    """Semaphores: always the same ones of a subcore; 0 at first."""
    site = sites.of(op.results[0])

    def run(me: Subcore) -> View:
        return me.memref(site)

    return run
