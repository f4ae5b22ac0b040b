"""A JAX program whose parts run on meshes of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jax

from examples.models.program import Program
from sdykit.mpmd import Schedule, from_jax


@dataclass(frozen=True)
class Pipeline:
    """A program and the meshes of its parts: the arguments of `sdykit.mpmd.from_jax`."""

    program: Program
    assignment: Mapping[str, str | tuple[str, int]]
    donated: tuple[int, ...] = ()
    in_meshes: Any = None
    out_meshes: Any = None
    schedule: Schedule = "none"

    @property
    def topology(self) -> dict[str, dict[str, int]]:
        """All meshes by name, each of the program's shape."""
        assigned = [at if isinstance(at, str) else at[0] for at in self.assignment.values()]
        placed = [*assigned, *jax.tree.leaves(self.in_meshes), *jax.tree.leaves(self.out_meshes)]
        names = sorted({at.split("#")[0] for at in placed})
        return {name: dict(self.program.mesh.shape) for name in names}

    def text(
        self, *, remat: bool = False, split_backward: bool = False, debuginfo: bool = False
    ) -> str:
        """Partition the program; the same text at each call."""
        return from_jax(
            self.program.fn,
            *self.program.args,
            topology=self.topology,
            assignment=self.assignment,
            in_shardings=self.program.in_shardings,
            out_shardings=self.program.out_shardings,
            in_meshes=self.in_meshes,
            out_meshes=self.out_meshes,
            donate_argnums=self.donated,
            schedule=self.schedule,
            remat=remat,
            split_backward=split_backward,
            debuginfo=debuginfo,
            platform="tpu",  # Others refuse to place buffers in pinned host memory.
        )
