"""Random chains of kernels that pass semaphores: what one call starts or signals, a later one waits for."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from support.mosaic.random_kernels.meetings import barrier, neighbour
from support.mosaic.random_kernels.program import RandomKernel, canonical, module_text
from support.mosaic.random_kernels.transfers import copy, sliced, squeezed, start, wait
from support.mosaic.random_kernels.writer import Memory, Writer

_ROWS = 6
"""Rows of the result that are a subcore's own."""
_INPUT_ROWS = 8
_EACH = 2
"""Semaphores of each kind that are passed."""
DMA, REGULAR = "!tpu.dma_semaphore", "!tpu.semaphore"
_OWN = Memory("%own", (), DMA, "semaphore_mem")
"""The semaphore of DMAs that are waited for at once."""


@dataclass
class _Call:
    """A kernel while it is written.

    Attributes:
        w: its text.
        x: its operand.
        y: its result.
        cores: SparseCores that it runs on.
        subcores: vector subcores of each.
        counts: the count of each semaphore in each subcore, by its array and its position there. The
            two arrays of aliased semaphores have the same list.
        rows: the subcore's own rows of the result that no transfer under way writes.
    """

    w: Writer
    x: Memory
    y: Memory
    cores: int
    subcores: int
    counts: dict[tuple[Memory, int], list[int]] = field(default_factory=dict)
    rows: list[int] = field(default_factory=lambda: list(range(_ROWS)))

    def pick(self, element: str, least: int = 0) -> tuple[Memory, list[int]] | None:
        """Return a semaphore of a kind with its counts, each of which is at least a number."""
        known = [
            (key, counts)
            for key, counts in self.counts.items()
            if key[0].element == element and min(counts) >= least
        ]
        if not known:
            return None
        (memory, position), counts = self.w.rng.choice(known)
        one = sliced(self.w, memory, [self.w.number(position)], (1,))
        return squeezed(self.w, one), counts

    def own(self, row: int, rows: int) -> Memory:
        """Return rows of the result that are the subcore's own."""
        name, more = self.w.name(), self.w.number(row)
        self.w.line(f"{name} = arith.addi %first_row, {more} : i32")
        return sliced(self.w, self.y, [name, self.w.number(0)], (rows, self.y.shape[1]))

    def inputs(self, rows: int) -> Memory:
        """Return rows of the operand."""
        start = self.w.below(_INPUT_ROWS - rows + 1)
        return sliced(self.w, self.x, [start, self.w.number(0)], (rows, self.x.shape[1]))

    def some(self, body: Callable[[], None]) -> list[int]:
        """Add a body that all subcores run, or those of one number; return who does, 1 or 0 for each."""
        agents = self.cores * self.subcores
        if self.w.rng.random() < 0.6:
            body()
            return [1] * agents
        which = self.w.rng.randrange(self.subcores)
        number, is_it = self.w.number(which), self.w.name()
        self.w.line(f"{is_it} = arith.cmpi eq, %subcore, {number} : i32")
        self.w.line(f"scf.if {is_it} {{")
        with self.w.scope():
            body()
        self.w.line("}")
        return [int(agent % self.subcores == which) for agent in range(agents)]


def random_calls(seed: int) -> list[RandomKernel]:
    """Return the kernels of a seed; each has the semaphores of the one before as operands.

    The first operand of each is an array of integers, and so is the first result. The others are
    semaphores for DMAs, and regular ones; the first kernel has no such operands, the last no such results.
    """
    rng = random.Random(f"calls {seed}")
    lanes, cores, subcores = rng.choice([8, 16]), rng.choice([1, 2]), rng.choice([1, 2, 4])
    passed: list[list[int]] = []
    found: list[RandomKernel] = []
    count = rng.choice([2, 2, 3])
    for number in range(count):
        width = 2 * lanes
        x = Memory("%x", (_INPUT_ROWS, width), "i32", "hbm")
        y = Memory("%y", (_ROWS * cores * subcores, width), "i32", "hbm")
        call = _Call(Writer(rng, lanes), x, y, cores, subcores)
        given = _semaphores("in") if number else []
        made = _semaphores("out") if number < count - 1 else []
        aliases = tuple((k, k) for k in (1, 2) if given and made and rng.random() < 0.6)
        _begin_counts(call, given, made, passed, aliases)
        _body(call)
        passed = [[max(call.counts[each, k]) for k in range(_EACH)] for each in made]
        found.append(_kernel(call, [x, *given], [y, *made], aliases))
    return found


def _semaphores(what: str) -> list[Memory]:
    return [
        Memory(f"%{what}_{kind}", (_EACH,), element, "semaphore_mem")
        for kind, element in (("dma", DMA), ("regular", REGULAR))
    ]


def _begin_counts(
    call: _Call,
    given: Sequence[Memory],
    made: Sequence[Memory],
    passed: Sequence[Sequence[int]],
    aliases: Sequence[tuple[int, int]],
) -> None:
    """Set the counts at the start of a call: those that were passed, the same in each subcore."""
    agents = call.cores * call.subcores
    for memory, counts in zip(given, passed, strict=True):
        call.counts |= {(memory, k): [counts[k]] * agents for k in range(_EACH)}
    for number, memory in enumerate(made, 1):
        for k in range(_EACH):
            is_alias = (number, number) in aliases
            known = call.counts[given[number - 1], k] if is_alias else [0] * agents
            call.counts[memory, k] = known


