"""Alignment of two long sequences in time linear in their length."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

Pair = tuple[int | None, int | None]
"""Positions of equal elements in both sequences; None on one side for an edit."""

_MAX_EDITS = 64
"""The maximum number of edits between restarts of the search."""


class _End(NamedTuple):
    """The end of the furthest path so far."""

    x: int
    y: int
    diagonal: int
    edits: int


def align(before: Sequence[Hashable], after: Sequence[Hashable]) -> Iterator[Pair]:
    """Pair equal elements in order, the rest as deleted (`i, None`) and added (`None, j`).

    Myers' greedy algorithm, stopped after 64 edits: the furthest path so far is kept, and the
    search restarts at its end. A script of E edits over N elements takes O(N + 64 E) steps,
    where the exact algorithm and `difflib` are quadratic. The script is shortest wherever
    fewer than 64 edits lie between two matching stretches.
    """
    i = j = 0
    while i < len(before) and j < len(after):
        if before[i] == after[j]:
            yield i, j
            i, j = i + 1, j + 1
            continue
        path = _path(before, after, i, j)
        for x, y in path:
            if x == i:
                yield None, j
            elif y == j:
                yield i, None
            else:
                yield i, j
            i, j = x, y
    yield from ((at, None) for at in range(i, len(before)))
    yield from ((None, at) for at in range(j, len(after)))


def _path(
    before: Sequence[Hashable], after: Sequence[Hashable], i: int, j: int
) -> list[tuple[int, int]]:
    """Return the points after each step of the furthest path from `(i, j)`."""
    furthest = {1: i}
    history: list[dict[int, int]] = []
    end = _End(i, j, 0, 0)
    for edits in range(_MAX_EDITS + 1):
        history.append(dict(furthest))
        for diagonal in range(-edits, edits + 1, 2):
            x = _step(furthest, diagonal, edits)
            y = x - i + j - diagonal
            while x < len(before) and y < len(after) and before[x] == after[y]:
                x, y = x + 1, y + 1
            furthest[diagonal] = x
            if x <= len(before) and y <= len(after) and x + y > end.x + end.y:
                end = _End(x, y, diagonal, edits)
        if (end.x, end.y) == (len(before), len(after)):
            break
    return _trace(history, end, (i, j))


def _step(furthest: dict[int, int], diagonal: int, edits: int) -> int:
    """Return x after one edit onto `diagonal`: an addition, or a deletion, which advances x."""
    if _goes_down(furthest, diagonal, edits):
        return furthest[diagonal + 1]
    return furthest[diagonal - 1] + 1


def _goes_down(furthest: dict[int, int], diagonal: int, edits: int) -> bool:
    """Return whether the furthest path to `diagonal` ends with an addition."""
    if diagonal in (-edits, edits):
        return diagonal == -edits
    return furthest[diagonal - 1] < furthest[diagonal + 1]


def _trace(
    history: list[dict[int, int]], end: _End, start: tuple[int, int]
) -> list[tuple[int, int]]:
    """Return the points of the path to `end`, without the start."""
    i, j = start
    x, diagonal, edits = end.x, end.diagonal, end.edits
    points: list[tuple[int, int]] = []
    for count in range(edits, 0, -1):
        came_from = history[count]
        down = _goes_down(came_from, diagonal, count)
        previous = diagonal + 1 if down else diagonal - 1
        turn = came_from[previous] + (0 if down else 1)
        points += [(at, at - i + j - diagonal) for at in range(x, turn - 1, -1)]
        x, diagonal = came_from[previous], previous
    points += [(at, at - i + j - diagonal) for at in range(x, i, -1)]
    return points[::-1]
