"""The shardings of the values of a function, read and set while reshards are inserted."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.core import FUNC, symbol_name
from sdykit.dialects import sdy
from sdykit.mlir import ir
from sdykit.passes.sdy._propagation.manual import boundary_of
from sdykit.passes.sdy._propagation.projection import Dim
from sdykit.passes.sdy._propagation.shardings import Mesh, Sharding, Shardings
from sdykit.passes.sdy._shardings import SHARDING
from sdykit.passes.sdy._value_shardings import (
    ARGUMENTS_OWN_EDGES,
    WHOLE,
    ValueShardings,
    parent_op,
    place_of,
    rank,
)

_BARRIER = "sdy.propagation_barrier"
_MESH = sdy.MeshOp.OPERATION_NAME


class Values:
    """Reads and sets shardings.

    Attributes:
        shardings: converts them; it knows the meshes of the module.
        functions: the functions of the module by name.
    """

    def __init__(self, module: ir.Operation) -> None:
        # Of the top of the module only: a pass on functions must not look at all ops for each.
        meshes: dict[str, sdy.MeshAttr] = {}
        self.functions: dict[str, ir.Operation] = {}
        for each in module.regions[0].blocks[0].operations:
            op = each.operation
            if op.name == _MESH:
                meshes[symbol_name(op)] = sdy.MeshAttr.of(op.attributes["mesh"])
            elif op.name == FUNC:
                self.functions[symbol_name(op)] = op
        self.shardings = Shardings(meshes)
        self._values = ValueShardings()

    def sharding(self, value: ir.Value) -> Sharding | None:
        """Return the sharding of a value."""
        attribute = self._values.get(value)
        if attribute is None:
            return None
        boundary = boundary_of(value, self.shardings) if _is_of_region(value) else None
        found = self.shardings.read(attribute)
        return found if boundary is None else boundary.to_inner(found)

    def before_barriers(self, value: ir.Value) -> ir.Value:
        """Return the value that barriers hand on."""
        while isinstance(value, ir.OpResult) and value.owner.operation.name == _BARRIER:
            value = value.owner.operation.operands[0]
        return value

    def mesh(self, shardings: Sequence[Sharding | None]) -> Mesh | None:
        """Return the common mesh, whatever its devices: that which most shardings with axes are on."""
        meshes = [each.mesh for each in shardings if each is not None]
        views = {mesh: self.shardings.mesh(mesh) for mesh in meshes}
        known = [mesh for mesh in meshes if views[mesh].axes or views[mesh].device_ids]
        if not known or len({tuple(views[mesh].axes) for mesh in known}) > 1:
            return None
        if not views[known[0]].axes:
            return None
        counts: dict[Mesh, int] = dict.fromkeys(known, 0)
        for sharding in shardings:
            if sharding is not None and sharding.has_axes and sharding.mesh in counts:
                counts[sharding.mesh] += 1
        return max(counts, key=lambda mesh: counts[mesh])

    def set(self, op: ir.Operation, number: int, sharding: Sharding) -> None:
        key = place_of(op.results[number])
        assert key is not None
        if key.number == WHOLE:
            op.attributes[key.key] = self.shardings.make(sharding)
            return
        shardings = [
            self.sharding(each)
            or Sharding(sharding.mesh, tuple(Dim() for _ in range(rank(each.type))))
            for each in op.results
        ]
        shardings[number] = sharding
        op.attributes[SHARDING] = self.shardings.make_list(tuple(shardings))


def _is_of_region(value: ir.Value) -> bool:
    """Return whether a value is an argument of a manual or named computation, or the like."""
    return isinstance(value, ir.BlockArgument) and parent_op(value).name in ARGUMENTS_OWN_EDGES
