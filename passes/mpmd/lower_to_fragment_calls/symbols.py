"""The symbols of a module in which fragments are lowered."""

from __future__ import annotations

from sdykit.core import symbol_name
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir

_SYMBOL = "sym_name"


class Symbols:
    """The symbols of a module, from which new ones must differ, and its meshes."""

    def __init__(self, module: ir.Operation) -> None:
        self.block = module.regions[0].blocks[0]
        """The body of the module, which holds the symbols."""
        self._module = module
        self._taken: set[str] = set()
        self._meshes: dict[str, sdy.MeshAttr] = {}
        self._next: dict[str, int] = {}
        self._last_mesh: ir.Operation | None = None
        for op in (op.operation for op in self.block.operations):
            if _SYMBOL not in op.attributes:
                continue
            name = symbol_name(op)
            self._taken.add(name)
            if op.name == sdy.MeshOp.OPERATION_NAME:
                self._meshes[name] = sdy.MeshAttr.of(op.attributes["mesh"])

    def new(self, name: str) -> str:
        """Take and return `name`, or the first of `name_1`, `name_2`, ... that is not taken."""
        found, index = name, self._next.get(name, 0)
        while found in self._taken:
            index += 1
            found = f"{name}_{index}"
        self._next[name] = index
        self._taken.add(found)
        return found

    def mesh(self, name: str) -> sdy.MeshAttr | None:
        """Return the mesh of a name, or None."""
        return self._meshes.get(name)

    def provide_mesh(self, name: str, mesh: sdy.MeshAttr) -> bool:
        """Add a `sdy.mesh` of this name, unless it exists; return False if the name is taken."""
        if name in self._taken:
            return self._meshes.get(name) == mesh
        at = ir.InsertionPoint.at_block_begin(self.block)
        op = sdy.MeshOp(name, mesh.to_attr(), loc=self._module.location, ip=at).operation
        if self._last_mesh is not None:
            op.move_after(self._last_mesh)
        self._last_mesh = op
        self._taken.add(name)
        self._meshes[name] = mesh
        return True


def module_name(module: ModuleOp) -> str:
    """Return the name of a module, or `main` if it has none."""
    op = module.operation
    return symbol_name(op) if _SYMBOL in op.attributes else "main"


def symbol_reference(name: str) -> ir.Attribute:
    """Return a reference to a symbol, whose name need not be UTF-8."""
    return ir.Attribute.parse(f"@{symbol_attribute(name)}")


def symbol_attribute(name: str) -> ir.StringAttr:
    """Return the attribute that holds the name of a symbol, which need not be UTF-8."""
    return ir.StringAttr.get(name.encode("utf-8", "surrogateescape"))
