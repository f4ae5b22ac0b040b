"""Random DMAs that are waited for, and whose data nobody touches meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from support.mosaic.random_kernels.accesses import memory_of
from support.mosaic.random_kernels.writer import Memory, Writer


@dataclass(frozen=True)
class Shared:
    """What a subcore shares with others.

    Attributes:
        inputs: arrays in HBM that nobody writes, by element.
        outputs: arrays in HBM of whose rows each subcore has its own, by element.
        rows: how many rows of an output a subcore has.
        first_row: an i32, the first of its rows.
        scratch: an array in HBM that is no argument of the call, with rows as an output of i32.
        semaphores: DMA semaphores of the subcore.
        adds: whether transfers may add, which makes a kernel wait for others.
    """

    inputs: dict[str, Memory]
    outputs: dict[str, Memory]
    rows: int
    first_row: str
    scratch: Memory
    semaphores: tuple[Memory, ...]
    adds: bool


def sliced(w: Writer, memory: Memory, starts: list[str], sizes: tuple[int, ...]) -> Memory:
    """Add a slice, and return it."""
    result = Memory(w.name(), sizes, memory.element, memory.space)
    w.line(
        f"{result.name} = tpu.memref_slice {memory.name}[{', '.join(starts)}] : "
        f"{memory.type} -> {result.type}"
    )
    return result


def squeezed(w: Writer, memory: Memory) -> Memory:
    """Add a view without the first dimension, of size 1, and return it."""
    result = Memory(w.name(), memory.shape[1:], memory.element, memory.space)
    w.line(f"{result.name} = tpu.memref_squeeze {memory.name} : {memory.type} -> {result.type}")
    return result


def copy(w: Writer, semaphore: Memory, source: Memory, target: Memory) -> None:
    """Add a DMA and its wait."""
    start(w, semaphore, source, target)
    wait(w, semaphore, source, target)


def start(w: Writer, semaphore: Memory, source: Memory, target: Memory) -> None:
    """Add a DMA."""
    w.line(
        f"tpu.enqueue_dma source({source.name} : {source.type}) target({target.name} : {target.type}) "
        f"target_semaphore({semaphore.name} : {semaphore.type})"
    )


def wait(w: Writer, semaphore: Memory, source: Memory, target: Memory) -> None:
    """Add the wait for a DMA."""
    w.line(
        f"tpu.wait_dma2 semaphore({semaphore.name} : {semaphore.type}) src({source.name} : {source.type}) "
        f"dst({target.name} : {target.type})"
    )


def own_rows(w: Writer, shared: Shared, count: int) -> str:
    """Return an i32: the first of some rows of the subcore's own."""
    name, more = w.name(), w.below(shared.rows - count + 1)
    w.line(f"{name} = arith.addi {shared.first_row}, {more} : i32")
    return name


def _block(w: Writer, memory: Memory, sizes: tuple[int, int]) -> Memory:
    starts = [w.below(whole - size + 1) for whole, size in zip(memory.shape, sizes, strict=True)]
    return sliced(w, memory, starts, sizes)


def transfer(w: Writer, shared: Shared, body: Callable[[Writer], None]) -> None:
    """Add a DMA of a block from or to HBM, with other ops before its wait."""
    memory = memory_of(w, "vmem", 2, "f32", "i32", "bf16", "i8", "i4")
    semaphore = memory_of(w, "semaphore_mem", 0, "!tpu.dma_semaphore")
    if memory is None or semaphore is None or shared.outputs[memory.element] not in w.memory:
        return
    rows = w.rng.randint(1, min(memory.shape[0], shared.rows))
    sizes = (rows, w.rng.choice([memory.shape[1], w.rng.randint(1, memory.shape[1])]))
    here = _block(w, memory, sizes)
    kind = w.rng.choice(["in", "out", "back"])
    if kind == "in":
        there = _block(w, shared.inputs[memory.element], sizes)
    else:
        output = shared.outputs[memory.element]
        column = w.below(output.shape[1] - sizes[1] + 1)
        there = sliced(w, output, [own_rows(w, shared, rows), column], sizes)
    source, target = (here, there) if kind == "out" else (there, here)
    start(w, semaphore, source, target)
    with w.without(memory, semaphore, shared.outputs[memory.element]):
        body(w)
    wait(w, semaphore, source, target)


