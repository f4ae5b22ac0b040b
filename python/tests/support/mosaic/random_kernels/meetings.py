"""Where subcores of a core meet: barriers, signals, shared memory, additions to another's memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from support.mosaic.random_kernels.transfers import Shared, copy, scatter, sliced
from support.mosaic.random_kernels.writer import Memory, Writer

_LETTERS = 8
_COUNT = Memory("%count", (), "!tpu.semaphore", "semaphore_mem")


@dataclass(frozen=True)
class Place:
    """Where the subcores of a core meet.

    Attributes:
        shared: what each subcore has of arrays in HBM.
        by_name: the memory of a subcore.
        subcores: how many there are in a core.
        rows: how many rows of the core's memory are a subcore's own.
    """

    shared: Shared
    by_name: dict[str, Memory]
    subcores: int
    rows: int

    def memory(self) -> list[Memory]:
        """Return the memory that is needed for it: the core's, letters, a semaphore."""
        return [self.of_core("f32"), self.of_core("i32"), self.letters, _COUNT]

    def of_core(self, element: str) -> Memory:
        """Return the core's memory of an element."""
        shape = (self.subcores * self.rows, self.shared.inputs[element].shape[1])
        return Memory(f"%shared_{element}", shape, element, "vmem_shared")

    @property
    def letters(self) -> Memory:
        """The memory of a subcore that others add to."""
        return Memory("%letters", (_LETTERS,), "i32", "smem")


def meeting(w: Writer, place: Place) -> None:
    """Add ops by which all subcores of a core meet."""
    kinds: list[Callable[[Writer, Place], None]] = [
        _exchange,
        _additions,
        _letters,
        _ring,
        _others_results,
    ]
    w.rng.choice(kinds)(w, place)


def barrier(w: Writer) -> None:
    """Add a barrier."""
    w.line(f"tpu.barrier barrier_id({w.number(0, 'index')})")


def _own(w: Writer, place: Place, element: str) -> Memory:
    """Return the subcore's own rows of the core's memory."""
    name, count = w.name(), w.number(place.rows)
    w.line(f"{name} = arith.muli %subcore, {count} : i32")
    memory = place.of_core(element)
    return sliced(w, memory, [name, w.number(0)], (place.rows, memory.shape[1]))


def _read(w: Writer, place: Place, source: Memory, first: str | None = None) -> None:
    """Copy rows of what others wrote to the subcore's memory."""
    target = place.by_name["%f2" if source.element == "f32" else "%i2"]
    start = first or w.below(source.shape[0] - place.rows + 1)
    part = sliced(w, source, [start, w.number(0)], (place.rows, source.shape[1]))
    copy(w, place.shared.semaphores[0], part, target)


def _exchange(w: Writer, place: Place) -> None:
    element = w.rng.choice(["f32", "i32"])
    mine = place.by_name["%f2" if element == "f32" else "%i2"]
    copy(w, place.shared.semaphores[0], mine, _own(w, place, element))
    barrier(w)
    _read(w, place, place.of_core(element))
    barrier(w)


def _additions(w: Writer, place: Place) -> None:
    memory = place.of_core("i32")
    copy(w, place.shared.semaphores[0], place.by_name["%i2"], _own(w, place, "i32"))
    barrier(w)
    for _ in range(w.rng.randint(1, 2)):
        semaphore = place.shared.semaphores[0]
        scatter(w, semaphore, place.by_name["%offsets"], place.by_name["%rows_i"], memory, add=True)
    barrier(w)
    _read(w, place, memory)
    barrier(w)


def _letters(w: Writer, place: Place) -> None:
    letters = place.letters
    for number in range(_LETTERS):
        at = w.number(number, "index")
        w.line(f"memref.store {w.pick('i32')}, {letters.name}[{at}] : {letters.type}")
    barrier(w)
    for _ in range(w.rng.randint(1, 3)):
        name, at, value = w.name(), w.below(_LETTERS), w.pick("i32")
        to = w.below(place.subcores)
        w.line(
            f'{name} = "tpu.fetch_and_add_sync"({letters.name}, {at}, {value}, {to}) : '
            f"({letters.type}, i32, i32, i32) -> i32"
        )
    barrier(w)
    for number in range(_LETTERS):
        at = w.number(number, "index")
        w.set(f"memref.load {letters.name}[{at}] : {letters.type}", "i32")
    barrier(w)


def _ring(w: Writer, place: Place) -> None:
    """Each subcore reads what the one before it wrote, after its signal."""
    element = w.rng.choice(["f32", "i32"])
    mine = place.by_name["%f2" if element == "f32" else "%i2"]
    copy(w, place.shared.semaphores[0], mine, _own(w, place, element))
    amount, size = w.number(w.rng.randint(1, 5)), w.number(place.subcores)
    following = neighbour(w, 1, size)
    w.line(
        f"tpu.sem_signal {_COUNT.name}, {amount} core_id %core subcore_id {following} : {_COUNT.type}"
    )
    w.line(f"tpu.sem_wait {_COUNT.name}, {amount} : {_COUNT.type}")
    row, rows = w.name(), w.number(place.rows)
    w.line(f"{row} = arith.muli {neighbour(w, place.subcores - 1, size)}, {rows} : i32")
    _read(w, place, place.of_core(element), row)
    barrier(w)


def neighbour(w: Writer, distance: int, size: str) -> str:
    """Return the number of a subcore of the core, by its distance."""
    more, total, name = w.number(distance), w.name(), w.name()
    w.line(f"{total} = arith.addi %subcore, {more} : i32")
    w.line(f"{name} = arith.remui {total}, {size} : i32")
    return name


def _others_results(w: Writer, place: Place) -> None:
    """Read results in HBM that subcores of the core have written, after a barrier."""
    output = place.shared.outputs[w.rng.choice(["f32", "i32"])]
    barrier(w)
    count = w.number(place.subcores * place.rows)
    start, name = w.name(), w.name()
    w.line(f"{start} = arith.muli %core, {count} : i32")
    more = w.below(place.subcores * place.rows - place.rows + 1)
    w.line(f"{name} = arith.addi {start}, {more} : i32")
    _read(w, place, output, name)
    barrier(w)
