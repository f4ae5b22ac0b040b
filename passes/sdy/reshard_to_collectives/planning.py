"""Which collectives change the sharding of a tensor into another one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from sdykit.passes.sdy._propagation.axes import Axes, can_coexist, overlap, product
from sdykit.passes.sdy.reshard_to_collectives.moving import gather_all, move_all
from sdykit.passes.sdy.reshard_to_collectives.permuting import permute
from sdykit.passes.sdy.reshard_to_collectives.slicing import slice_all
from sdykit.passes.sdy.reshard_to_collectives.state import Collective, State

_ITERATIONS = 2
"""In so many all axes come to their place but for rare permutations of axes of sizes like 2 and 3."""
_MAX_ITERATIONS = 8


def collectives(
    shape: Sequence[int], has: Sequence[Axes], wants: Sequence[Axes], *, same_mesh: bool
) -> list[Collective]:
    """Return collectives that give a tensor other axes.

    Args:
        shape: the size of each dimension.
        has: the axes that divide each dimension before.
        wants: the axes that are to divide it. Those of a single device may be left out.
        same_mesh: whether the devices of both are numbered in the same way.
    """
    state = State(shape, has, wants, same_mesh=same_mesh)
    for iteration in range(_MAX_ITERATIONS):
        if state.is_done(ignores_single=iteration >= _ITERATIONS):
            break
        slice_all(state)
        permute(state)
        move_all(state)
        gather_all(state)
    if state.is_done(ignores_single=True) and _is_possible(has, state.found):
        return state.found
    return _by_gathering(has, wants, same_mesh=same_mesh)


def _is_possible(has: Sequence[Axes], found: Sequence[Collective]) -> bool:
    """Return whether the shardings on the way can be: parts of an axis may not fit together."""
    for number, each in enumerate(found):
        before = found[number - 1].dims if number else has
        is_permute = each.name == "sdy.collective_permute"
        if is_permute and list(map(product, before)) != list(map(product, each.dims)):
            return False
        axes = [axis for dim in each.dims for axis in dim]
        if any(overlap(a, b) or not can_coexist(a, b) for a, b in combinations(axes, 2)):
            return False
    return True


def _by_gathering(
    has: Sequence[Axes], wants: Sequence[Axes], *, same_mesh: bool
) -> list[Collective]:
    """Return collectives that gather all of a tensor and slice it again."""
    whole: tuple[Axes, ...] = tuple(() for _ in has)
    found: list[Collective] = []
    if any(has):
        found.append(Collective("sdy.all_gather", whole, tuple(has), (), same_mesh))
    if not same_mesh:
        found.append(Collective("sdy.collective_permute", whole))
    if any(wants):
        found.append(Collective("sdy.all_slice", tuple(wants), tuple(wants)))
    return found
