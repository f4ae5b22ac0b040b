"""Meshes of a program as symbols of a module that has one fragment."""

from __future__ import annotations

from collections.abc import Container
from itertools import count

from sdykit.dialects import sdy
from sdykit.mlir import ir
from sdykit.mpmd.program import Program


def copy_meshes(program: Program, mesh: sdy.MeshAttr) -> str:
    """Copy the meshes of the program to the insertion point, and return the name of the fragment's.

    Those of other sizes become the mesh of the fragment: shardings on the meshes of a topology
    name axes of these, but the symbol may be that of another.
    """
    meshes = {
        name: each if each.total_size == mesh.total_size else mesh
        for name, each in program.meshes.items()
    }
    own = next((name for name, each in meshes.items() if each == mesh), None)
    if own is None:
        own = _unused("mesh", {*program.functions, *meshes, "main"})
        meshes[own] = mesh
    for name, each in meshes.items():
        attributes = {"sym_name": ir.StringAttr.get(name), "mesh": ir.Attribute.parse(str(each))}
        ir.Operation.create("sdy.mesh", attributes=attributes)
    return own


def _unused(name: str, taken: Container[str]) -> str:
    """Return a symbol that is not taken."""
    return next(each for at in count() if (each := f"{name}_{at}" if at else name) not in taken)
