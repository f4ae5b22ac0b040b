"""The layout of SPMEM: what each tile holds of a program, where, and in which steps.

    layout = spmem_of(spec)
    layout.bytes            # of each tile, of layout.capacity
    layout.phases[0].buffers[0].limits

It is that of the chip reading, which static layout follows from the limits: no offset depends on ids.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from functools import lru_cache
from math import prod

from sdykit.core import ops_named
from sdykit.core.sparsecore.elements import element_bytes
from sdykit.core.sparsecore.names import AXES, NAME, OFFSET, SIZE, SIZES, SPMEM_BYTES, TILES
from sdykit.core.sparsecore.sizes import names_in
from sdykit.core.sparsecore.steps import steps_in
from sdykit.mlir import ir
from sdykit.sparsecore.memory.entries import Entry
from sdykit.sparsecore.tile.builder.contexts import tile_context
from sdykit.sparsecore.tile.compile import build_checked, lay_out
from sdykit.sparsecore.tile.spec import TileSpec


@dataclasses.dataclass(frozen=True)
class Buffer:
    """A buffer in SPMEM.

    Attributes:
        name: its name in the program.
        offset: where it begins in the memory of each tile, in bytes.
        bytes: what each tile holds of it.
        shape: its shape and the type of its elements, as MLIR writes them: `1000x32xf32`.
        tiles: the number of tiles that hold it together; 1: each has its own.
        product: the product that its number of elements is, such as `samples_per_core x dim`.
        limits: the values of the names in the product.
        first: the position of the first step, in those of its phase, that reads or writes it.
        last: that of the last.
    """

    name: str
    offset: int
    bytes: int
    shape: str
    tiles: int
    product: str
    limits: tuple[tuple[str, int], ...]
    first: int
    last: int


@dataclasses.dataclass(frozen=True)
class SpmemPhase:
    """A phase of a program: buffers lie one after another, and keep their places to its end.

    Attributes:
        over: what it runs over, once for each: `core`, or `partition` and `tile`.
        steps: the names of its steps in program order; adjacent steps of one name are one.
        buffers: its buffers, by offset.
        bytes: what it takes of each tile, with what aligns the buffers.
    """

    over: tuple[str, ...]
    steps: tuple[str, ...]
    buffers: tuple[Buffer, ...]
    bytes: int

    def bytes_in(self, step: int) -> int:
        """Return the bytes of the buffers whose contents are of use in a step, by its position."""
        return sum(each.bytes for each in self.buffers if each.first <= step <= each.last)


@dataclasses.dataclass(frozen=True)
class Spmem:
    """What each tile holds of a program. All tiles of all SparseCores have the same layout.

    Attributes:
        label: the name of the table or the stack of tables; "": none.
        kind: the kind of the program: `lookup`, `update` or `custom_update`.
        capacity: the bytes of a tile's memory.
        tiles: the number of tiles of a SparseCore.
        phases: the phases that hold anything.
        staged: what is staged in HBM for lack of room.
    """

    label: str
    kind: str
    capacity: int
    tiles: int
    phases: tuple[SpmemPhase, ...]
    staged: tuple[Entry, ...]

    @property
    def bytes(self) -> int:
        """What it takes of each tile: that of the phase that takes most."""
        return max((each.bytes for each in self.phases), default=0)

    @property
    def name(self) -> str:
        """The kind, and the label if it has one."""
        return f"{self.kind} of {self.label}" if self.label else self.kind

    @property
    def largest(self) -> Buffer | None:
        """The largest buffer of the phase that takes most; None: nothing is held."""
        if not self.phases:
            return None
        fullest = max(self.phases, key=lambda each: each.bytes)
        return max(fullest.buffers, key=lambda each: each.bytes)


def spmem_of(spec: TileSpec) -> Spmem:
    """Return what a program holds in SPMEM, laid out for the chip.

    Args:
        spec: the spec of a lookup or an update, of either reading.

    Raises:
        SparseCoreError: it does not fit; the text lists the buffers, and limits that would fit.
    """
    # Checks and counters are added after the layout.
    plain = dataclasses.replace(
        spec, label="", reading="chip", check_bounds=False, check_nan=False, counters=False
    )
    phases, staged = _laid_out(plain, str(spec.hardware))
    owned = (dataclasses.replace(each, owner=spec.label) for each in staged)
    memory = spec.tile_memory_bytes or spec.hardware.tile_memory_bytes
    tiles = spec.hardware.tiles_per_sparse_core
    return Spmem(spec.label, spec.kind, memory, tiles, phases, tuple(owned))


@lru_cache(maxsize=1024)
def _laid_out(spec: TileSpec, _hardware: str) -> tuple[tuple[SpmemPhase, ...], tuple[Entry, ...]]:
    """Return the phases of a program, and what is staged; a chip's file may have changed."""
    with tile_context() as context:
        module, staged = build_checked(context, spec)
        lay_out(module, "chip")
        root = module.operation
        (found,) = (op for op in ops_named(root, "func.func") if SIZES in op.attributes)
        pairs = ir.DictAttr(found.attributes[SIZES])
        sizes = {
            each.name: ir.IntegerAttr(each.attr).value
            for each in (pairs[at] for at in range(len(pairs)))
        }
        laid_out = (op for op in ops_named(root, "scf.parallel") if SPMEM_BYTES in op.attributes)
        phases = (_phase(op, sizes) for op in laid_out)
        return tuple(each for each in phases if each.buffers), tuple(staged)


