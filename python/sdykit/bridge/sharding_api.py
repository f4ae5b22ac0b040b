"""What `sdy` can say about a sharding and JAX cannot.

JAX itself reaches a closed constraint with uses (`jax.lax.with_sharding_constraint`) and a
manual region (`jax.shard_map`). It has no way to a dimension that is sharded *and* open, a
priority, a sub-axis, explicitly replicated axes, or a constraint without uses: for those,
`constrain` and `attach` take a sharding in the dialect's own words,

    [{"data", ?}p1, {"model":(1)2}], replicated={"pipe"}

JAX's `shard_alike` makes groups of two, but JAX 0.10.2 lowers it once for each shape: all
its pairs of one shape in a module fall into one group. `group` keeps groups apart.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import jax
import numpy as np
from jax.sharding import AbstractMesh, Mesh
from jax.sharding import PartitionSpec as P

from sdykit.bridge._primitives import bind_constraint, bind_group
from sdykit.errors import SdykitError
from sdykit.mlir import ir, make_context


class BridgeError(SdykitError, ValueError):
    """An argument, sharding or mesh given from Python cannot be used; the text says why."""


@dataclass(frozen=True)
class TensorSharding:
    """A sharding in sdy's syntax, bound to a mesh."""

    dims: tuple[str, ...]
    """One for each dimension of the tensor, such as `{"data", ?}p1`."""

    suffix: str
    """What follows the dimensions: `, replicated={...}`, `, unreduced={...}` or nothing."""

    mesh: AbstractMesh

    def __str__(self) -> str:
        return f"[{', '.join(self.dims)}]{self.suffix}"

    @property
    def inlined(self) -> str:
        """The text of the `#sdy.sharding` attribute, the mesh written out in it."""
        axes = ", ".join(f"{json.dumps(name)}={size}" for name, size in self.mesh.shape_tuple)
        return f"#sdy.sharding<mesh<[{axes}]>, {self}>"

    def with_open_dim(self, at: int) -> TensorSharding:
        """Insert an open dimension without axes, as `jax.vmap` needs it."""
        return replace(self, dims=(*self.dims[:at], "{?}", *self.dims[at:]))


def constrain(x: jax.Array, sharding: str, mesh: Mesh | AbstractMesh | None = None) -> jax.Array:
    """Constrain the uses of `x` to a sharding that a `PartitionSpec` cannot express.

    The returned array stands for those uses; other uses of `x` stay free. Where a
    `PartitionSpec` suffices, use `jax.lax.with_sharding_constraint`.

    Args:
        x: an array of any shape and dtype, inside a function that is traced.
        sharding: sdy's text, one pair of braces for a dimension: `[{"data", ?}p1, {?}]`.
        mesh: the mesh of the axes; left out, the one in context (see `lower`).

    Returns:
        `x`, same shape and dtype. Gradients are constrained alike. Outside tracing
        nothing happens.

    Raises:
        BridgeError: the text is malformed, does not fit the shape of `x`, or names an
            axis that the mesh lacks or that is manual here; or there is no mesh.
    """
    if isinstance(sharding, P):
        raise BridgeError(
            f"constrain takes sdy's text, found {sharding};"
            " write jax.lax.with_sharding_constraint(x, spec) instead"
        )
    return _bind(x, sharding, mesh, attached=False)


def attach(x: jax.Array, sharding: str | P, mesh: Mesh | AbstractMesh | None = None) -> jax.Array:
    """Say how `x` itself is sharded, for all its uses: a constraint without uses.

    Args:
        x: an array of any shape and dtype, inside a function that is traced.
        sharding: a `PartitionSpec`, or sdy's text as for `constrain`.
        mesh: the mesh of the axes; left out, the one in context (see `lower`).

    Returns:
        `x`. Go on with the returned array: JAX drops what nothing depends on.

    Raises:
        BridgeError: as for `constrain`.
    """
    text = spec_text(sharding, np.ndim(x)) if isinstance(sharding, P) else sharding
    return _bind(x, text, mesh, attached=True)


def group(*arrays: jax.Array) -> tuple[jax.Array, ...]:
    """Tie arrays to one sharding, whichever propagation finds, without data flow.

    Args:
        *arrays: two or more arrays of one shape, of any dtypes.

    Returns:
        The arrays. Go on with the returned ones: JAX drops what nothing depends on. Their
        gradients join the group.

    Raises:
        BridgeError: there are less than two arrays, or their shapes differ.
    """
    shapes = [np.shape(array) for array in arrays]
    if len(shapes) < 2 or len(set(shapes)) > 1:
        raise BridgeError(f"group takes two or more arrays of one shape, found shapes {shapes}")
    return tuple(bind_group(arrays))


