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
    WHOLE,
    ValueShardings,
    parent_op,
    place_of,
    rank,
)

Numbered = tuple[Sharding | None, int]
"""A sharding, and a number that all equal ones have, which is quicker to compare."""

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
        self._found: dict[ir.Value, Numbered] = {}
        self._by_attribute: dict[ir.Attribute | None, Numbered] = {}
        self._numbers: dict[Sharding | None, int] = {}
        self._meshes: dict[tuple[int, ...], Mesh | None] = {}

    def sharding(self, value: ir.Value) -> Sharding | None:
        """Return the sharding of a value."""
        return self.numbered(value)[0]

    def numbered(self, value: ir.Value) -> Numbered:
        """Return the sharding of a value, and a number that all equal shardings have."""
        found = self._found.get(value)
        if found is None:
            found = self._found[value] = self._read(value)
        return found

    def _read(self, value: ir.Value) -> Numbered:
        attribute = self._values.get(value)
        found = self._by_attribute.get(attribute)
        if found is None:
            sharding = None if attribute is None else self.shardings.read(attribute)
            found = self._by_attribute[attribute] = self._with_number(sharding)
        sharding = found[0]
        if sharding is None or not isinstance(value, ir.BlockArgument):
            return found
        boundary = boundary_of(parent_op(value), value.arg_number, self.shardings, is_argument=True)
        return found if boundary is None else self._with_number(boundary.to_inner(sharding))

    def _with_number(self, sharding: Sharding | None) -> Numbered:
        return sharding, self._numbers.setdefault(sharding, len(self._numbers))

    def erase(self, op: ir.Operation) -> None:
        """Erase an op; new values may come to lie where its results were."""
        for result in op.results:
            self._found.pop(result, None)
        op.erase()

    def before_barriers(self, value: ir.Value) -> ir.Value:
        """Return the value that barriers hand on."""
        while isinstance(value, ir.OpResult) and value.owner.operation.name == _BARRIER:
            value = value.owner.operation.operands[0]
        return value

    def mesh_of(self, tensors: Sequence[Numbered]) -> Mesh | None:
        """Return the common mesh of numbered shardings, as `mesh` does."""
        key = tuple(number for _, number in tensors)
        if key not in self._meshes:
            self._meshes[key] = self.mesh([sharding for sharding, _ in tensors])
        return self._meshes[key]

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
        """Give a result a sharding; other results without any get open ones on its mesh."""
        key = place_of(op.results[number])
        assert key is not None
        if key.number == WHOLE:
            op.attributes[key.key] = self.shardings.make(sharding)
            self._found.pop(op.results[number], None)
            return
        shardings = [
            self.sharding(each)
            or Sharding(sharding.mesh, tuple(Dim() for _ in range(rank(each.type))))
            for each in op.results
        ]
        shardings[number] = sharding
        op.attributes[SHARDING] = self.shardings.make_list(tuple(shardings))
        for result in op.results:
            self._found.pop(result, None)
