"""Whole random kernels."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sdykit.mlir import ir, passmanager
from support.mosaic.one_op import context
from support.mosaic.random_kernels import accesses, vectors
from support.mosaic.random_kernels.meetings import Place, meeting
from support.mosaic.random_kernels.transfers import (
    Shared,
    copy,
    indirect,
    own_rows,
    sliced,
    squeezed,
    there_and_back,
    transfer,
)
from support.mosaic.random_kernels.writer import Memory, Writer

_ROWS = 4
"""Rows of an output that are a subcore's own."""
_INPUT_ROWS = 8
_DEEPEST = 2
_WHOLE = ("%f2", "%i2", "%h2", "%b2", "%q2")
"""VMEM that has as many rows as a subcore has of an output."""

_ANYWHERE = [*vectors.STATEMENTS, *accesses.STATEMENTS]


@dataclass(frozen=True)
class RandomKernel:
    """A random kernel.

    Attributes:
        text: its module, canonical.
        lanes: elements of 32 bits in a vector.
        cores: SparseCores that it runs on.
        subcores: vector subcores of each.
        inputs: shape and element of each operand.
        outputs: shape and element of each result.
        meets: whether subcores wait for each other.
        aliases: pairs of an operand and the result in its buffer, by number.
    """

    text: str
    lanes: int
    cores: int
    subcores: int
    inputs: tuple[tuple[tuple[int, ...], str], ...]
    outputs: tuple[tuple[tuple[int, ...], str], ...]
    meets: bool
    aliases: tuple[tuple[int, int], ...] = ()


def random_kernel(seed: int, *, meets: bool = False) -> RandomKernel:
    """Return the kernel of a seed.

    Args:
        seed: the seed.
        meets: whether subcores wait for each other, and reach each other's memory.
    """
    rng = random.Random(f"kernel {seed} {meets}")
    lanes, cores, subcores = rng.choice([8, 16]), rng.choice([1, 2]), rng.choice([1, 2, 4])
    width = 4 * lanes
    agents = cores * subcores
    elements = ("f32", "i32", "bf16", "i8", "i4")
    inputs = {e: Memory(f"%in_{e}", (_INPUT_ROWS, width), e, "hbm") for e in elements}
    outputs = {e: Memory(f"%out_{e}", (_ROWS * agents, width), e, "hbm") for e in elements}
    w = Writer(rng, lanes)
    scratch = _scratch(w, width)
    in_region = [each for each in scratch if rng.random() < 0.5]
    arguments = [each for each in scratch if each not in in_region]
    semaphores = tuple(
        Memory(f"%sem{k}", (), "!tpu.dma_semaphore", "semaphore_mem") for k in range(2)
    )
    in_hbm = Memory("%in_hbm", outputs["i32"].shape, "i32", "hbm")
    shared = Shared(inputs, outputs, _ROWS, "%first_row", in_hbm, semaphores, meets)
    by_name = {each.name: each for each in scratch}
    place = Place(shared, by_name, subcores, _ROWS) if meets else None
    extra = place.memory() if place else []
    _begin(w, subcores)
    if in_region:
        _region(w, in_region, lambda: _body(w, shared, by_name, place))
    else:
        _body(w, shared, by_name, place)
    scratch = [*arguments, *extra, in_hbm, *semaphores]
    given = [*inputs.values(), *outputs.values(), *scratch]
    text = module_text(w, (cores, subcores), given, scratch=len(scratch))
    return RandomKernel(
        canonical(text),
        lanes,
        cores,
        subcores,
        tuple((each.shape, each.element) for each in inputs.values()),
        tuple((each.shape, each.element) for each in outputs.values()),
        meets,
    )


def module_text(
    w: Writer, bounds: tuple[int, int], arguments: Sequence[Memory], *, scratch: int
) -> str:
    """Return the text of a module whose function has what was written, and these arguments.

    Args:
        w: the body.
        bounds: cores and subcores.
        arguments: the arrays, then the scratch.
        scratch: how many of them are scratch.
    """
    parameters = ", ".join(f"{each.name}: {each.type}" for each in arguments)
    return "\n".join(
        [
            "module {",
            f"  func.func @random(%core: i32, %subcore: i32, {parameters})",
            f"      attributes {{iteration_bounds = array<i64: {bounds[0]}, {bounds[1]}>,",
            f"      scratch_operands = {scratch} : i64,",
            "      tpu.core_type = #tpu.core_type<sc_vector_subcore>} {",
            *w.lines,
            "    return",
            "  }",
            "}",
        ]
    )


