"""A JAX program whose jitted parts run on meshes of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import jax

from examples.models.program import Program

Meshes = tuple[tuple[str, tuple[tuple[str, int], ...]], ...]


@dataclass(frozen=True)
class Pipeline:
    """A program, and where its parts run.

    A part is a function under `jax.jit`, known by its name: JAX keeps it as a function through
    differentiation, so that its forward and its backward pass stay apart from the others.
    """

    program: Program
    assignment: Mapping[str, str | tuple[str, int]]
    """The mesh, or mesh and stage, that runs a part."""
    repeated: tuple[str, ...] = ()
    """Parts made of other parts, such as what is done for each microbatch."""
    donated: tuple[int, ...] = ()
    """The arguments, counted as leaves, whose buffers the program may use up."""
    input_meshes: Mapping[int, str] = field(default_factory=dict)
    """Where arguments are, when not on the mesh that uses them first: the name of a mesh, and a
    memory kind after `#`."""
    output_meshes: Mapping[int, str] = field(default_factory=dict)
    schedule: str = "none"
    """The order of forward and backward parts, by the name that the partitioner gives it."""

    @property
    def meshes(self) -> Meshes:
        """All meshes by name, each of the program's shape."""
        shape = tuple(self.program.mesh.shape.items())
        assigned = [at if isinstance(at, str) else at[0] for at in self.assignment.values()]
        placed = [*assigned, *self.input_meshes.values(), *self.output_meshes.values()]
        return tuple((name, shape) for name in sorted({at.split("#")[0] for at in placed}))


def part(name: str, fn: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function a part of a pipeline."""

    def named(*args: Any) -> Any:
        return fn(*args)

    named.__name__ = named.__qualname__ = name
    return jax.jit(named)


def leaves(tree: Any) -> int:
    """Count the arrays in a tree of arguments."""
    return len(jax.tree.leaves(tree))
