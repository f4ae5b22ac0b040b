"""`-sdy-lift-inlined-meshes`."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace

from sdykit.core import ModulePass, fail, mesh_ops, ops_named, symbol_name
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir, stablehlo
from sdykit.passes.sdy._shardings import replace_shardings

REPLICA_GROUPS = "replica_groups"
STABLEHLO_MESH = "stablehlo.mesh"

# Visited in this order.
_COLLECTIVES = (
    "stablehlo.all_gather",
    "stablehlo.all_reduce",
    "stablehlo.reduce_scatter",
    "stablehlo.all_to_all",
    "stablehlo.collective_broadcast",
)


@dataclass(frozen=True)
class LiftInlinedMeshesPass(ModulePass):
    """Replace meshes written inside shardings by the symbols of `sdy.mesh` ops.

    A mesh inside a sharding is replaced by the symbol of the `sdy.mesh` op with that mesh, which
    is made if there is none; of several equal ops the first stays. A new one is named
    `maximal_mesh_<device id>` if it is a single device, `empty_mesh` if it has neither axes nor
    device ids, otherwise `mesh`; if another symbol of the module has the name, a number is
    appended. New ops are inserted after the last `sdy.mesh`, or at the start of the module, with
    the module's location.

    Then the meshes inside `replica_groups` of StableHLO collectives are lifted: each
    distinct `#stablehlo.mesh` to a new `sdy.mesh` at the location of its first user, without
    device ids. Finally every `sdy.mesh` gets its counterpart as the attribute `stablehlo.mesh`.

    Before:

    ```mlir
    sdy.mesh @a = <["x"=2]>
    func.func @main(
        %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>},
        %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["y"=4]>, [{"y"}]>}) {...}
    ```

    After:

    ```mlir
    sdy.mesh @a = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
    sdy.mesh @mesh = <["y"=4]> {stablehlo.mesh = {axes = [{name = "y", size = 4 : i64}]}}
    func.func @main(
        %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}]>},
        %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {...}
    ```
    """

    name = "sdy-lift-inlined-meshes"

    def run(self, module: ModuleOp) -> None:
        meshes = _Meshes(module)
        replace_shardings(module, meshes.lift_sharding)
        _lift_replica_groups(module, meshes)
        for op, mesh in meshes.ops:
            if STABLEHLO_MESH not in op.attributes:
                op.attributes[STABLEHLO_MESH] = _stablehlo_mesh(mesh)


class _Meshes:
    """The `sdy.mesh` ops of a module; those that repeat an earlier one are erased at once."""

    def __init__(self, module: ModuleOp) -> None:
        self.renamed: dict[str, str] = {}
        """The name of the op that stays, for each name of an op that was erased."""
        self.ops: list[tuple[ir.Operation, sdy.MeshAttr]] = []
        """The ops that stay or were added, with their meshes, in program order."""
        self._module = module
        # MLIR's own table: the output shows how it numbers names that are taken.
        self._symbols = ir.SymbolTable(module.operation)
        self._names: dict[sdy.MeshAttr, str] = {}
        self._merge()

    def _merge(self) -> None:
        for op in mesh_ops(self._module):
            name, mesh = symbol_name(op), sdy.MeshAttr.of(op.attributes["mesh"])
            kept = self._names.setdefault(mesh, name)
            if kept == name:
                self.ops.append((op, mesh))
            else:
                self.renamed[name] = kept
                self._symbols.erase(op)

    def lift_sharding(self, sharding: sdy.TensorShardingAttr) -> sdy.TensorShardingAttr:
        """Return the sharding with its mesh as the name of an op that stays."""
        mesh = sharding.mesh_or_ref
        if isinstance(mesh, str):
            kept = self.renamed.get(mesh)
            return sharding if kept is None else replace(sharding, mesh_or_ref=kept)
        name = self._names.get(mesh)
        if name is None:
            name = self._names[mesh] = self.add(mesh, _name_for(mesh), self._module.location)
        return replace(sharding, mesh_or_ref=name)

    def add(self, mesh: sdy.MeshAttr, name: str, location: ir.Location) -> str:
        """Insert a `sdy.mesh` after the others, and return the name it got."""
        start = ir.InsertionPoint.at_block_begin(self._module.body)
        op = sdy.MeshOp(name, mesh.to_attr(), loc=location, ip=start).operation
        if self.ops:
            op.move_after(self.ops[-1][0])
        self.ops.append((op, mesh))
        return self._symbols.insert(op).value


def _name_for(mesh: sdy.MeshAttr) -> str:
    if mesh.is_maximal:
        return f"maximal_mesh_{mesh.device_ids[0]}"
    return "empty_mesh" if mesh.is_empty else "mesh"


def _lift_replica_groups(module: ModuleOp, meshes: _Meshes) -> None:
    """Replace the meshes of `replica_groups` by symbols, one kind of op after the other."""
    groups = _ReplicaGroups(meshes)
    collectives = ops_named(module, *_COLLECTIVES)
    for op in sorted(collectives, key=lambda op: _COLLECTIVES.index(op.name)):
        old = op.attributes[REPLICA_GROUPS]
        if stablehlo.ReplicaGroupMeshAxesAttr.isinstance(old):
            op.attributes[REPLICA_GROUPS] = groups.lifted(old, op)


class _ReplicaGroups:
    """Lifts the meshes of `replica_groups`, each attribute and each mesh once."""

    def __init__(self, meshes: _Meshes) -> None:
        self._meshes = meshes
        self._lifted: dict[ir.Attribute, ir.Attribute] = {}
        self._names: dict[ir.Attribute, str] = {}

    def lifted(self, old: ir.Attribute, op: ir.Operation) -> ir.Attribute:
        """Return `replica_groups` on a symbol; `op` is the first that has `old`."""
        if old not in self._lifted:
            groups = stablehlo.ReplicaGroupMeshAxesAttr(old)
            symbol = ir.FlatSymbolRefAttr.get(self._name(groups.mesh, op))
            self._lifted[old] = stablehlo.ReplicaGroupMeshAxesAttr.get(symbol, groups.axes)
        return self._lifted[old]

    def _name(self, mesh: ir.Attribute, op: ir.Operation) -> str:
        if isinstance(mesh, ir.FlatSymbolRefAttr):
            return self._meshes.renamed.get(mesh.value, mesh.value)
        if mesh not in self._names:
            self._names[mesh] = self._meshes.add(_sdy_mesh(mesh, op), "mesh", op.location)
        return self._names[mesh]


def _sdy_mesh(mesh: ir.Attribute, op: ir.Operation) -> sdy.MeshAttr:
    """Convert a `#stablehlo.mesh`, without its device ids, which replica groups do not need."""
    axes = [stablehlo.MeshAxisAttr(axis) for axis in ir.ArrayAttr(stablehlo.MeshAttr(mesh).axes)]
    names = [axis.name for axis in axes]
    # StableHLO accepts any axes; a `sdy.mesh` with these could not be read back.
    for axis in axes:
        if axis.size < 1:
            fail(
                op,
                f"{REPLICA_GROUPS}: size of mesh axis {axis.name!r} is {axis.size}, not positive",
            )
        if names.count(axis.name) > 1:
            fail(op, f"{REPLICA_GROUPS}: mesh has more than one axis {axis.name!r}")
    return sdy.MeshAttr(tuple(sdy.MeshAxisAttr(axis.name, axis.size) for axis in axes))


def _stablehlo_mesh(mesh: sdy.MeshAttr) -> ir.DictAttr:
    """Return a mesh as a dictionary of builtin attributes."""
    axes = [_stablehlo_axis(axis) for axis in mesh.axes]
    described: dict[str, ir.Attribute] = {"axes": ir.ArrayAttr.get(axes)}
    if mesh.device_ids:
        described["device_ids"] = ir.DenseElementsAttr.get(array("q", mesh.device_ids))
    return ir.DictAttr.get(described)


def _stablehlo_axis(axis: sdy.MeshAxisAttr) -> ir.DictAttr:
    size = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), axis.size)
    name = ir.StringAttr.get(axis.name.encode("utf-8", "surrogateescape"))
    return ir.DictAttr.get({"name": name, "size": size})