def _body(call: _Call) -> None:
    w = call.w
    base, agent = w.name(), w.name()
    w.line(f"{base} = arith.muli %core, {w.number(call.subcores)} : i32")
    w.line(f"{agent} = arith.addi {base}, %subcore : i32")
    w.line(f"%first_row = arith.muli {agent}, {w.number(_ROWS)} : i32")
    for name in (agent, "%core", "%subcore"):
        w.add(name, "i32")
    copy(w, _OWN, call.inputs(_ROWS), call.own(0, _ROWS))
    statements = [
        _start,
        _start,
        _wait_for_rows,
        _signal,
        _signal,
        _ring,
        _wait,
        _wait,
        _read,
        _meet,
    ]
    for _ in range(w.rng.randint(8, 24)):
        w.rng.choice(statements)(call)


def _start(call: _Call) -> None:
    """Start a DMA to a row that nobody touches from then on."""
    found = call.pick(DMA)
    if found is None or not call.rows:
        return
    semaphore, counts = found
    row = call.rows.pop(call.w.rng.randrange(len(call.rows)))
    width = call.w.rng.choice([call.w.lanes, call.y.shape[1]])

    def body() -> None:
        zero = call.w.number(0)
        ends = [
            sliced(call.w, each, [zero, zero], (1, width))
            for each in (call.inputs(1), call.own(row, 1))
        ]
        start(call.w, semaphore, *ends)

    for agent, starts in enumerate(call.some(body)):
        counts[agent] += 4 * width * starts


def _wait_for_rows(call: _Call) -> None:
    """Wait for as many bytes as some rows have, whatever DMAs they are of."""
    bytes_ = 4 * call.x.shape[1]
    found = call.pick(DMA, bytes_)
    if found is None:
        return
    semaphore, counts = found
    rows = call.w.rng.randint(1, min(_INPUT_ROWS, min(counts) // bytes_))
    part = call.inputs(rows)
    wait(call.w, semaphore, part, part)
    counts[:] = [each - rows * bytes_ for each in counts]


def _signal(call: _Call) -> None:
    found = call.pick(REGULAR)
    if found is None:
        return
    semaphore, counts = found
    amount = call.w.rng.randint(1, 5)

    def body() -> None:
        number = call.w.number(amount)
        call.w.line(f"tpu.sem_signal {semaphore.name}, {number} : {semaphore.type}")

    for agent, signals in enumerate(call.some(body)):
        counts[agent] += amount * signals


def _ring(call: _Call) -> None:
    """Signal the next subcore of the core."""
    found = call.pick(REGULAR)
    if found is None:
        return
    semaphore, counts = found
    amount = call.w.rng.randint(1, 5)
    to = neighbour(call.w, 1, call.w.number(call.subcores))
    call.w.line(
        f"tpu.sem_signal {semaphore.name}, {call.w.number(amount)} core_id %core subcore_id {to} : "
        f"{semaphore.type}"
    )
    counts[:] = [each + amount for each in counts]


def _wait(call: _Call) -> None:
    found = call.pick(REGULAR, 1)
    if found is None:
        return
    semaphore, counts = found
    amount = call.w.rng.randint(1, min(counts))
    call.w.line(f"tpu.sem_wait {semaphore.name}, {call.w.number(amount)} : {semaphore.type}")
    counts[:] = [each - amount for each in counts]


def _read(call: _Call) -> None:
    """Write a count to a row of the result."""
    w = call.w
    found = call.pick(w.rng.choice([REGULAR, DMA]))
    if found is None or not call.rows:
        return
    semaphore, _ = found
    count, vector, zero = w.name(), w.name(), w.number(0, "index")
    # No other subcore signals between the two.
    barrier(w)
    w.line(f"{count} = tpu.sem_read {semaphore.name} : {semaphore.type} -> i32")
    barrier(w)
    w.line(f"{vector} = vector.broadcast {count} : i32 to {w.integers}")
    w.line(
        f"tpu.vector_store %held[{zero}], {vector} {{strides = array<i32>}} : "
        f"{_held(w).type}, {w.integers}, "
    )
    row = call.own(w.rng.choice(call.rows), 1)
    part = sliced(w, row, [w.number(0), w.number(0)], (1, w.lanes))
    copy(w, _OWN, _held(w), squeezed(w, part))


def _meet(call: _Call) -> None:
    barrier(call.w)


def _held(w: Writer) -> Memory:
    return Memory("%held", (w.lanes,), "i32", "vmem")


def _kernel(
    call: _Call,
    inputs: Sequence[Memory],
    outputs: Sequence[Memory],
    aliases: tuple[tuple[int, int], ...],
) -> RandomKernel:
    w, arguments = call.w, (*inputs, *outputs, _held(call.w), _OWN)
    return RandomKernel(
        canonical(module_text(w, (call.cores, call.subcores), arguments, scratch=2)),
        w.lanes,
        call.cores,
        call.subcores,
        tuple((each.shape, each.element) for each in inputs),
        tuple((each.shape, each.element) for each in outputs),
        meets=True,
        aliases=aliases,
    )
