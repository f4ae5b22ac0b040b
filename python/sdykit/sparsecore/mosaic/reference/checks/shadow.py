"""Shadow memory: who touched each byte last, and what that makes of the next access."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.mosaic.reference.checks.regions import Region
from sdykit.sparsecore.mosaic.reports import Action

Same = Callable[[], npt.NDArray[np.bool_]]
"""Returns which elements of a region hold what an access writes there."""

_WORD = 4
"""Bytes with a common shadow, as long as no access touches a part of them."""
_MOST = 1 << 12
"""How many states there are before those of no byte are looked for, at first."""
_WORDS_PER_STATE = 64
"""And again when there are as many for so many words."""


@dataclass(eq=False, slots=True)
class Access:
    """One load, store, or side of a transfer.

    Attributes:
        agent: who does it.
        place: the number of its line.
        action: what it does.
        start: how far its agent had come; in a loop, the iteration.
        end_agent: who waited for it.
        end: how far that agent had come then; None while it is under way.
    """

    agent: int
    place: int
    action: Action
    start: int
    end_agent: int = -1
    end: int | None = None


@dataclass(frozen=True, slots=True)
class _State:
    """The accesses to a byte that the next one may conflict with: no later one supersedes them.

    Attributes:
        writers: writes and additions. Writes that are here together wrote the same bytes.
        readers: reads of what may be anything.
        knowing: reads of agents who knew of one of the writes: to them all writes of these bytes
            are the same.
    """

    writers: tuple[Access, ...] = ()
    readers: tuple[Access, ...] = ()
    knowing: tuple[Access, ...] = ()


class Shadow:
    """Shadow memory.

    Args:
        is_before: returns whether an access happens before another.
        limit: how many readers, and writers, a byte remembers; None for all.
    """

    def __init__(
        self, is_before: Callable[[Access, Access], bool], limit: int | None = None
    ) -> None:
        self._is_before = is_before
        self._limit = limit
        self._forgets_at = _MOST
        self._states = [_State()]
        self._numbers = {self._states[0]: 0}
        self._words: dict[tuple[int, int], npt.NDArray[np.int32]] = {}
        self._bytes_of_word: dict[tuple[int, int], int] = {}

    def apply(self, access: Access, region: Region, same: Same | None) -> list[Access]:
        """Return earlier accesses that conflict with this one, and remember this one.

        Two accesses conflict if neither happens before the other and one writes; but not two
        writes of the same bytes, not two atomic additions, and not a read and a write of bytes that
        another write has written before the read, too.

        Args:
            access: the access.
            region: what it touches.
            same: which elements it leaves as they are; None if nothing is known about that.

        Returns:
            Each conflicting access once, in the order of the region's elements.
        """
        if len(self._states) >= self._forgets_at:
            self._forget_states()
        words = self._words_of(region)
        shadow = self._words[region.memory]
        old, first, inverse = np.unique(shadow[words], return_index=True, return_inverse=True)
        differs: npt.NDArray[np.bool_] | None = None
        found: dict[Access, tuple[int, int]] = {}
        new = np.zeros(len(old), np.int32)
        for k, number in enumerate(old):
            state = self._states[number]
            for index, (other, unless_same) in enumerate(self._conflicts(state, access)):
                at = int(first[k])
                if same is not None and unless_same:
                    differs = ~self._per_word(region, same()) if differs is None else differs
                    places = np.flatnonzero(differs & (inverse.reshape(-1) == k))
                    if not len(places):
                        continue
                    at = int(places[0])
                found[other] = min((at, index), found.get(other, (at, index)))
            new[k] = self._number(self._after(state, access))
        shadow[words] = new[inverse.reshape(-1)]
        return sorted(found, key=found.__getitem__)

    def forget(self, memory: tuple[int, int]) -> None:
        """Forget all accesses to a buffer."""
        self._words.pop(memory, None)
        self._bytes_of_word.pop(memory, None)

    def _forget_states(self) -> None:
        """Forget the states that are of no byte any more, and with them their accesses."""
        used = np.unique(np.concatenate([[0], *self._words.values()]))
        for memory, words in self._words.items():
            self._words[memory] = np.searchsorted(used, words).astype(np.int32)
        self._states = [self._states[number] for number in used]
        self._numbers = {state: number for number, state in enumerate(self._states)}
        words = sum(map(len, self._words.values()))
        self._forgets_at = max(_MOST, 2 * len(self._states), words // _WORDS_PER_STATE)

    def _conflicts(self, state: _State, access: Access) -> Iterator[tuple[Access, bool]]:
        """Yield conflicts, and whether they are none if the access writes the same bytes."""
        knows_bytes = self._knows_bytes(state, access)
        for each in state.writers:
            is_harmless = (
                each is access
                or (each.action == access.action == Action.ADD)
                or (each.action == Action.WRITE and knows_bytes)
            )
            if not is_harmless and not self._is_before(each, access):
                yield each, each.action == access.action == Action.WRITE
        if access.action == Action.READ:
            return
        for readers, unless_same in (
            (state.readers, False),
            (state.knowing, access.action == Action.WRITE),
        ):
            for each in readers:
                if not self._is_before(each, access):
                    yield each, unless_same

    def _knows_bytes(self, state: _State, access: Access) -> bool:
        return (
            access.action == Action.READ
            and all(each.action == Action.WRITE for each in state.writers)
            and any(self._is_before(each, access) for each in state.writers)
        )

    def _after(self, state: _State, access: Access) -> _State:
        """Return what is to be remembered once an access is done."""
        knows_bytes = self._knows_bytes(state, access)
        is_read = access.action == Action.READ
        writers = state.writers if is_read else self._with(state.writers, access, is_new=True)
        return _State(
            writers,
            self._with(state.readers, access, is_new=is_read and not knows_bytes),
            self._with(state.knowing, access, is_new=knows_bytes),
        )

    def _with(
        self, accesses: tuple[Access, ...], new: Access, *, is_new: bool
    ) -> tuple[Access, ...]:
        """Return the accesses that an access leaves, and itself if it is one of them."""
        kept = tuple(x for x in accesses if x is not new and not self._supersedes(new, x))
        return ((*kept, new) if is_new else kept)[-(self._limit or 0) :]

    def _supersedes(self, new: Access, old: Access) -> bool:
        """Return whether all that conflicts with an access conflicts with a later one, too.

        What conflicts with a read or a write may be an addition, which another does not conflict with.
        """
        if new.action == Action.ADD and old.action != Action.ADD:
            return False
        return self._is_before(old, new)

    def _number(self, state: _State) -> int:
        number = self._numbers.setdefault(state, len(self._states))
        if number == len(self._states):
            self._states.append(state)
        return number

    def _words_of(self, region: Region) -> npt.NDArray[np.int64]:
        """Return which words of the shadow a region is, and make them if there are none yet."""
        starts, length = region.runs()
        memory = region.memory
        size = self._bytes_of_word.setdefault(memory, _WORD)
        shadow = self._words.get(memory, np.zeros(0, np.int32))
        if size > 1 and (length % size or np.any(starts % size)):
            shadow, size = np.repeat(shadow, size), 1
            self._bytes_of_word[memory] = size
        words = (starts[:, None] // size + np.arange(length // size)).reshape(-1)
        needed = int(words.max(initial=-1)) + 1
        if needed > len(shadow):
            shadow = np.concatenate([shadow, np.zeros(needed - len(shadow), np.int32)])
        self._words[memory] = shadow
        return words

    def _per_word(self, region: Region, same: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Return for each word, in the order of elements, whether all of it stays as it is."""
        in_bytes = np.repeat(same.reshape(-1), region.width)
        return np.all(in_bytes.reshape(-1, self._bytes_of_word[region.memory]), axis=1)
