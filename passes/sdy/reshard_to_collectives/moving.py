"""All-to-alls and all-gathers: axes leave the end of a dimension, to another one or altogether."""

from __future__ import annotations

from sdykit.passes.sdy._propagation.axes import Axis, append
from sdykit.passes.sdy.reshard_to_collectives.aligned import Pieces, drop_end
from sdykit.passes.sdy.reshard_to_collectives.state import Move, State, merged


def move_all(state: State) -> None:
    """Move axes to the dimensions that want them: first those that come to their place at once."""
    for to_place in (True, False):
        for source in state.dims:
            while _move(state, source, to_place=to_place):
                pass


def _move(state: State, source: int, *, to_place: bool) -> bool:
    """Move the last axes of a dimension that go to one other dimension; return whether there were any."""
    has, places = state.has[source], state.places()
    if not has or has[-1] not in places:
        return False
    target = places[has[-1]].dim
    if target == source:
        return False
    count = 0
    while count < len(has) and (place := places.get(has[-1 - count])) and place.dim == target:
        count += 1
    moved = has[len(has) - count :]
    if to_place and state.wants[target][:count] != moved:
        return False
    del has[len(has) - count :]
    drop_end(state.current[source], moved)
    for axis in moved:
        append(state.current[target], axis)
        _arrive(state, target, axis)
    state.add("sdy.all_to_all", moves=(Move(merged(moved), source, target),))
    return True


def _arrive(state: State, target: int, axis: Axis) -> None:
    wants = state.wants[target]
    if not state.has[target] and wants[0] == axis:
        wants.pop(0)
    else:
        state.has[target].append(axis)


def gather_all(state: State) -> None:
    """Gather the axes at the ends of dimensions that no dimension wants."""
    places = state.places()
    gathered: Pieces = []
    for dim, has in enumerate(state.has):
        kept = len(has)
        while kept and has[kept - 1] not in places:
            kept -= 1
        end = has[kept:]
        del has[kept:]
        drop_end(state.current[dim], end)
        gathered.append(end)
    if any(gathered):
        state.add("sdy.all_gather", gathered)
