"""Shardings as text in sdy's syntax: parsed, verified by MLIR, and bound to a mesh."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import jax
from jax.sharding import AbstractMesh, Mesh
from jax.sharding import PartitionSpec as P

from sdykit.bridge.errors import BridgeError
from sdykit.mlir import ir, make_context


@dataclass(frozen=True)
class TensorSharding:
    """A sharding in sdy's syntax, bound to a mesh."""

    dims: tuple[str, ...]
    """The sharding of each dimension of the tensor, such as `{"data", ?}p1`."""

    suffix: str
    """What follows the dimensions: `, replicated={...}`, `, unreduced={...}` or nothing."""

    mesh: AbstractMesh

    def __str__(self) -> str:
        return f"[{', '.join(self.dims)}]{self.suffix}"

    @property
    def inlined(self) -> str:
        """The text of the `#sdy.sharding` attribute, with the mesh written out."""
        axes = ", ".join(f"{json.dumps(name)}={size}" for name, size in self.mesh.shape_tuple)
        return f"#sdy.sharding<mesh<[{axes}]>, {self}>"

    def with_open_dim(self, at: int) -> TensorSharding:
        """Return the sharding with an open dimension without axes inserted, as `jax.vmap` needs."""
        return replace(self, dims=(*self.dims[:at], "{?}", *self.dims[at:]))


def abstract_mesh(mesh: Mesh | AbstractMesh | None) -> AbstractMesh:
    """Return the abstract mesh of `mesh`, or the mesh in context if `mesh` is None.

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
    """Return a `PartitionSpec` in sdy's syntax; dimensions that it leaves out are closed.

    Raises:
        BridgeError: it has more than `rank` entries.
    """
    if len(spec) > rank:
        raise BridgeError(
            f"{spec} has {len(spec)} entries; expected at most {rank}, the rank of the array"
        )
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
    """Return the parsed and verified sharding of a tensor of `shape`.

    Raises:
        BridgeError: MLIR's parser or verifier rejects it, in their words; or an axis is manual.
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
    """Return what MLIR finds wrong with the sharding in a module that uses it; None: nothing."""
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
