"""`-sparsecore-fuse-deduplication`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sdykit.core import ModulePass, fail, ops_named
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sparsecore._fusion.accesses import LOAD, STORE, accesses_in, maker_of
from sdykit.passes.sparsecore._programs.arguments import name_of, source_of
from sdykit.passes.sparsecore._programs.entry import entry_of, phases_of
from sdykit.passes.sparsecore._programs.nesting import is_after, is_made_within, is_within
from sdykit.passes.sparsecore._programs.staged import (
    WRITTEN,
    writers_of,
)

_MARK = "sparsecore.deduplication"
_ALLOC = "memref.alloc"
_IN_OR_BEHIND = "in or behind the op that finds which are the same"
_CASTS = ("arith.index_cast", "arith.index_castui")
_EXPECTED = "loads of rows at the places of entries, and of nothing else, behind it"


@dataclass(frozen=True)
class FuseDeduplicationPass(ModulePass):
    """Read the rows of entries, where it is of no use to know which of them are the same.

    An op with the attribute `sparsecore.deduplication` goes over the rows of entries, and keeps in
    SPMEM each row once, and for each entry, at which place its row is. If rows are gathered, each is
    read once. If they are read where they are used, the row at the place of an entry may as well
    be read where the op has it from; the op goes, and what it keeps. This comes after
    `sparsecore-fuse-gather-reduce`. On a CPU, caches have the rows that are read again.

    That there is no other row at a place in the end is up to the program.

    Before:

    ```mlir
    scf.for %k = %c0 to %n step %c1 {
      %row = memref.load %entries[%k] : memref<64xi32, "spmem">
      ...
      memref.store %row, %rows[%place] : memref<32xi32, "spmem">
      %number = arith.index_cast %place : index to i32
      memref.store %number, %numbers[%k] : memref<64xi32, "spmem">
    } {sparsecore.deduplication}
    ...
    %0 = memref.load %numbers[%i] : memref<64xi32, "spmem">
    %1 = arith.index_cast %0 : i32 to index
    %2 = memref.load %rows[%1] : memref<32xi32, "spmem">
    ```

    After:

    ```mlir
    %2 = memref.load %entries[%i] : memref<64xi32, "spmem">
    ```
    """

    name = "sparsecore-fuse-deduplication"

    def run(self, module: ModuleOp) -> None:
        entry = entry_of(module)
        if entry is None:
            return
        for phase in phases_of(entry):
            for op in list(ops_named(phase, "scf.if", "scf.for")):
                if _MARK in op.attributes:
                    _fuse(_found_by(entry, op))


@dataclass(frozen=True)
class _Found:
    """What an op that finds rows which are the same keeps.

    Attributes:
        op: that does.
        entries: it has their rows from there.
        rows: each is there once.
        numbers: for each entry, the place of its row there.
        kept: all that it writes.
        accesses: what it reads and writes memory with.
    """

    op: ir.Operation
    entries: ir.Value
    rows: ir.Value
    numbers: ir.Value
    kept: Sequence[ir.Operation]
    accesses: Sequence[ir.Operation]


def _found_by(entry: ir.Operation, op: ir.Operation) -> _Found:
    """Find what an op reads and keeps.

    Raises:
        PassFailure: it is no de-duplication, or does something else, too.
    """
    if any(list(result.uses) for result in op.results):
        fail(
            op,
            "is a de-duplication, and what it gives is used; expected rows that are read where "
            "they are used, as they are behind sparsecore-fuse-gather-reduce",
        )
    accesses = accesses_in(op, "a de-duplication")
    kept = [alloc for alloc in _kept_by(entry, accesses) if not is_within(op, alloc)]
    for store in accesses:
        buffers = _row_of(store, accesses) if store.name == STORE else None
        if buffers is not None and _are_filled_once(buffers, op, accesses):
            return _Found(op, *buffers, kept, accesses)
    fail(
        op,
        "is a de-duplication; expected it to load the row of an entry, to store it at a place, and "
        "the place for the entry",
    )


def _are_filled_once(
    buffers: Sequence[ir.Value], op: ir.Operation, accesses: Sequence[ir.Operation]
) -> bool:
    """Tell whether lists of entries, rows and places are from before an op with one store of each."""
    written = [
        source_of(each.operands[WRITTEN[each.name]]) for each in accesses if each.name in WRITTEN
    ]
    return (
        all(ir.MemRefType(buffer.type).rank == 1 for buffer in buffers)
        and not any(is_made_within(op, buffer) for buffer in buffers)
        and [written.count(source_of(buffer)) for buffer in buffers[1:]] == [1, 1]
    )


def _kept_by(entry: ir.Operation, accesses: Sequence[ir.Operation]) -> list[ir.Operation]:
    """List the allocations that some ops write.

    Raises:
        PassFailure: they write another buffer.
    """
    kept: list[ir.Operation] = []
    for op in accesses:
        if op.name not in WRITTEN:
            continue
        buffer = source_of(op.operands[WRITTEN[op.name]])
        alloc = maker_of(buffer)
        if alloc is None or alloc.name != _ALLOC:
            fail(op, f"writes {name_of(entry, buffer)} in a de-duplication; expected SPMEM")
        if alloc not in kept:
            kept.append(alloc)
    return kept


def _row_of(
    store: ir.Operation, accesses: Sequence[ir.Operation]
) -> tuple[ir.Value, ir.Value, ir.Value] | None:
    """Give entries, rows and numbers, if an op stores the place of an entry's row."""
    place, entry = _cast(store.operands[0]), list(store.operands)[2:]
    for other in accesses if place is not None else ():
        if other.name != STORE or other.block != store.block:
            continue
        load = _loaded(other.operands[0])
        is_row = load is not None and list(load.operands)[1:] == entry
        if load is not None and is_row and list(other.operands)[2:] == [place]:
            return load.operands[0], other.operands[1], store.operands[1]
    return None


