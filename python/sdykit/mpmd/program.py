"""The functions and meshes of a module, by name."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core.parsing import parse_text
from sdykit.dialects import mpmd, sdy
from sdykit.errors import SdykitError
from sdykit.mlir import ir
from sdykit.mpmd.errors import ExecutionError, fail_at


@dataclass(frozen=True)
class Program:
    """A module, its functions and its meshes."""

    module: ir.Module
    """The module; it keeps the ops below alive."""
    functions: dict[str, ir.Operation]
    """The functions by name."""
    meshes: dict[str, sdy.MeshAttr]
    """The meshes by name."""

    def function(self, name: str) -> ir.Operation:
        """Return the function of a name, with a body.

        Raises:
            ExecutionError: there is no such function, or it is only declared.
        """
        func = self.functions.get(name)
        if func is None:
            names = ", ".join(f"@{each}" for each in self.functions) or "no functions"
            raise ExecutionError(f"the module has no function @{name}; it has {names}")
        if not func.regions[0].blocks:
            fail_at(func, f"function @{name} is declared, but has no body")
        return func

    def mesh(self, mesh_or_ref: str | sdy.MeshAttr, user: ir.Operation) -> sdy.MeshAttr:
        """Return the mesh that a sharding names or contains.

        Raises:
            ExecutionError: the module has no mesh of this name.
        """
        if not isinstance(mesh_or_ref, str):
            return mesh_or_ref
        if mesh_or_ref not in self.meshes:
            names = ", ".join(f"@{each}" for each in self.meshes) or "no meshes"
            fail_at(user, f"the module has no mesh @{mesh_or_ref}; it has {names}")
        return self.meshes[mesh_or_ref]


def program_of(module: ir.Module | str) -> Program:
    """Return the functions and meshes of a module, or of its text.

    Raises:
        ExecutionError: the text is not valid IR.
    """
    if isinstance(module, str):
        try:
            module = parse_text(module)
        except SdykitError as error:
            raise ExecutionError(str(error)) from None
    if not isinstance(module, ir.Module):
        raise ExecutionError(f"expected an ir.Module or its text, found {type(module).__name__}")
    functions, meshes = {}, {}
    for view in module.body.operations:
        op = view.operation
        if op.name == "func.func":
            functions[ir.StringAttr(op.attributes["sym_name"]).value] = op
        elif op.name == "sdy.mesh":
            name = ir.StringAttr(op.attributes["sym_name"]).value
            meshes[name] = sdy.MeshAttr.of(op.attributes["mesh"])
    return Program(module, functions, meshes)


def topology_of(func: ir.Operation) -> mpmd.TopologyAttr | None:
    """Return the topology of a function, or None."""
    if "topology" not in func.attributes:
        return None
    return mpmd.TopologyAttr.of(func.attributes["topology"])


def body_of(op: ir.Operation) -> ir.Block:
    """Return the only block in the body of a function or another op.

    Raises:
        ExecutionError: there is not exactly one.
    """
    blocks = list(op.regions[0].blocks)
    if len(blocks) != 1:
        fail_at(op, f"expected one block in the body of '{op.name}' op, found {len(blocks)}")
    return blocks[0]
