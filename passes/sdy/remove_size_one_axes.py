"""`-sdy-remove-size-one-axes`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sdykit.core import ModulePass, meshes_of
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp
from sdykit.passes.sdy._shardings import replace_shardings


@dataclass(frozen=True)
class RemoveSizeOneAxesPass(ModulePass):
    """Remove axes of size 1 from shardings.

    Such an axis splits nothing, but makes shardings differ that mean the same. It is removed
    from the dimensions and from the replicated and unreduced axes; a closed dimension that
    becomes empty loses its priority, which would be invalid. Meshes keep their axes, and
    so do `manual_axes`, the axes of collectives, and `replica_groups`.

    Nothing happens unless one of the module's `sdy.mesh` ops has an axis of size 1. If one has,
    such axes are also removed from shardings with an inlined mesh.

    Before:

    ```mlir
    sdy.mesh @mesh = <["a"=1, "b"=2, "c"=1]>
    func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding =
        #sdy.sharding<@mesh, [{"a", "b"}, {"c", ?}p1], replicated={"c"}>}) {...}
    ```

    After:

    ```mlir
    sdy.mesh @mesh = <["a"=1, "b"=2, "c"=1]>
    func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding =
        #sdy.sharding<@mesh, [{"b"}, {?}p1]>}) {...}
    ```
    """

    name = "sdy-remove-size-one-axes"

    def run(self, module: ModuleOp) -> None:
        removable = {name: _size_one_axes(mesh) for name, mesh in meshes_of(module).items()}
        if not any(removable.values()):
            return

        def without_removable(sharding: sdy.TensorShardingAttr) -> sdy.TensorShardingAttr:
            mesh = sharding.mesh_or_ref
            if isinstance(mesh, sdy.MeshAttr):
                return _without(_size_one_axes(mesh), sharding)
            # Meshes of nested modules are not found: shardings on them stay.
            return _without(removable.get(mesh, frozenset()), sharding)

        replace_shardings(module, without_removable)


def _size_one_axes(mesh: sdy.MeshAttr) -> frozenset[str]:
    return frozenset(axis.name for axis in mesh.axes if axis.size == 1)


def _without(removable: frozenset[str], sharding: sdy.TensorShardingAttr) -> sdy.TensorShardingAttr:
    def kept(axes: Iterable[sdy.AxisRefAttr]) -> tuple[sdy.AxisRefAttr, ...]:
        return tuple(axis for axis in axes if axis.name not in removable)

    def dimension(old: sdy.DimensionShardingAttr) -> sdy.DimensionShardingAttr:
        axes = kept(old.axes)
        dropped = old.is_closed and not axes
        return replace(old, axes=axes, priority=None if dropped else old.priority)

    if not removable:
        return sharding
    return replace(
        sharding,
        dim_shardings=tuple(map(dimension, sharding.dim_shardings)),
        replicated_axes=kept(sharding.replicated_axes),
        unreduced_axes=kept(sharding.unreduced_axes),
    )
