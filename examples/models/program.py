"""A JAX program together with the shapes and shardings it is lowered for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import AbstractMesh

from sdykit.bridge.from_jax import lower

MESH = AbstractMesh((4, 2), ("data", "model"))
"""Eight devices that need not exist."""


@dataclass(frozen=True)
class Program:
    """What `lower` needs; see there for the fields."""

    fn: Callable[..., Any]
    args: tuple[Any, ...]
    in_shardings: Any = None
    out_shardings: Any = None
    mesh: AbstractMesh = MESH

    def text(self, *, debuginfo: bool = False) -> str:
        """Lower to the text of a module; the same text at each call."""
        return lower(
            self.fn,
            *self.args,
            in_shardings=self.in_shardings,
            out_shardings=self.out_shardings,
            mesh=self.mesh,
            debuginfo=debuginfo,
        )


def f32(*shape: int) -> jax.ShapeDtypeStruct:
    """Describe an f32 array."""
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def i32(*shape: int) -> jax.ShapeDtypeStruct:
    """Describe an i32 array."""
    return jax.ShapeDtypeStruct(shape, jnp.int32)
