"""Meshes, and shardings over them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from support.generators.choices import Choices

AXIS_NAMES = ("x", "y", "z", "a", "model-1")


@dataclass(frozen=True)
class Mesh:
    """A mesh that shardings refer to by name, or write inline if it has none."""

    axes: tuple[tuple[str, int], ...]
    device_ids: tuple[int, ...] = ()
    name: str | None = None

    @property
    def maximal(self) -> bool:
        """Whether the mesh is a single device; its shardings have no dimensions."""
        return not self.axes and len(self.device_ids) == 1

    @property
    def attribute(self) -> str:
        axes = ", ".join(f'"{name}"={size}' for name, size in self.axes)
        ids = f", device_ids=[{', '.join(map(str, self.device_ids))}]" if self.device_ids else ""
        return f"<[{axes}]{ids}>"

    @property
    def symbol(self) -> str:
        return f'@"{self.name}"' if " " in (self.name or "") else f"@{self.name}"

    @property
    def reference(self) -> str:
        return f"mesh{self.attribute}" if self.name is None else self.symbol

    def free(self, taken: frozenset[str]) -> list[tuple[str, int]]:
        """List the axes that no enclosing manual computation has taken."""
        return [axis for axis in self.axes if axis[0] not in taken]


def random_mesh(choices: Choices) -> Mesh:
    """Draw a mesh without name: ordinary, or one of the special kinds."""
    kind = choices.pick_weighted({"axes": 12, "maximal": 1, "empty": 1, "ids": 3})
    if kind == "maximal":
        return Mesh((), (choices.between(0, 3),))
    if kind == "empty":
        return Mesh(())
    names = choices.shuffled(AXIS_NAMES)[: choices.between(1, 4)]
    axes = tuple((name, choices.pick((1, 2, 2, 2, 3, 4, 4))) for name in names)
    devices = range(math.prod(size for _, size in axes))
    if kind == "axes" or len(devices) > 16:
        return Mesh(axes)
    return Mesh(axes, tuple(devices if choices.chance(0.2) else choices.shuffled(devices)))


@dataclass(frozen=True, order=True)
class AxisRef:
    """A whole axis, or a part of it; sorts in mesh order."""

    index: int
    pre_size: int
    size: int
    text: str


def axis_refs(mesh: Mesh, taken: frozenset[str], choices: Choices) -> list[AxisRef]:
    """Cut the free axes of a mesh into references that do not overlap, in random order."""
    refs: list[AxisRef] = []
    for index, (name, size) in enumerate(mesh.axes):
        if name in taken:
            continue
        if size == 4 and choices.chance(0.2):
            refs += (AxisRef(index, pre, 2, f'"{name}":({pre})2') for pre in (1, 2))
        else:
            refs.append(AxisRef(index, 1, size, f'"{name}"'))
    return choices.shuffled(refs)


def _list_text(refs: Sequence[AxisRef]) -> str:
    return "{" + ", ".join(ref.text for ref in refs) + "}"


def without_neighbours(refs: Sequence[AxisRef]) -> list[AxisRef]:
    """Drop adjacent parts of one axis in one list, which the verifier wants merged."""
    seen: dict[int, AxisRef] = {}
    for ref in refs:
        seen.setdefault(ref.index, ref)
    return list(seen.values())


def dimension_text(refs: Sequence[AxisRef], choices: Choices, closed: float) -> str:
    """Write one dimension: axes, open or closed, perhaps a priority."""
    is_open = not choices.chance(closed)
    text = ", ".join([ref.text for ref in refs] + ["?"] * is_open)
    has_priority = text and choices.chance(0.15)
    return f"{{{text}}}" + (f"p{choices.between(0, 2)}" if has_priority else "")


def sharding_text(
    mesh: Mesh, rank: int, choices: Choices, closed: float, taken: frozenset[str] = frozenset()
) -> str:
    """Write a random sharding of a tensor of some rank, as `<@mesh, [...]>`."""
    if mesh.maximal:
        return f"<{mesh.reference}, []>"
    places: list[list[AxisRef]] = [[] for _ in range(rank + 2)]
    for ref in axis_refs(mesh, taken, choices):
        if choices.chance(0.5):
            in_dimension = rank > 0 and choices.chance(0.75)
            at = choices.between(0, rank - 1) if in_dimension else choices.between(rank, rank + 1)
            places[at].append(ref)
    lists = [without_neighbours(refs) for refs in places]
    dimensions = [dimension_text(refs, choices, closed) for refs in lists[:rank]]
    return f"<{mesh.reference}, [{', '.join(dimensions)}]{extra_axes(lists[rank:])}>"


def extra_axes(lists: Sequence[Sequence[AxisRef]]) -> str:
    """Write the replicated and the unreduced axes, if there are any."""
    words = zip(("replicated", "unreduced"), lists, strict=True)
    return "".join(f", {word}={_list_text(sorted(refs))}" for word, refs in words if refs)


def deal_axes(
    refs: Sequence[AxisRef], shape: Sequence[int | None], choices: Choices
) -> tuple[list[list[AxisRef]], list[AxisRef]]:
    """Distribute manual axes over the dimensions of a shape that they divide.

    Returns:
        The axes of each dimension, and those left over.
    """
    dealt: list[list[AxisRef]] = [[] for _ in shape]
    left: list[AxisRef] = []
    for ref in refs:
        at = choices.between(0, len(shape) - 1) if shape and choices.chance(0.7) else None
        if at is not None and _fits(ref, dealt[at], shape[at]):
            dealt[at].append(ref)
        else:
            left.append(ref)
    return dealt, left


def _fits(ref: AxisRef, others: Sequence[AxisRef], size: int | None) -> bool:
    if any(other.index == ref.index for other in others):
        return False
    return size is None or (size > 0 and size % product([ref, *others]) == 0)


def product(refs: Sequence[AxisRef]) -> int:
    """Return the number of shards that axes make together."""
    return math.prod(ref.size for ref in refs)
