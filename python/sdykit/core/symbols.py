"""The functions and meshes at the top of a module, by name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdykit.mlir import ModuleOp, ir

if TYPE_CHECKING:
    from sdykit.dialects import sdy

FUNC = "func.func"
_MESH = "sdy.mesh"


def symbol_name(op: ir.Operation) -> str:
    """Return the name of a symbol as views have it: bytes that are not UTF-8 are escaped."""
    name = ir.StringAttr(op.attributes["sym_name"])
    return name.value_bytes.decode("utf-8", "surrogateescape")


def functions_of(module: ModuleOp) -> dict[str, ir.Operation]:
    """Return the functions at the top of a module by name, in program order."""
    return {
        ir.StringAttr(op.operation.attributes["sym_name"]).value: op.operation
        for op in module.body.operations
        if op.operation.name == FUNC
    }


def mesh_ops(module: ModuleOp) -> list[ir.Operation]:
    """Return the `sdy.mesh` ops at the top of a module, without those of nested modules."""
    return [op.operation for op in module.body.operations if op.operation.name == _MESH]


def meshes_of(module: ModuleOp) -> dict[str, sdy.MeshAttr]:
    """Return the meshes at the top of a module by name, in program order."""
    # A driver that runs no pass on sdy starts faster without these classes.
    from sdykit.dialects import sdy

    return {symbol_name(op): sdy.MeshAttr.of(op.attributes["mesh"]) for op in mesh_ops(module)}


@dataclass(frozen=True)
class Symbols:
    """The functions and meshes at the top of a module by name, in program order."""

    functions: dict[str, ir.Operation]
    meshes: dict[str, sdy.MeshAttr]


_kept: ContextVar[dict[ir.Operation, Symbols] | None] = ContextVar("_kept", default=None)


@contextmanager
def symbols_kept() -> Iterator[None]:
    """Let `symbols_around` read each module once, while passes run on functions.

    These add and remove no symbols around them, so a run on all of them takes linear time.
    """
    token = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(token)


def symbols_around(func: ir.Operation) -> Symbols:
    """Return the symbols of the module that a function is at the top of; none if it is in no module."""
    if func.parent is None:
        return Symbols({}, {})
    module, kept = func.parent.operation, _kept.get()
    if kept is None:
        return symbols_of(module)
    if module not in kept:
        kept[module] = symbols_of(module)
    return kept[module]


def symbols_of(module: ir.Operation) -> Symbols:
    """Return the symbols of a module."""
    from sdykit.dialects import sdy

    functions: dict[str, ir.Operation] = {}
    meshes: dict[str, sdy.MeshAttr] = {}
    for each in module.regions[0].blocks[0].operations:
        op = each.operation
        if op.name == FUNC:
            functions[symbol_name(op)] = op
        elif op.name == _MESH:
            meshes[symbol_name(op)] = sdy.MeshAttr.of(op.attributes["mesh"])
    return Symbols(functions, meshes)
