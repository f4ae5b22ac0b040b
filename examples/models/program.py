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
"""The mesh of eight devices, which need not exist."""


@dataclass(frozen=True)
class Program:
    """A program; its fields are the arguments of `lower`."""

    fn: Callable[..., Any]
    args: tuple[Any, ...]
    in_shardings: Any = None
    out_shardings: Any = None
    mesh: AbstractMesh = MESH

    def text(self, *, debuginfo: bool = False) -> str:
        """Return the text of the lowered module; it is the same at each call."""
        return lower(
            self.fn,
            *self.args,
            in_shardings=self.in_shardings,
            out_shardings=self.out_shardings,
            mesh=self.mesh,
            debuginfo=debuginfo,
        )


def f32(*shape: int) -> jax.ShapeDtypeStruct:
    """Return the shape of an f32 array."""
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def i32(*shape: int) -> jax.ShapeDtypeStruct:
    """Return the shape of an i32 array."""
    return jax.ShapeDtypeStruct(shape, jnp.int32)
