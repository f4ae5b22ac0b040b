"""Types, and shardings out of small palettes."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

AXES = {"d": 1, "c": 2, "a": 4, "b": 2}
"""The axes of the mesh, not in the order of the alphabet."""

Shape = tuple[int, ...]
SHAPES: list[Shape] = [(8, 8), (8, 8), (8, 8), (16,), (8, 1, 3), (0, 8), ()]


@dataclass(frozen=True)
class Features:
    """What to make."""

    edges: float = 0.5
    """Probability that a value that owns an edge has a `sdy.data_flow_edge`."""
    groups: bool = False
    sloppy: bool = False
    """Manual axes are in any order, and not all are mentioned in shardings."""
    several_blocks: bool = False
    priorities: bool = True
    shapeless: bool = True
    """Results that are tokens and the like."""


def tensor(shape: Shape) -> str:
    return "tensor<" + "".join(f"{size}x" for size in shape) + "f32>"


def types(shapes: list[Shape]) -> str:
    return ", ".join(map(tensor, shapes))


def quoted(axes: list[str]) -> str:
    return ", ".join(f'"{axis}"' for axis in axes)


class Shardings:
    """Makes shardings; for a shape and the manual axes around it, one of a few."""

    def __init__(self, rng: Random, features: Features) -> None:
        self._rng = rng
        self._features = features
        self._palettes: dict[tuple[Shape, frozenset[str]], list[str]] = {}

    def p(self, probability: float) -> bool:
        return self._rng.random() < probability

    def any(self, shape: Shape, manual: frozenset[str]) -> str:
        palette = self._palettes.setdefault((shape, manual), [])
        if not palette or (len(palette) < 3 and self.p(0.6)):
            palette.append(self._new(shape, manual))
        return self._rng.choice(palette)

    def _new(self, shape: Shape, manual: frozenset[str]) -> str:
        axes = [axis for axis in AXES if axis not in manual]
        self._rng.shuffle(axes)
        dims = []
        for _ in shape:
            refs = []
            while axes and self.p(0.4):
                axis = axes.pop()
                part = f":({self._rng.choice((1, 2))})2" if axis == "a" and self.p(0.3) else ""
                refs.append(f'"{axis}"{part}')
            dims.append(self._dim(refs, open_=self.p(0.1)))
        rest = [axis for axis in AXES if axis in axes]
        extra = ""
        for word in ("replicated", "unreduced"):
            if rest and self.p(0.12):
                number = self._rng.randint(1, len(rest))
                extra += f", {word}={{{quoted(rest[:number])}}}"
                rest = rest[number:]
        return f"<@{self.mesh()}, [{', '.join(dims)}]{extra}>"

    def mesh(self) -> str:
        return self._rng.choice(["mesh", "mesh", "mesh", "twin"])

    def _dim(self, refs: list[str], *, open_: bool) -> str:
        text = f"{{{', '.join([*refs, '?'] if open_ else refs)}}}"
        has_priority = self._features.priorities and refs and self.p(0.05)
        return f"{text}p{self._rng.randint(0, 2)}" if has_priority else text

    def of_manual(
        self, shape: Shape, manual: frozenset[str], new: list[str], mesh: str
    ) -> tuple[str, Shape]:
        """Make an in or out sharding for new manual axes, and the shape within."""
        axes = self._rng.sample(new, len(new))
        free = [axis for axis in AXES if axis not in manual and axis not in new]
        self._rng.shuffle(free)
        local, replicated = list(shape), []
        dims: list[list[str]] = [[] for _ in shape]
        for axis in axes:
            fits = [i for i, size in enumerate(local) if size and size % AXES[axis] == 0]
            if fits and self.p(0.6):
                chosen = self._rng.choice(fits)
                dims[chosen].append(f'"{axis}"')
                local[chosen] //= AXES[axis]
            elif not (self._features.sloppy and self.p(0.6)):
                replicated.append(axis)
        for dim in dims:
            while free and self.p(0.2):
                dim.append(f'"{free.pop()}"')
        texts = [self._dim(dim, open_=self.p(0.2)) for dim in dims]
        in_order = [axis for axis in AXES if axis in replicated]
        extra = f", replicated={{{quoted(in_order)}}}" if in_order else ""
        return f"<@{mesh}, [{', '.join(texts)}]{extra}>", tuple(local)
