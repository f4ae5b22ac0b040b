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
    """The accesses to a byte that the next one may conflict with: no later one supersedes them."""

    writers: tuple[Access, ...] = ()
    readers: tuple[Access, ...] = ()


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
        self._states = [_State()]
        self._numbers = {self._states[0]: 0}
        self._words: dict[tuple[int, int], npt.NDArray[np.int32]] = {}
        self._bytes_of_word: dict[tuple[int, int], int] = {}

    def apply(self, access: Access, region: Region, same: Same | None) -> list[Access]:
        """Return earlier accesses that conflict with this one, and remember this one.

        Two accesses conflict if neither happens before the other and one writes; but not two
        writes that leave the same bytes, not two atomic additions, and not a read of bytes that
        several have written, which are the same, if one of these writes happens before.

        Args:
            access: the access.
            region: what it touches.
            same: which elements it leaves as they are; None if nothing is known about that.

        Returns:
            Each conflicting access once, in the order of the region's elements.
        """
        words = self._words_of(region)
        shadow = self._words[region.memory]
        old, first, inverse = np.unique(shadow[words], return_index=True, return_inverse=True)
        differs: npt.NDArray[np.bool_] | None = None
        found: dict[Access, tuple[int, int]] = {}
        new = np.zeros(len(old), np.int32)
        for k, number in enumerate(old):
            state = self._states[number]
            for index, other in enumerate(self._conflicts(state, access)):
                at = int(first[k])
                if same is not None and _both_write(other, access):
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

    def _conflicts(self, state: _State, access: Access) -> Iterator[Access]:
        # Writers that are remembered together have written the same bytes: who knows of one of
        # them reads these, whatever the others do.
        is_read = access.action == Action.READ
        knows_bytes = is_read and any(
            each.action == Action.WRITE and self._is_before(each, access) for each in state.writers
        )
        for each in state.writers:
            is_harmless = (
                each is access
                or (each.action == access.action == Action.ADD)
                or (each.action == Action.WRITE and knows_bytes)
            )
            if not is_harmless and not self._is_before(each, access):
                yield each
        for each in () if is_read else state.readers:
            if not self._is_before(each, access):
                yield each

    def _after(self, state: _State, access: Access) -> _State:
        """Return what is to be remembered once an access is done."""
        if access.action == Action.READ:
            return _State(state.writers, self._with(state.readers, access))
        return _State(self._with(state.writers, access))

    def _with(self, accesses: tuple[Access, ...], new: Access) -> tuple[Access, ...]:
        kept = [x for x in accesses if x is not new and not self._is_before(x, new)]
        return (*kept, new)[-(self._limit or 0) :]

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


def _both_write(left: Access, right: Access) -> bool:
    return left.action == right.action == Action.WRITE
