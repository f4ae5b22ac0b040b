"""What is known of semaphores when a kernel is compiled, so that most waits need no code.

Between two loops or conditions, bytes that transfers add and that waits take are added up here; what
is left is stored when other code may look at the count. The two numbers of a semaphore in memory are
its count, and the place of the last transfer on it.
"""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.lowering.numbers import Number, plus
from sdykit.sparsecore.mosaic.lowering.view import View
from sdykit.sparsecore.tile.builder.ops import Builder

Key = tuple[ir.Value, Number]
"""The buffer of a semaphore, and its position there."""


@dataclass
class _Known:
    """What is known of a count.

    Attributes:
        low: the least that it is in memory; with `is_exact`, what it is.
        change: what was added to it, and taken from it, since it was stored.
        is_exact: whether nothing but this code has changed it since it was 0.
        is_stored: whether memory has it, but for `change`.
        place: the place of the last transfer since it was stored; None if there is none.
    """

    low: int = 0
    change: int = 0
    is_exact: bool = False
    is_stored: bool = True
    place: int | None = None


class Counts:
    """Counts of the semaphores of a subcore.

    Args:
        b: the builder that ops are added with.
    """

    def __init__(self, b: Builder) -> None:
        self._b = b
        self._known: dict[Key, _Known] = {}

    def start(self, semaphore: View) -> None:
        """Begin with a semaphore that is 0."""
        self._known[_key(semaphore)] = _Known(is_exact=True, is_stored=False)

    def add(self, semaphore: View, amount: Number, place: int) -> None:
        """Add to the count of a semaphore."""
        known = self._of(semaphore)
        if isinstance(amount, int):
            known.change += amount
            known.place = place
            return
        self._store(_key(semaphore), known)
        count = self._b.load_index(*_key(semaphore))
        self._set(semaphore, plus(self._b, count, amount), place)

    def known(self, semaphore: View) -> int | None:
        """Return the count of a semaphore, or None if it is not known."""
        known = self._of(semaphore)
        return known.low + known.change if known.is_exact else None

    def can_take(self, semaphore: View, amount: Number) -> bool:
        """Return whether the count is certainly at least as large as an amount."""
        known = self._of(semaphore)
        return isinstance(amount, int) and known.low + known.change >= amount

    def take(self, semaphore: View, amount: int) -> None:
        """Take from a count that is at least as large."""
        self._of(semaphore).change -= amount

    def load(self, semaphore: View) -> ir.Value:
        """Return the count of a semaphore, an index."""
        self._store(_key(semaphore), self._of(semaphore))
        return self._b.load_index(*_key(semaphore))

    def load_place(self, semaphore: View) -> ir.Value:
        """Return the place of the last transfer on a semaphore, an index; call `load` before."""
        buffer, at = _key(semaphore)
        return self._b.load_index(buffer, plus(self._b, at, 1))

    def replace(self, semaphore: View, count: Number) -> None:
        """Set the count of a semaphore to a value that was computed from it."""
        self._set(semaphore, count, None)

    def forget(self, semaphore: View) -> None:
        """Forget a semaphore that is no longer used."""
        self._known.pop(_key(semaphore), None)

    def store_all(self) -> None:
        """Store all counts, and forget them: other code may change them."""
        for key, known in self._known.items():
            self._store(key, known)
        self._known.clear()

    def _of(self, semaphore: View) -> _Known:
        """Return what is known of a semaphore; what may be the same one is stored and forgotten."""
        key = _key(semaphore)
        buffer, at = key
        for other in list(self._known):
            is_same = other[0] == buffer and other[1] != at
            if is_same and not (isinstance(at, int) and isinstance(other[1], int)):
                self._store(other, self._known.pop(other))
        return self._known.setdefault(key, _Known())

    def _store(self, key: Key, known: _Known) -> None:
        b, (buffer, at) = self._b, key
        if known.is_stored and known.change == 0:
            return
        count: Number = known.low + known.change
        if not known.is_exact:
            count = plus(b, b.load_index(buffer, at), known.change)
        b.store(b.to_integer(b.at(count), "i64"), buffer, at)
        if known.place is not None:
            place = b.to_integer(b.at(known.place), "i64")
            b.store(place, buffer, plus(b, at, 1))
        known.low = max(known.low + known.change, 0)
        known.change, known.is_stored, known.place = 0, True, None

    def _set(self, semaphore: View, count: Number, place: int | None) -> None:
        key = _key(semaphore)
        self._known[key] = _Known()
        b, (buffer, at) = self._b, key
        b.store(b.to_integer(b.at(count), "i64"), buffer, at)
        if place is not None:
            b.store(b.to_integer(b.at(place), "i64"), buffer, plus(b, at, 1))


def _key(semaphore: View) -> Key:
    return semaphore.buffer, semaphore.offset