def _cast(value: ir.Value) -> ir.Value | None:
    """Give what a value is converted from; None: from nothing."""
    maker = maker_of(value)
    return None if maker is None or maker.name not in _CASTS else maker.operands[0]


def _loaded(value: ir.Value | None) -> ir.Operation | None:
    """Give the load that a value is from; None: another op."""
    maker = None if value is None else maker_of(value)
    return None if maker is None or maker.name != LOAD else maker


def _fuse(found: _Found) -> None:
    """Load the rows of entries from where the op has them from.

    Raises:
        PassFailure: they could be others there, or what the op keeps is used otherwise.
    """
    for op in writers_of(source_of(found.entries)):
        if op in found.accesses or is_after(found.op, op):
            fail(op, f"writes the rows of entries, {_IN_OR_BEHIND}")
    loads = list(_loads_behind(found))
    places = [load for load in loads if load.operands[0] == found.numbers]
    for load in loads:
        if load in places:
            continue
        place = _loaded(_cast(load.operands[1]))
        if place is None or place not in places:
            fail(load, f"uses what a de-duplication keeps; expected {_EXPECTED}")
        load.operands[0] = found.entries
        load.operands[1] = place.operands[1]
    for place in places:
        _erase(place)
    found.op.erase()
    for alloc in found.kept:
        alloc.erase()


def _loads_behind(found: _Found) -> Iterator[ir.Operation]:
    """Give what loads rows and numbers behind the op.

    Raises:
        PassFailure: what the op keeps is used otherwise.
    """
    for use in (use for alloc in found.kept for use in alloc.results[0].uses):
        load = use.owner.operation
        if load in found.accesses:
            continue
        is_known = load.name == LOAD and load.operands[0] in (found.rows, found.numbers)
        if not is_known or not is_after(found.op, load):
            fail(load, f"uses what a de-duplication keeps; expected {_EXPECTED}")
        yield load


def _erase(place: ir.Operation) -> None:
    """Take the load of a place away.

    Raises:
        PassFailure: it is used for more than the row.
    """
    casts = [use.owner.operation for use in place.results[0].uses]
    for cast in casts:
        if cast.name not in _CASTS or list(cast.results[0].uses):
            fail(cast, f"uses what a de-duplication keeps; expected {_EXPECTED}")
    for each in (*casts, place):
        each.erase()