def there_and_back(w: Writer, shared: Shared, by_name: dict[str, Memory]) -> None:
    """Add DMAs to the subcore's own rows of scratch in HBM, and from there."""
    memory, scratch = by_name["%i2"], shared.scratch
    semaphore = memory_of(w, "semaphore_mem", 0, "!tpu.dma_semaphore")
    if memory not in w.memory or semaphore is None:
        return
    own = sliced(w, scratch, [shared.first_row, w.number(0)], memory.shape)
    copy(w, semaphore, memory, own)
    target = by_name["%rows_i"]
    if target in w.memory and w.rng.random() < 0.7:
        first = w.below(target.shape[0] - shared.rows + 1)
        copy(w, semaphore, own, sliced(w, target, [first, w.number(0)], memory.shape))


def indirect(w: Writer, shared: Shared, offsets: Memory, rows: Memory) -> None:
    """Add a gather of rows from an input, or a scatter to rows of the subcore's own.

    Args:
        w: the kernel.
        shared: what subcores share.
        offsets: VMEM for as many offsets as a register holds.
        rows: VMEM of as many rows.
    """
    semaphore = memory_of(w, "semaphore_mem", 0, "!tpu.dma_semaphore")
    output = shared.outputs[rows.element]
    if semaphore is None or output not in w.memory:
        return
    if w.rng.random() < 0.5:
        source = shared.inputs[rows.element]
        picked = _offsets(w, offsets, source.shape[0])
        _indirect(w, semaphore, (source, rows), picked)
        return
    own = sliced(w, output, [shared.first_row, w.number(0)], (shared.rows, output.shape[1]))
    scatter(w, semaphore, offsets, rows, own, add=shared.adds and w.rng.random() < 0.5)


def scatter(
    w: Writer, semaphore: Memory, offsets: Memory, rows: Memory, target: Memory, *, add: bool
) -> None:
    """Add a scatter of rows, which may add to those of the target."""
    picked = _offsets(w, offsets, target.shape[0])
    _indirect(w, semaphore, (rows, target), picked, add=add)


def _offsets(w: Writer, offsets: Memory, limit: int) -> str:
    """Return the words of offsets below a limit, in VMEM or as a vector, with a filter or without."""
    size, picked, any_ = w.name(), w.name(), w.pick(w.integers)
    w.line(f"{size} = arith.constant dense<{limit}> : {w.integers}")
    w.line(f"{picked} = arith.remui {any_}, {size} : {w.integers}")
    operand = f"{picked} : {w.integers}"
    if w.rng.random() < 0.5:
        zero = w.number(0, "index")
        w.line(
            f"tpu.vector_store {offsets.name}[{zero}], {picked} {{strides = array<i32>}} : "
            f"{offsets.type}, {w.integers}, "
        )
        operand = f"{offsets.name} : {offsets.type}"
    left_out = f" offset_filter({w.below(limit)})" if w.rng.random() < 0.3 else ""
    return f"offsets({operand}){left_out}"


def _indirect(
    w: Writer, semaphore: Memory, ends: tuple[Memory, Memory], offsets: str, *, add: bool = False
) -> None:
    source, target = (f"({each.name} : {each.type})" for each in ends)
    counted = f"semaphore({semaphore.name} : {semaphore.type})"
    attributes = " {add = true}" if add else ""
    w.line(
        f"tpu.enqueue_indirect_dma source{source} target{target} {offsets} {counted}{attributes}"
    )
    w.line(f"tpu.wait_indirect_dma {counted} src{source} dst{target}")
