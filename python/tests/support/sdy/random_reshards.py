"""Modules of functions with one reshard each, between two random shardings."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

Axis = tuple[str, int, int]
"""The name of a mesh axis, the product of the sizes of the parts before, its own size."""
Mesh = dict[str, int]


@dataclass
class Side:
    """A sharding: the axes of each dimension, replicated ones, unreduced ones."""

    dims: list[list[Axis]]
    replicated: list[Axis] = field(default_factory=list)
    unreduced: list[Axis] = field(default_factory=list)


@dataclass
class Pair:
    """A reshard between two shardings on meshes that differ at most in the order of their devices."""

    mesh: Mesh
    shape: list[int]
    has: Side
    wants: Side
    text: str


@dataclass(frozen=True)
class Chances:
    """How likely an axis is in parts, a dimension has a further axis, others are unreduced or replicated."""

    parts: float
    axes: float
    special: float


def random_pairs(seed: int, count: int) -> tuple[str, list[Pair]]:
    """Return the text of the meshes, and pairs on them, ten on each."""
    of, meshes, pairs = random.Random(seed), list[str](), list[Pair]()
    while len(pairs) < count:
        mesh = _mesh(of)
        names = _meshes(of, mesh, len(meshes))
        meshes += names.values()
        for _ in range(min(10, count - len(pairs))):
            pairs.append(_pair(of, mesh, list(names), len(pairs)))
    return "\n".join(meshes) + "\n", pairs


def _mesh(of: random.Random) -> Mesh:
    count = of.randint(1, 4)
    sizes = (1, 2, 2, 3, 4, 4, 5, 6, *((8, 8) if count < 4 else ()))
    return {name: of.choice(sizes) for name in "abcd"[:count]}


def _meshes(of: random.Random, mesh: Mesh, number: int) -> dict[str, str]:
    """Return mesh ops by name: one, and one with the same devices in another order, if there is any."""
    axes = ", ".join(f'"{name}"={size}' for name, size in mesh.items())
    found = {f"m{number}": f"sdy.mesh @m{number} = <[{axes}]>"}
    devices = list(range(math.prod(mesh.values())))
    shuffled = of.sample(devices, len(devices))
    if shuffled != devices:
        text = f"sdy.mesh @m{number}x = <[{axes}], device_ids={shuffled}>"
        found[f"m{number}x"] = text
    return found


def _pair(of: random.Random, mesh: Mesh, names: list[str], number: int) -> Pair:
    rank = of.randint(1, 4)
    chances = Chances(
        of.choice((0, 0.4, 0.9)), of.choice((0.3, 0.5, 0.7)), of.choice((0, 0, 0, 0.4))
    )
    has, wants = (random_side(of, mesh, rank, chances) for _ in range(2))
    sizes = (2, 4, 6, 8, 12, 16, 24, 30, 48, 60, 64, 96, 120, 720)
    shape = [of.choice(sizes) for _ in range(rank)]
    kind = f"tensor<{''.join(f'{size}x' for size in shape)}f32>"
    sides = [
        side_text(of, side, mesh, names[-1] if of.random() < 0.06 else names[0])
        for side in (has, wants)
    ]
    text = f"""func.func @f{number}(%arg0: {kind} {{sdy.sharding = #sdy.sharding{sides[0]}}}) -> {kind} {{
  %0 = sdy.reshard %arg0 {sides[1]} : {kind}
  return %0 : {kind}
}}
"""
    return Pair(mesh, shape, has, wants, text)


def random_side(of: random.Random, mesh: Mesh, rank: int, chances: Chances) -> Side:
    """Return a random sharding of a tensor."""
    parts = [part for name in mesh for part in _parts(of, name, mesh[name], chances.parts)]
    of.shuffle(parts)
    side = Side([])
    for _ in range(rank):
        axes: list[Axis] = []
        while parts and of.random() < chances.axes:
            axes.append(parts.pop())
        side.dims.append(_merged(axes))
    if parts and of.random() < chances.special:
        count = of.randint(1, len(parts))
        side.unreduced, parts = _merged(sorted(parts[:count])), parts[count:]
    if parts and of.random() < chances.special:
        side.replicated = _merged(sorted(parts[: of.randint(1, len(parts))]))
    return side


def _parts(of: random.Random, name: str, size: int, chance: float) -> list[Axis]:
    """Return an axis in random parts, or as a whole."""
    if size == 1 or of.random() > chance:
        return [(name, 1, size)]
    parts: list[Axis] = []
    pre = 1
    while pre < size:
        part = of.choice([n for n in range(2, size // pre + 1) if size // pre % n == 0])
        parts.append((name, pre, part))
        pre *= part
    return parts


def _merged(axes: list[Axis]) -> list[Axis]:
    found: list[Axis] = []
    for name, pre, size in axes:
        if found and found[-1][0] == name and found[-1][1] * found[-1][2] == pre:
            found[-1] = (name, found[-1][1], found[-1][2] * size)
        else:
            found.append((name, pre, size))
    return found


def side_text(of: random.Random, side: Side, mesh: Mesh, name: str) -> str:
    """Return the text of a sharding on a named mesh, with some dimensions open."""

    def listed(axes: list[Axis]) -> list[str]:
        return [
            f'"{axis}"' if size == mesh[axis] else f'"{axis}":({pre}){size}'
            for axis, pre, size in axes
        ]

    dims = [
        "{" + ", ".join([*listed(axes), *(["?"] if of.random() < 0.1 else [])]) + "}"
        for axes in side.dims
    ]
    text = f"<@{name}, [{', '.join(dims)}]"
    for key, axes in (("replicated", side.replicated), ("unreduced", side.unreduced)):
        text += f", {key}={{{', '.join(listed(axes))}}}" if axes else ""
    return text + ">"
