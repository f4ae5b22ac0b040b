"""The functions and meshes at the top of a module, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdykit.core.walks import ops_named
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
    top = module.operation
    ops = ops_named(module, _MESH)
    return [op for op in ops if op.parent is not None and op.parent.operation == top]


def meshes_of(module: ModuleOp) -> dict[str, sdy.MeshAttr]:
    """Return the meshes at the top of a module by name, in program order."""
    # A driver that runs no pass on sdy starts faster without these classes.
    from sdykit.dialects import sdy

    return {symbol_name(op): sdy.MeshAttr.of(op.attributes["mesh"]) for op in mesh_ops(module)}