def canonical(text: str) -> str:
    """Return the text of a module as JAX's kernels come: canonical."""
    module = ir.Module.parse(text, context())
    passes = "builtin.module(canonicalize,cse,canonicalize)"
    passmanager.PassManager.parse(passes, context()).run(module.operation)
    return str(module.operation.get_asm(enable_debug_info=True))


def _scratch(w: Writer, width: int) -> list[Memory]:
    return [
        Memory("%f2", (_ROWS, width), "f32", "vmem"),
        Memory("%i2", (_ROWS, width), "i32", "vmem"),
        Memory("%h2", (_ROWS, width), "bf16", "vmem"),
        Memory("%b2", (_ROWS, width), "i8", "vmem"),
        Memory("%q2", (_ROWS, width), "i4", "vmem"),
        Memory("%f1", (width,), "f32", "vmem"),
        Memory("%i1", (width,), "i32", "vmem"),
        Memory("%offsets", (w.lanes,), "i32", "vmem"),
        Memory("%rows_f", (w.lanes, width), "f32", "vmem"),
        Memory("%rows_i", (w.lanes, width), "i32", "vmem"),
        Memory("%s", (16,), "i32", "smem"),
    ]


def _begin(w: Writer, subcores: int) -> None:
    count, rows = w.number(subcores), w.number(_ROWS)
    base, agent = w.name(), w.name()
    w.line(f"{base} = arith.muli %core, {count} : i32")
    w.line(f"{agent} = arith.addi {base}, %subcore : i32")
    w.line(f"%first_row = arith.muli {agent}, {rows} : i32")
    for name in (agent, "%core", "%subcore"):
        w.add(name, "i32")


def _region(w: Writer, memory: list[Memory], body: Callable[[], None]) -> None:
    w.line('"tpu.region"() ({')
    with w.scope():
        for each in memory:
            w.line(f"{each.name} = memref.alloca() : {each.type}")
        body()
        w.line("tpu.yield")
    w.line("}) : () -> ()")


def _body(w: Writer, shared: Shared, by_name: dict[str, Memory], place: Place | None) -> None:
    _fill(w, shared, by_name)
    w.memory = [*by_name.values(), *shared.outputs.values(), *shared.semaphores]
    _statements(w, shared, by_name, w.rng.randint(8, 20))
    if place:
        for _ in range(w.rng.randint(1, 3)):
            meeting(w, place)
            _statements(w, shared, by_name, w.rng.randint(3, 10))
    if w.rng.random() < 0.15:
        _print(w)
    for name in _WHOLE:
        memory = by_name[name]
        output = shared.outputs[memory.element]
        own = sliced(w, output, [shared.first_row, w.number(0)], (_ROWS, output.shape[1]))
        copy(w, shared.semaphores[0], memory, own)


def _fill(w: Writer, shared: Shared, by_name: dict[str, Memory]) -> None:
    """Write all memory, so that nothing is undefined."""
    for name in (*_WHOLE, "%rows_f", "%rows_i"):
        memory = by_name[name]
        source = shared.inputs[memory.element]
        for first in range(0, memory.shape[0], _ROWS):
            start = w.below(_INPUT_ROWS - _ROWS + 1)
            part = sliced(w, source, [start, w.number(0)], (_ROWS, source.shape[1]))
            here = sliced(w, memory, [w.number(first), w.number(0)], (_ROWS, memory.shape[1]))
            copy(w, shared.semaphores[0], part, here)
        if name in _WHOLE:
            output = shared.outputs[memory.element]
            own = sliced(w, output, [own_rows(w, shared, _ROWS), w.number(0)], memory.shape)
            copy(w, shared.semaphores[0], memory, own)
    for name in ("%f1", "%i1", "%offsets"):
        memory, (size,) = by_name[name], by_name[name].shape
        row = sliced(w, shared.inputs[memory.element], [w.number(3), w.number(0)], (1, size))
        copy(w, shared.semaphores[0], squeezed(w, row), memory)
    for index in range(16):
        memory, at = by_name["%s"], w.number(index, "index")
        w.line(f"memref.store {w.pick('i32')}, {memory.name}[{at}] : {memory.type}")


def _print(w: Writer) -> None:
    type_ = w.rng.choice(["i32", "f32", w.integers, w.floats])
    w.line(f'"tpu.log"({w.pick(type_)}) <{{tag = "random"}}> : ({type_}) -> ()')


