"""Topologies, and shardings over their meshes."""

from __future__ import annotations

from dataclasses import dataclass

from support.generators.choices import Choices
from support.mpmd.programs.features import Features
from support.mpmd.programs.types import Mesh, Tensor

_NAMES = (
    ("m1", "m2", "m3", "m10"),
    ("mesh1", "mesh0", "mesh12", "mesh2"),
    ("tpu", "other", "mesh", "embed"),
    ("a", "m2", "b", "m1"),
    ("stage_1", "m/cpu_", "x.y", "stage_0"),
)
"""Those of one topology: ending in digits, in order or not; not ending in digits; both."""

Axes = tuple[tuple[str, int], ...]

_SHAPES: tuple[Axes, ...] = (
    (("x", 2),),
    (("x", 2), ("y", 2)),
    (("x", 4),),
    (("x", 2), ("y", 4)),
    (("y", 2),),
    (("x", 1),),
    (),
)


@dataclass(frozen=True)
class Topology:
    """The meshes of a program, in order."""

    meshes: tuple[Mesh, ...]

    @property
    def attribute(self) -> str:
        meshes = ", ".join(f'<"{mesh.name}": {mesh.attribute}>' for mesh in self.meshes)
        return f"#mpmd.topology<{meshes}>"


def random_topology(choices: Choices, features: Features) -> Topology:
    """Draw one to four meshes."""
    wanted = choices.pick((1, 2, 2, 2, 3, 3, 4) if features.large else (1, 2))
    names = choices.pick(_NAMES)
    shape = choices.pick(_SHAPES)
    uneven = choices.chance(0.4) and features.uneven_meshes
    many_cpus = choices.chance(0.5) and features.cpu_meshes
    pairs: list[tuple[str, Axes]] = []
    for name in names:
        if uneven and pairs:
            shape = choices.pick(_SHAPES)
        pairs.append((name, shape))
        if many_cpus and choices.chance(0.6):
            pairs.append((f"{name}/cpu", shape))
    pairs = pairs[:wanted]
    shapes = [shape for _, shape in pairs]
    return Topology(
        tuple(
            Mesh(name, shape, _symbol(at, shapes, choices, features))
            for at, (name, shape) in enumerate(pairs)
        )
    )


def _symbol(index: int, shapes: list[Axes], choices: Choices, features: Features) -> str:
    """Name the `sdy.mesh` of a mesh: one for each shape, or one for each mesh.

    The oracle keeps one of equal ones only, without renaming it in the types.
    """
    own = choices.chance(0.3) and not features.oracle
    first = index if own else shapes.index(shapes[index])
    return f"mesh_{first}" if first else "mesh"


def random_sharding(choices: Choices, mesh: Mesh, tensor: Tensor) -> str | None:
    """Draw a sharding of a tensor whose axes divide its dimensions, or none."""
    if choices.chance(0.4):
        return None
    axes: list[list[str]] = [[] for _ in tensor.shape]
    shards = [1 for _ in tensor.shape]
    left = []
    for name, size in mesh.axes:
        at = choices.between(-1, len(tensor.shape) - 1)
        if at < 0 or tensor.shape[at] % (shards[at] * size):
            left.append(f'"{name}"')
            continue
        axes[at].append(f'"{name}"')
        shards[at] *= size
    opened = ["?"] * choices.chance(0.1)
    dimensions = ", ".join(f"{{{', '.join([*names, *opened])}}}" for names in axes)
    extra = f", replicated={{{left[0]}}}" if left and choices.chance(0.15) else ""
    return f"@{mesh.symbol}, [{dimensions}]{extra}"
