"""Shardings as text in sdy's syntax: parsed, verified by MLIR, and bound to a mesh."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

import jax
from jax.sharding import AbstractMesh, Mesh
from jax.sharding import PartitionSpec as P

from sdykit.bridge.errors import BridgeError
from sdykit.dialects import sdy
from sdykit.mlir import ir, make_context

OPEN_DIM: Final = sdy.DimensionShardingAttr((), False)
"""The sharding of a dimension that propagation may choose."""


@dataclass(frozen=True)
class TensorSharding:
    """A sharding in sdy's syntax, bound to a mesh."""

    view: sdy.TensorShardingAttr
    """The attribute, whose mesh is written out."""

    mesh: AbstractMesh

    def __str__(self) -> str:
        return self.inlined.partition("]>, ")[2].removesuffix(">")

    @property
    def inlined(self) -> str:
        """The text of the `#sdy.sharding` attribute, with the mesh written out."""
        return str(self.view)

    @property
    def dims(self) -> tuple[sdy.DimensionShardingAttr, ...]:
        """The sharding of each dimension of the tensor."""
        return self.view.dim_shardings

    def with_dim(self, at: int, dim: sdy.DimensionShardingAttr) -> TensorSharding:
        """Return the sharding with a dimension inserted, as `jax.vmap` needs."""
        dims = (*self.dims[:at], dim, *self.dims[at:])
        return replace(self, view=replace(self.view, dim_shardings=dims))

    def without_unreduced(self) -> TensorSharding:
        """Return the sharding without unreduced axes."""
        return replace(self, view=replace(self.view, unreduced_axes=()))


def abstract_mesh(mesh: Mesh | AbstractMesh | None) -> AbstractMesh:
    """Return the abstract mesh of `mesh`, or the mesh in context if `mesh` is None.

    Raises:
        BridgeError: there is no mesh, or `mesh` is something else.
    """
    if mesh is None:
        mesh = jax.sharding.get_abstract_mesh()
        if mesh.empty:
            raise BridgeError(
                "a mesh is needed: pass mesh=, enter one with jax.set_mesh(mesh), or lower with"
                " lower(fn, ..., mesh=mesh)"
            )
    if isinstance(mesh, Mesh):
        return mesh.abstract_mesh
    if not isinstance(mesh, AbstractMesh):
        raise BridgeError(
            "mesh must be a jax.sharding.Mesh or AbstractMesh, such as"
            f' AbstractMesh((4, 2), ("data", "model")); found {type(mesh).__name__} {mesh!r}'
        )
    return mesh


def mesh_in_place(mesh: Mesh | AbstractMesh | None, array_type: Any) -> AbstractMesh:
    """Return the mesh of a constraint: the one in context, that of the array's type, or `mesh`.

    The first two know which axes are explicit or manual in this place.

    Raises:
        BridgeError: there is none, or `mesh` has other axes than the one in context.
    """
    context = jax.sharding.get_abstract_mesh()
    if context.empty:
        context = array_type.sharding.mesh.abstract_mesh
    if context.empty or mesh is None:
        return abstract_mesh(mesh) if context.empty else context
    given = abstract_mesh(mesh)
    if given.shape_tuple != context.shape_tuple:
        raise BridgeError(
            f"mesh has axes {dict(given.shape_tuple)}, but the mesh in context has"
            f" {dict(context.shape_tuple)}; a program has one mesh: leave mesh= out"
        )
    return context


def spec_text(spec: P, rank: int) -> str:
    """Return a `PartitionSpec` in sdy's syntax; dimensions that it leaves out are closed.

    Raises:
        BridgeError: it has more than `rank` entries, or reduced axes, which sdy does not have.
    """
    if len(spec) > rank:
        raise BridgeError(
            f"{spec} has {len(spec)} entries; expected at most {rank}, the rank of the array"
        )
    if spec.reduced:
        raise BridgeError(
            f"{spec} has reduced axes, which only types of arrays on explicit axes have; expected a"
            " spec without them"
        )
    entries = [*spec.partitions, *[None] * (rank - len(spec))]
    dims = ["{?}" if entry is P.UNCONSTRAINED else _closed(entry) for entry in entries]
    unreduced = f", unreduced={_closed(tuple(sorted(spec.unreduced)))}" if spec.unreduced else ""
    return f"[{', '.join(dims)}]{unreduced}"


def _closed(entry: Any) -> str:
    axes = () if entry is None else entry if isinstance(entry, tuple) else (entry,)
    return "{" + ", ".join(map(json.dumps, axes)) + "}"


_TEXT = re.compile(r"\s*\[[^\[\]]*\].*", re.DOTALL)


def parse_sharding(text: str, shape: tuple[int, ...], mesh: AbstractMesh) -> TensorSharding:
    """Return the parsed and verified sharding of a tensor of `shape`.

    Raises:
        BridgeError: MLIR's parser or verifier rejects it, in their words; or an axis is manual.
    """
    if not isinstance(text, str) or not _TEXT.fullmatch(text):
        raise BridgeError(
            f"""sharding {text!r}: expected sdy's syntax, such as '[{{"data", ?}}p1, {{}}]'"""
        )
    axes = ", ".join(f"{json.dumps(name)}={size}" for name, size in mesh.shape_tuple)
    inlined = f"<mesh<[{axes}]>, {text.strip()}>"
    reason = _rejection(inlined, shape)
    if reason is not None:
        raise BridgeError(
            f"sharding {text!r} of a tensor of shape {shape}"
            f" on mesh {dict(mesh.shape_tuple)}: {reason}"
        )
    sharding = TensorSharding(sdy.TensorShardingAttr.parse(f"#sdy.sharding{inlined}"), mesh)
    manual = [axis.name for axis in sharding.view.all_axes() if axis.name in mesh.manual_axes]
    if manual:
        raise BridgeError(
            f"sharding {text!r}: axis {manual[0]!r} is manual in this region;"
            f" free axes are {[axis for axis in mesh.axis_names if axis not in mesh.manual_axes]}"
        )
    return sharding


_context = cache(make_context)


@cache
def _rejection(inlined: str, shape: tuple[int, ...]) -> str | None:
    """Return what MLIR finds wrong with a sharding in a module that uses it; None: nothing."""
    sizes = [f"{size}x" if isinstance(size, int) else "?x" for size in shape]
    tensor = f"tensor<{''.join(sizes)}f32>"
    source = (
        f"func.func @main(%x: {tensor}) {{\n"
        f"  sdy.sharding_constraint %x {inlined} : {tensor}\n  return\n}}"
    )
    return rejection(source, "sdy.sharding_constraint")


def rejection(source: str, op_name: str) -> str | None:
    """Return what MLIR finds wrong with a module, without the name of the op; None: nothing."""
    try:
        ir.Module.parse(source, _context())
    except ir.MLIRError as error:
        message = error.error_diagnostics[0].message
        return re.sub(rf"^(custom op )?'{re.escape(op_name)}' (op )?", "", message)
    return None
