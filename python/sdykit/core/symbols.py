"""The functions and meshes at the top of a module, by name."""

from __future__ import annotations

from sdykit.core.walks import ops_named
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir

FUNC = "func.func"


def symbol_name(op: ir.Operation) -> str:
    """Give the name of a symbol as it stands in views; one that is not UTF-8 is escaped."""
    name = ir.StringAttr(op.attributes["sym_name"])
    return name.value_bytes.decode("utf-8", "surrogateescape")


def functions_of(module: ModuleOp) -> dict[str, ir.Operation]:
    """Give the functions at the top of a module by name, in program order."""
    return {
        ir.StringAttr(op.operation.attributes["sym_name"]).value: op.operation
        for op in module.body.operations
        if op.operation.name == FUNC
    }


def mesh_ops(module: ModuleOp) -> list[ir.Operation]:
    """List the `sdy.mesh` ops at the top of a module, those of nested modules left out."""
    top = module.operation
    ops = ops_named(module, sdy.MeshOp.OPERATION_NAME)
    return [op for op in ops if op.parent is not None and op.parent.operation == top]


def meshes_of(module: ModuleOp) -> dict[str, sdy.MeshAttr]:
    """Give the meshes at the top of a module by name, in program order."""
    return {symbol_name(op): sdy.MeshAttr.of(op.attributes["mesh"]) for op in mesh_ops(module)}
