"""DMAs: copies between memories, which the subcore waits for by semaphores."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

import numpy as np

from sdykit.mlir import ir
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.mosaic.reference.conditions import Count
from sdykit.sparsecore.mosaic.reference.memory import Array
from sdykit.sparsecore.mosaic.reference.memrefs import Do
from sdykit.sparsecore.mosaic.reference.sites import Sites
from sdykit.sparsecore.mosaic.reference.subcore import Subcore, region_of, region_of_rows
from sdykit.sparsecore.mosaic.reference.tables import Table
from sdykit.sparsecore.mosaic.reference.views import View
from sdykit.sparsecore.mosaic.reports import Action, OffsetOutOfBounds, Waits
from sdykit.sparsecore.mosaic.types import memref_of

OPS: Table[Callable[[ir.OpView, Sites], Do]] = Table("Transfers")


@OPS("tpu.enqueue_dma")
def enqueue_dma(op: Any, sites: Sites) -> Do:
    """Copies `source` to `target`, at once; it is under way until it has been waited for.

    The bytes of the target are added to `target_semaphore`, those of the source to
    `source_semaphore`. `core_id` and `subcore_id` say whose memrefs `target` and
    `target_semaphore` are: the same place of another subcore.
    """
    place = sites.place(op)
    names = ("source", "target", "source_semaphore", "target_semaphore")
    pick = operands(op, *names, "device_id", "core_id", "subcore_id")

    def run(me: Subcore, *values: Any) -> None:
        source, target, sent, arrived, device, *ids = pick(values)
        me.check_device(place, device)
        target = me.elsewhere(place, target, tuple(ids))
        arrived = me.elsewhere(place, arrived, tuple(ids))
        _check_sizes(me, place, source, target)
        data = source.read()
        me.check_writable(place, target)
        done = me.semaphore(arrived)
        sent = None if sent is None else me.semaphore(sent)
        me.machine.checks.enqueue(
            me.number,
            place,
            done.number,
            target.size_in_bytes,
            source=region_of(source),
            target=region_of(target),
            same=lambda: same_bytes(target, data),
            source_semaphore=None if sent is None else sent.number,
            source_amount=source.size_in_bytes,
            remote=done.owner != me.number,
        )
        target.write(data)
        me.machine.add(done, target.size_in_bytes)
        if sent is not None:
            me.machine.add(sent, source.size_in_bytes)

    return run


@OPS("tpu.enqueue_indirect_dma")
def enqueue_indirect_dma(op: Any, sites: Sites) -> Do:
    """Copies rows, with offsets that say which: a gather or a scatter.

    With the target in VMEM a gather: row `n` of the target is row `offsets[n]` of the source. With
    the source in VMEM a scatter: row `offsets[n]` of the target is row `n` of the source, from the
    first to the last `n`. Rows whose offset is `offset_filter` are left out. `add` adds to the
    target, row by row. The bytes of all rows are added to the semaphore.
    """
    place = sites.place(op)
    pick = operands(op, "source", "target", "offsets", "semaphore", "offset_filter")
    is_gather = memref_of(op.target.type).space == "vmem"
    action = Action.ADD if op.add.value else Action.WRITE

    def run(me: Subcore, *values: Any) -> None:
        source, target, offsets, semaphore, ignored = pick(values)
        numbers = offsets.read() if isinstance(offsets, View) else offsets
        rows = [(n, int(row)) for n, row in enumerate(numbers.reshape(-1)) if row != ignored]
        indexed, dense = (source, target) if is_gather else (target, source)
        _check_offsets(me, place, rows, indexed.shape[0])
        from_, to = [row for _, row in rows], [n for n, _ in rows]
        if not is_gather:
            from_, to = to, from_
        me.check_writable(place, target)
        done = me.semaphore(semaphore)
        me.machine.checks.enqueue(
            me.number,
            place,
            done.number,
            dense.size_in_bytes,
            source=region_of_rows(source, from_),
            target=region_of_rows(target, to),
            action=action,
            offsets=region_of(offsets) if isinstance(offsets, View) else None,
        )
        for old, new in zip(from_, to, strict=True):
            copy_row(source, old, target, new, action)
        me.machine.add(done, dense.size_in_bytes)

    return run


@OPS("tpu.wait_dma2")
def wait_dma2(op: Any, sites: Sites) -> Do:
    """Waits until the semaphore has the bytes of `dst`, and takes them away.

    With that, transfers of the semaphore are complete, in the order in which they were started, as
    far as the bytes go.
    """
    return _wait(op, sites, "semaphore", "dst")


@OPS("tpu.wait_indirect_dma")
def wait_indirect_dma(op: Any, sites: Sites) -> Do:
    """The same: for a gather with the bytes of `dst`, for a scatter with those of `src`."""
    is_gather = memref_of(op.dst.type).space == "vmem"
    return _wait(op, sites, "semaphore", "dst" if is_gather else "src")


@OPS("tpu.wait_dma")
def wait_dma(op: Any, sites: Sites) -> Do:
    """The same: for the target on `target_semaphore`, or the source on `source_semaphore`."""
    end = "target" if op.wait_target.value else "source"
    return _wait(op, sites, f"{end}_semaphore", end)


def _wait(op: Any, sites: Sites, semaphore: str, memref: str) -> Do:
    place, pick = sites.place(op), operands(op, semaphore, memref)

    def run(me: Subcore, *values: Any) -> Generator[Count, None, None]:
        on, view = pick(values)
        yield from take(me, place, on, view.size_in_bytes, Waits.TRANSFER)

    return run


def take(
    me: Subcore, place: int, memref: View, amount: int, waits: Waits
) -> Generator[Count, None, None]:
    """Wait until a semaphore has a count, and take it away."""
    semaphore = me.semaphore(memref)
    yield Count(semaphore, amount, waits, place)
    me.machine.add(semaphore, -amount)
    me.machine.checks.wait(me.number, semaphore.number, amount)


def operands(op: Any, *names: str) -> Callable[[Sequence[Any]], list[Any]]:
    """Return what picks the values of operands by name; None is that of an absent one."""
    values = list(op.operands)
    found = [getattr(op, name) for name in names]
    positions = [None if value is None else values.index(value) for value in found]
    return lambda values: [None if at is None else values[at] for at in positions]


def copy_row(source: View, old: int, target: View, new: int, action: Action) -> None:
    """Copy a row of a memref to a row of another, or add it there."""
    from_, to = row_of(source, old), row_of(target, new)
    data = from_.read()
    to.write(to.read() + data if action == Action.ADD else data)


def row_of(view: View, row: int) -> View:
    """Return a row of a memref: all that has one index of the first dimension."""
    rest = view.shape[1:]
    return view.slice((row, *(0 for _ in rest)), (1, *rest))


def same_bytes(target: View, data: Array) -> Array:
    """Return which elements of a target are already what is written to them."""
    width = f"u{target.array.itemsize}"
    new = np.ascontiguousarray(target.stored(data)).view(width)
    return target.array.view(width) == new


def _check_sizes(me: Subcore, place: int, source: View, target: View) -> None:
    sizes = [tuple(size for size in view.shape if size != 1) for view in (source, target)]
    if sizes[0] != sizes[1]:
        raise SparseCoreError(
            f"{me.machine.names.place(place)}: a DMA from {list(source.shape)} to "
            f"{list(target.shape)}; expected the same sizes"
        )


def _check_offsets(me: Subcore, place: int, rows: list[tuple[int, int]], size: int) -> None:
    for position, offset in rows:
        if not 0 <= offset < size:
            report = OffsetOutOfBounds(
                agent=me.number, place=place, offset=offset, position=position, size=size
            )
            me.machine.fail(report)