def _statements(w: Writer, shared: Shared, by_name: dict[str, Memory], count: int) -> None:
    choices, weights = zip(*_ANYWHERE, strict=True)
    for _ in range(count):
        if w.rng.random() < 0.22:
            _compound(w, shared, by_name)
        else:
            w.rng.choices(choices, weights)[0](w)


def _compound(w: Writer, shared: Shared, by_name: dict[str, Memory]) -> None:
    def some(inner: Writer) -> None:
        _statements(inner, shared, by_name, inner.rng.randint(1, 4))

    rows = by_name[w.rng.choice(["%rows_f", "%rows_i"])]
    busy = by_name["%offsets"] not in w.memory or rows not in w.memory
    kinds = ["transfer", "hbm"] if busy else ["transfer", "hbm", "indirect"]
    if w.depth < _DEEPEST:
        kinds += ["for", "while", "if"]
    kind = w.rng.choice(kinds)
    if kind == "transfer":
        transfer(w, shared, lambda inner: some(inner) if inner.rng.random() < 0.5 else None)
    elif kind == "hbm":
        there_and_back(w, shared, by_name)
    elif kind == "indirect":
        indirect(w, shared, by_name["%offsets"], rows)
    else:
        {"for": _for, "while": _while, "if": _if}[kind](w, some)


def _carried(w: Writer) -> list[tuple[str, str]]:
    """Return types and first values of what a loop carries."""
    types = w.rng.sample([w.floats, w.integers, "i32", w.mask], w.rng.randint(0, 2))
    return [(type_, w.pick(type_)) for type_ in types]


def _for(w: Writer, body: Callable[[Writer], None]) -> None:
    carried = _carried(w)
    low, high = w.number(w.rng.randint(0, 1)), w.number(w.rng.randint(0, 4))
    step, index = w.number(w.rng.randint(1, 2)), w.name()
    names = [w.name() for _ in carried]
    initial = ", ".join(f"{n} = {first}" for n, (_, first) in zip(names, carried, strict=True))
    types = [type_ for type_, _ in carried]
    results = [w.name() for _ in carried]
    head = f"scf.for {index} = {low} to {high} step {step}"
    if carried:
        head = f"{', '.join(results)} = {head} iter_args({initial}) -> ({', '.join(types)})"
    w.line(f"{head} : i32 {{")
    with w.scope():
        w.add(index, "i32")
        for name, type_ in zip(names, types, strict=True):
            w.add(name, type_)
        body(w)
        _yield(w, "scf.yield", types)
    w.line("}")
    for name, type_ in zip(results, types, strict=True):
        w.add(name, type_)


def _yield(w: Writer, op: str, types: list[str]) -> None:
    if types:
        values = [w.pick(type_) for type_ in types]
        w.line(f"{op} {', '.join(values)} : {', '.join(types)}")


def _if(w: Writer, body: Callable[[Writer], None]) -> None:
    types = [type_ for type_, _ in _carried(w)]
    results = [w.name() for _ in types]
    head = f"scf.if {w.pick('i1')}"
    w.line(f"{', '.join(results)} = {head} -> ({', '.join(types)}) {{" if types else f"{head} {{")
    for branch in range(2 if types or w.rng.random() < 0.5 else 1):
        if branch:
            w.line("} else {")
        with w.scope():
            body(w)
            _yield(w, "scf.yield", types)
    w.line("}")
    for name, type_ in zip(results, types, strict=True):
        w.add(name, type_)


def _while(w: Writer, body: Callable[[Writer], None]) -> None:
    type_ = w.rng.choice([w.floats, w.integers])
    first, count, result = w.pick(type_), w.name(), w.name()
    zero, limit, one = w.number(0), w.number(w.rng.randint(0, 3)), w.number(1)
    before, inner, inner_count, more, following = (w.name() for _ in range(5))
    types = f"(i32, {type_})"
    w.line(
        f"{w.name()}, {result} = scf.while ({count} = {zero}, {before} = {first}) : {types} -> {types} {{"
    )
    w.line(f"  {more} = arith.cmpi slt, {count}, {limit} : i32")
    w.line(f"  scf.condition({more}) {count}, {before} : i32, {type_}")
    w.line("} do {")
    w.line(f"^bb0({inner_count}: i32, {inner}: {type_}):")
    with w.scope():
        w.add(inner, type_)
        w.add(inner_count, "i32")
        body(w)
        last = w.pick(type_)
        w.line(f"{following} = arith.addi {inner_count}, {one} : i32")
        w.line(f"scf.yield {following}, {last} : i32, {type_}")
    w.line("}")
    w.add(result, type_)