def _phase(op: ir.Operation, sizes: dict[str, int]) -> SpmemPhase:
    names: list[str] = []
    spans: dict[str, tuple[int, int]] = {}
    for step in steps_in(op):
        if not names or names[-1] != step.name:
            names.append(step.name)
        at = len(names) - 1
        own = (_name(each) for each in ops_named(step.op, "memref.alloc"))
        for buffer in (*step.reads, *step.writes, *own):
            spans[buffer] = (spans.get(buffer, (at, at))[0], at)
    end = max(len(names) - 1, 0)
    allocations = (each for each in ops_named(op, "memref.alloc") if OFFSET in each.attributes)
    buffers = (_buffer(each, sizes, spans, end) for each in allocations)
    over = [ir.StringAttr(each).value for each in _array(op, AXES)]
    taken = ir.IntegerAttr(op.attributes[SPMEM_BYTES]).value
    ordered = sorted(buffers, key=lambda each: each.offset)
    return SpmemPhase(tuple(over), tuple(names), tuple(ordered), taken)


def _buffer(
    alloc: ir.Operation, sizes: dict[str, int], spans: dict[str, tuple[int, int]], end: int
) -> Buffer:
    name = _name(alloc)
    texts = [ir.StringAttr(each).value for each in _array(alloc, SIZE)]
    first, last = spans.get(name, (0, end))  # What no step names is there throughout.
    type_ = ir.MemRefType(alloc.results[0].type)
    tiles = ir.IntegerAttr(alloc.attributes[TILES]).value if TILES in alloc.attributes else 1
    return Buffer(
        name=name,
        offset=ir.IntegerAttr(alloc.attributes[OFFSET]).value,
        bytes=-(-prod(type_.shape) * element_bytes(type_.element_type) // tiles),
        shape="x".join(map(str, [*type_.shape, type_.element_type])),
        tiles=tiles,
        product=" x ".join(texts),
        limits=tuple((each, sizes[each]) for each in _names(texts) if each in sizes),
        first=first,
        last=last,
    )


def _name(alloc: ir.Operation) -> str:
    return ir.StringAttr(alloc.attributes[NAME]).value if NAME in alloc.attributes else "?"


def _names(texts: Iterable[str]) -> Iterator[str]:
    """Yield the names in expressions, each once."""
    yield from dict.fromkeys(name for text in texts for name in names_in(text))


def _array(op: ir.Operation, name: str) -> ir.ArrayAttr | tuple[()]:
    """Return an attribute that is an array; empty: the op has none."""
    return ir.ArrayAttr(op.attributes[name]) if name in op.attributes else ()
