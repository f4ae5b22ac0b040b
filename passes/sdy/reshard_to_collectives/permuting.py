"""Collective-permutes: dimensions get the axes that they want, or that others want, for those they have."""

from __future__ import annotations

from sdykit.passes.sdy._propagation.axes import Axis, append, product
from sdykit.passes.sdy.reshard_to_collectives.aligned import (
    Pieces,
    all_of,
    divides,
    drop_end,
    fits,
    split,
)
from sdykit.passes.sdy.reshard_to_collectives.state import State


def permute(state: State) -> None:
    """Exchange axes of equal size, if that helps; each dimension stays divided into as many parts."""
    helps = any(_is_out_of_order(state, dim) for dim in state.dims) or _has_exchange(state)
    if not helps and state.is_on_target_mesh:
        return
    if helps:
        _exchange(state)
    state.is_on_target_mesh = True
    state.add("sdy.collective_permute")


def _is_out_of_order(state: State, dim: int) -> bool:
    """Return whether a dimension has axes before those that it should have, or in another order."""
    has, wants, places = state.has[dim], state.wants[dim], state.places()
    if has and wants and divides(has[0].size, wants[0].size):
        return True
    met = {dim}
    before = None
    for axis in has:
        place = places.get(axis)
        if place is None:
            if not wants and before is not None:
                return True
        else:
            follows = before == (place.dim, place.position - 1)
            if place.dim in met and not follows:
                return True
            met.add(place.dim)
        before = place
    return False


def _has_exchange(state: State) -> bool:
    """Return whether an axis that is to go can be exchanged for one that is to come."""
    placed, places = state.placed(), state.places()
    coming = [axis for axis in all_of(state.wants) if axis not in placed]
    going = [axis for axis in all_of(state.has) if axis not in places]
    return bool(coming and going) and divides(coming[-1].size, going[-1].size)


def _exchange(state: State) -> None:
    places = state.places()
    capacities = [product(has) for has in state.has]
    coming: list[Axis] = []
    going: Pieces = []
    for dim in state.dims:
        has, state.has[dim] = state.has[dim], []
        drop_end(state.current[dim], has)
        used = _take_front(state, dim, capacities)
        coming += state.wants[dim]
        going.append(_rotated([axis for axis in has if axis not in places], used))
    _fill(state, coming, going, capacities)
    for dim in state.dims:
        for axis in state.has[dim]:
            append(state.current[dim], axis)


def _take_front(state: State, dim: int, capacities: list[int]) -> int:
    """Move the first axes that a dimension wants to it; return the number of parts that they make."""
    wants, before = state.wants[dim], capacities[dim]
    while wants and fits(wants[0], capacities[dim]):
        used, rest, capacities[dim] = split(wants[0], capacities[dim])
        append(state.current[dim], used)
        wants[:1] = [] if rest is None else [rest]
    return before // capacities[dim]


def _rotated(axes: list[Axis], used: int) -> list[Axis]:
    """Return axes with those first that are beyond the parts that are used already."""
    within: list[Axis] = []
    left = list(axes)
    while left and fits(left[0], used):
        front, rest, used = split(left[0], used)
        left[:1] = [] if rest is None else [rest]
        within.append(front)
    return left + within


def _fill(state: State, coming: list[Axis], going: Pieces, capacities: list[int]) -> None:
    """Divide dimensions into as many parts as before: along axes that come, else along what they had."""
    state.distribute(coming, capacities)
    for dim in state.dims:
        only = [capacity if dim == each else 1 for each, capacity in enumerate(capacities)]
        state.distribute(going[dim], only, in_front=True)
        capacities[dim] = only[dim]
    state.distribute(all_of(going), capacities, in_front=True)