def _bind(
    x: jax.Array, text: str, mesh: Mesh | AbstractMesh | None, *, attached: bool
) -> jax.Array:
    parsed = parse_sharding(text, np.shape(x), abstract_mesh(mesh))
    return bind_constraint(x, parsed, attached=attached)


def abstract_mesh(mesh: Mesh | AbstractMesh | None) -> AbstractMesh:
    """Take the shape of `mesh`, or of the mesh in context if there is none given.

    Raises:
        BridgeError: there is no mesh, or `mesh` is something else.
    """
    if mesh is None:
        mesh = jax.sharding.get_abstract_mesh()
        if mesh.empty:
            raise BridgeError(
                "a mesh is needed: pass mesh=, or lower with lower(fn, ..., mesh=mesh)"
            )
    if isinstance(mesh, Mesh):
        return mesh.abstract_mesh
    if not isinstance(mesh, AbstractMesh):
        raise BridgeError(
            "mesh must be a jax.sharding.Mesh or AbstractMesh, such as"
            f' AbstractMesh((4, 2), ("data", "model")); found {type(mesh).__name__} {mesh!r}'
        )
    return mesh


def spec_text(spec: P, rank: int) -> str:
    """Write a `PartitionSpec` in sdy's syntax; dimensions it leaves out are closed.

    Raises:
        BridgeError: it has more than `rank` entries.
    """
    if len(spec) > rank:
        raise BridgeError(f"{spec} has {len(spec)} entries, the array has rank {rank}")
    entries = [*spec.partitions, *[None] * (rank - len(spec))]
    dims = ["{?}" if entry is P.UNCONSTRAINED else _closed(entry) for entry in entries]
    unreduced = f", unreduced={_closed(tuple(sorted(spec.unreduced)))}" if spec.unreduced else ""
    return f"[{', '.join(dims)}]{unreduced}"


def _closed(entry: Any) -> str:
    axes = () if entry is None else entry if isinstance(entry, tuple) else (entry,)
    return "{" + ", ".join(map(json.dumps, axes)) + "}"


_TEXT = re.compile(r"\s*\[(?P<dims>[^\[\]]*)\](?P<suffix>.*)", re.DOTALL)
_DIM = re.compile(r"\{[^{}]*\}(?:p\d+)?")
_AXIS = re.compile(r'"([^"]*)"')


def parse_sharding(text: str, shape: tuple[int, ...], mesh: AbstractMesh) -> TensorSharding:
    """Parse and verify a sharding for a tensor of `shape`.

    Raises:
        BridgeError: with MLIR's words, for whatever its parser or verifier rejects.
    """
    match = _TEXT.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise BridgeError(
            f"""sharding {text!r}: expected sdy's syntax, such as '[{{"data", ?}}p1, {{}}]'"""
        )
    sharding = TensorSharding(tuple(_DIM.findall(match["dims"])), match["suffix"].rstrip(), mesh)
    manual = [axis for axis in _AXIS.findall(text) if axis in mesh.manual_axes]
    if manual:
        raise BridgeError(
            f"sharding {text!r}: axis {manual[0]!r} is manual in this region;"
            f" free axes are {[axis for axis in mesh.axis_names if axis not in mesh.manual_axes]}"
        )
    reason = _rejection(replace(sharding, dims=(match["dims"],)), shape)
    if reason is not None:
        raise BridgeError(
            f"sharding {text!r} of a tensor of shape {shape}"
            f" on mesh {dict(mesh.shape_tuple)}: {reason}"
        )
    return sharding


_context = cache(make_context)


@cache
def _rejection(sharding: TensorSharding, shape: tuple[int, ...]) -> str | None:
    """Ask MLIR what is wrong with the sharding, by parsing a module that uses it."""
    sizes = [f"{size}x" if isinstance(size, int) else "?x" for size in shape]
    tensor = f"tensor<{''.join(sizes)}f32>"
    inlined = sharding.inlined.removeprefix("#sdy.sharding")
    source = (
        f"func.func @main(%x: {tensor}) {{\n"
        f"  sdy.sharding_constraint %x {inlined} : {tensor}\n  return\n}}"
    )
    try:
        ir.Module.parse(source, _context())
    except ir.MLIRError as error:
        message = error.error_diagnostics[0].message
        return re.sub(r"^(custom op )?'sdy\.sharding_constraint' (op )?", "", message)
    return None
