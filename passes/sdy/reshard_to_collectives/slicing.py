"""All-slices: axes come that no dimension has yet, as far as the tensor is to be divided further anyway."""

from __future__ import annotations

import math

from sdykit.passes.sdy._propagation.axes import Axis, append, product
from sdykit.passes.sdy.reshard_to_collectives.aligned import Pieces, fits, split
from sdykit.passes.sdy.reshard_to_collectives.state import State


def slice_all(state: State) -> None:
    """Slice as much as possible: the less each device has, the less is sent later."""
    sliced: Pieces = [[] for _ in state.dims]
    capacities = [
        product(wants) // math.gcd(product(has), product(wants))
        for has, wants in zip(state.has, state.wants, strict=True)
    ]
    for dim in state.dims:
        _slice_before_move(state, dim, capacities, sliced)
    left = [axis for dim in state.dims for axis in _slice_at_place(state, dim, capacities, sliced)]
    for dim, axes in enumerate(state.distribute(left, capacities)):
        sliced[dim] += axes
    for dim, axes in enumerate(sliced):
        for axis in axes:
            append(state.current[dim], axis)
    if any(sliced):
        state.add("sdy.all_slice", sliced)


def _slice_before_move(state: State, source: int, capacities: list[int], sliced: Pieces) -> None:
    """Slice axes where those before them are now, so that one all-to-all moves all of them."""
    has, places = state.has[source], state.places()
    if not has or state.wants[source] or has[-1] not in places:
        return
    target, last = places[has[-1]]
    wants = state.wants[target]
    new = _not_placed(wants[last + 1 :], state.placed())
    if state.has[target] or not new:
        return
    count = 0
    while count < len(has) and count <= last and has[-1 - count] == wants[last - count]:
        count += 1
    others = has[: len(has) - count]
    if any(axis in places and places[axis].dim == target for axis in others):
        return
    parts = product(state.current[source]) * product(sliced[source]) * product(new)
    if state.shape[source] % parts:
        return
    capacities[target] //= product(has[len(has) - count :]) * product(new)
    has += new
    sliced[source] += new


def _not_placed(axes: list[Axis], placed: set[Axis]) -> list[Axis]:
    """Return the axes before the first one that is placed."""
    count = 0
    while count < len(axes) and axes[count] not in placed:
        count += 1
    return axes[:count]


def _slice_at_place(state: State, dim: int, capacities: list[int], sliced: Pieces) -> list[Axis]:
    """Slice a dimension along the axes that it wants, and return those that find no room."""
    placed, has = state.placed(), state.has[dim]
    left: list[Axis] = []
    wants: list[Axis] = []
    for axis in state.wants[dim]:
        if axis in placed or not fits(axis, capacities[dim]):
            wants.append(axis)
            left += [] if axis in placed else [axis]
            continue
        used, rest, capacities[dim] = split(axis, capacities[dim])
        sliced[dim].append(used)
        if has or wants:
            has.append(used)
            wants.append(used)
        if rest is not None:
            wants.append(rest)
            left.append(rest)
    state.wants[dim] = wants
    return left
