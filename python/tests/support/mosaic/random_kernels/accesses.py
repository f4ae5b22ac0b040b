"""Random loads and stores, within bounds, and without what is undefined."""

from __future__ import annotations

from support.mosaic.random_kernels.vectors import Statement
from support.mosaic.random_kernels.writer import Memory, Writer


def memory_of(w: Writer, space: str, rank: int, *elements: str) -> Memory | None:
    """Return a memref of the subcore that can be touched now, or None if there is none."""
    found = [
        each
        for each in w.memory
        if each.space == space and len(each.shape) == rank and each.element in elements
    ]
    return w.rng.choice(found) if found else None


def vector_of(w: Writer, memory: Memory) -> str:
    """Return the type of a register of elements of a memref."""
    return {"f32": w.floats, "i32": w.integers, "bf16": w.halves, "i8": w.bytes}[memory.element]


def _place(w: Writer, memory: Memory) -> tuple[str, str]:
    """Return random indices of a register's elements, and the type of the block there."""
    vector = vector_of(w, memory)
    width = w.lanes * {"bf16": 2, "i8": 4}.get(memory.element, 1)
    last = w.index(w.below(memory.shape[-1] - width + 1))
    if len(memory.shape) == 1:
        return last, vector
    return f"{w.index(w.below(memory.shape[0]))}, {last}", f"vector<1x{width}x{memory.element}>"


def _load(w: Writer) -> None:
    memory = memory_of(w, "vmem", w.rng.choice([1, 2]), "f32", "i32", "bf16", "i8")
    if memory is None:
        return
    vector = vector_of(w, memory)
    indices, block = _place(w, memory)
    name = w.name()
    w.line(
        f"{name} = tpu.vector_load {memory.name}[{indices}] {{strides = array<i32>}} : "
        f"{memory.type}, {block}, "
    )
    if block != vector:
        w.set(f"vector.shape_cast {name} : {block} to {vector}", vector)
    else:
        w.add(name, vector)


def _store(w: Writer) -> None:
    memory = memory_of(w, "vmem", w.rng.choice([1, 2]), "f32", "i32", "bf16", "i8")
    if memory is None:
        return
    vector = vector_of(w, memory)
    indices, block = _place(w, memory)
    value = w.pick(vector)
    if block != vector:
        value = w.set(f"vector.shape_cast {value} : {vector} to {block}", block)
    add = "add = true, " if w.rng.random() < 0.3 else ""
    w.line(
        f"tpu.vector_store {memory.name}[{indices}], {value} {{{add}strides = array<i32>}} : "
        f"{memory.type}, {block}, "
    )


def _masked(w: Writer) -> None:
    memory = memory_of(w, "vmem", 1, "f32", "i32")
    if memory is None:
        return
    vector, mask = vector_of(w, memory), w.pick(w.mask)
    indices, _ = _place(w, memory)
    types = f"{memory.type}, {vector}, {w.mask}"
    if w.rng.random() < 0.5:
        add = "add = true, " if w.rng.random() < 0.4 else ""
        w.line(
            f"tpu.vector_store {memory.name}[{indices}], {w.pick(vector)} masked {mask} "
            f"{{{add}strides = array<i32>}} : {types}"
        )
        return
    loaded = w.name()
    attributes = "{strides = array<i32>}"
    w.line(
        f"{loaded} = tpu.vector_load {memory.name}[{indices}] masked {mask} {attributes} : {types}"
    )
    _defined(w, mask, loaded, vector)


def _defined(w: Writer, mask: str, loaded: str, vector: str) -> None:
    """Put other numbers in the lanes that are undefined."""
    w.set(f"arith.select {mask}, {loaded}, {w.pick(vector)} : {w.mask}, {vector}", vector)


def _by_index(w: Writer) -> None:
    memory = memory_of(w, "vmem", w.rng.choice([1, 2]), "f32", "i32")
    if memory is None:
        return
    vector, mask = vector_of(w, memory), w.pick(w.mask)
    indices = ", ".join(_lanes_below(w, size) for size in memory.shape)
    types = ", ".join([w.integers] * len(memory.shape))
    end = f"{memory.type}[{types}], {vector}, {w.mask}"
    if w.rng.random() < 0.5:
        add = " {add = true}" if w.rng.random() < 0.5 else ""
        w.line(
            f"tpu.vector_store_idx {memory.name}[{indices}], {w.pick(vector)} masked {mask}{add} : {end}"
        )
        return
    loaded = w.name()
    w.line(f"{loaded} = tpu.vector_load_idx {memory.name}[{indices}] masked {mask} : {end}")
    _defined(w, mask, loaded, vector)


def _lanes_below(w: Writer, size: int) -> str:
    """Return a vector of indices below a size."""
    limit = w.name()
    w.line(f"{limit} = arith.constant dense<{size}> : {w.integers}")
    name, any_ = w.name(), w.pick(w.integers)
    w.line(f"{name} = arith.remui {any_}, {limit} : {w.integers}")
    return name


def _scalar(w: Writer) -> None:
    memory = memory_of(w, "smem", 1, "i32")
    if memory is None:
        return
    index = w.index(w.below(memory.shape[0]))
    if w.rng.random() < 0.5:
        w.line(f"memref.store {w.pick('i32')}, {memory.name}[{index}] : {memory.type}")
        return
    w.set(f"memref.load {memory.name}[{index}] : {memory.type}", "i32")


STATEMENTS: tuple[tuple[Statement, int], ...] = (
    (_load, 6),
    (_store, 6),
    (_masked, 3),
    (_by_index, 3),
    (_scalar, 2),
)
"""What can be written anywhere, and how often."""
