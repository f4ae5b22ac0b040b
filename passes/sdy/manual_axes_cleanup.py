"""`-sdy-manual-axes-cleanup`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sdykit.core import ModulePass, fail
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._shardings import every_op_named
from sdykit.passes.sdy._value_shardings import shaped_type

_SHARDINGS = ("in_shardings", "out_shardings")

Piece = tuple[int, int]
"""A sub-axis as (pre-size, end): the part of an axis between two products of sizes."""


@dataclass(frozen=True)
class ManualAxesCleanupPass(ModulePass):
    """Mention every manual axis in every sharding of a `sdy.manual_computation`, in order.

    A manual axis, or the part of it, that an in or out sharding does not mention is added
    to the replicated axes of that sharding. They are then sorted and merged, and the
    sharding is bound to the mesh of the manual computation, which matters if it had an
    empty one. Shardings that lack nothing stay as they are, and so do those of values
    without a shape, such as tokens. `manual_axes` are sorted in mesh order.

    Fails on a manual computation that has manual axes and a body, but neither inputs nor
    outputs: nothing says which mesh the axes belong to.

    Before:

    ```mlir
    sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>

    sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"b"}, {}]>]
        out_shardings=[<@mesh, [{"c"}, {"b"}]>] manual_axes={"c", "b"} ...
    ```

    After:

    ```mlir
    sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"b"}, {}], replicated={"c"}>]
        out_shardings=[<@mesh, [{"c"}, {"b"}]>] manual_axes={"b", "c"} ...
    ```
    """

    name = "sdy-manual-axes-cleanup"

    def run(self, module: ModuleOp) -> None:
        ops = every_op_named(module, sdy.ManualComputationOp.OPERATION_NAME)
        cleanup = _Cleanup(_meshes(module) if ops else {})
        for op in ops:
            manual_axes = sdy.ManualAxesAttr.of(op.attributes["manual_axes"]).value
            if manual_axes:
                cleanup.run_on(op, manual_axes)


def _meshes(module: ModuleOp) -> dict[str, sdy.MeshAttr]:
    """Collect the meshes by name; those at the top of the module come before nested ones."""
    ops = every_op_named(module, sdy.MeshOp.OPERATION_NAME)
    top_level_last = sorted(ops, key=lambda op: op.parent == module.operation)
    return {
        ir.StringAttr(op.attributes["sym_name"]).value: sdy.MeshAttr.of(op.attributes["mesh"])
        for op in top_level_last
    }


@dataclass(frozen=True, slots=True)
class _Cleanup:
    meshes: dict[str, sdy.MeshAttr]

    def run_on(self, op: ir.Operation, manual_axes: Sequence[str]) -> None:
        shardings = {
            name: sdy.TensorShardingPerValueAttr.of(op.attributes[name]).shardings
            for name in _SHARDINGS
        }
        mesh_or_ref = self.common_mesh([*shardings["in_shardings"], *shardings["out_shardings"]])
        if mesh_or_ref is None:
            if len(op.regions[0].blocks[0].operations) > 1:
                fail(
                    op.location,
                    "op has manual_axes when there are no in/out shardings and the body is not"
                    " empty. This isn't allowed at this stage, please contact the Shardy team or"
                    " file a bug.",
                )
            return
        order = {axis.name: axis for axis in self.mesh(mesh_or_ref).axes}
        axes = [axis for name, axis in order.items() if name in manual_axes]
        for name, values in zip(_SHARDINGS, (op.operands, op.results), strict=True):
            new = tuple(
                _mention(sharding, mesh_or_ref, axes, list(order))
                if shaped_type(value.type) is not None
                else sharding
                for value, sharding in zip(values, shardings[name], strict=True)
            )
            if new != shardings[name]:
                op.attributes[name] = sdy.TensorShardingPerValueAttr(new).to_attr()
        op.attributes["manual_axes"] = sdy.ManualAxesAttr(tuple(a.name for a in axes)).to_attr()

    def mesh(self, mesh_or_ref: str | sdy.MeshAttr) -> sdy.MeshAttr:
        return self.meshes[mesh_or_ref] if isinstance(mesh_or_ref, str) else mesh_or_ref

    def common_mesh(self, shardings: Iterable[sdy.TensorShardingAttr]) -> str | sdy.MeshAttr | None:
        """Find the mesh of the first sharding whose mesh is not empty."""
        refs = (sharding.mesh_or_ref for sharding in shardings)
        return next((ref for ref in refs if self.mesh(ref).axes), None)


def _mention(
    sharding: sdy.TensorShardingAttr,
    mesh_or_ref: str | sdy.MeshAttr,
    axes: Iterable[sdy.MeshAxisAttr],
    order: Sequence[str],
) -> sdy.TensorShardingAttr:
    """Replicate a sharding explicitly along the parts of `axes` that it does not mention."""
    refs = [ref for dim in sharding.dim_shardings for ref in dim.axes]
    refs += [*sharding.replicated_axes, *sharding.unreduced_axes]
    replicated: dict[str, list[sdy.AxisRefAttr]] = {}
    for ref in sharding.replicated_axes:
        replicated.setdefault(ref.name, []).append(ref)
    lacks_some = False
    for axis in axes:
        mentioned = [ref for ref in refs if ref.name == axis.name]
        if not mentioned:
            replicated[axis.name] = [sdy.AxisRefAttr(axis.name)]
            lacks_some = True
        elif gaps := _gaps(mentioned, axis):
            pieces = [_piece(ref, axis) for ref in replicated.get(axis.name, ())]
            replicated[axis.name] = _merge([*pieces, *gaps], axis)
            lacks_some = True
    if not lacks_some:
        return sharding
    in_order = sorted(replicated, key=order.index)
    return replace(
        sharding,
        mesh_or_ref=mesh_or_ref,
        replicated_axes=tuple(ref for name in in_order for ref in replicated[name]),
    )


def _piece(ref: sdy.AxisRefAttr, axis: sdy.MeshAxisAttr) -> Piece:
    if ref.sub_axis_info is None:
        return 1, axis.size
    return ref.sub_axis_info.pre_size, ref.sub_axis_info.pre_size * ref.sub_axis_info.size


def _gaps(refs: Iterable[sdy.AxisRefAttr], axis: sdy.MeshAxisAttr) -> list[Piece]:
    """List the parts of an axis between references to it, which do not overlap."""
    gaps = []
    covered = 1
    for start, end in sorted(_piece(ref, axis) for ref in refs):
        if start > covered:
            gaps.append((covered, start))
        covered = end
    if covered < axis.size:
        gaps.append((covered, axis.size))
    return gaps


def _merge(pieces: Iterable[Piece], axis: sdy.MeshAxisAttr) -> list[sdy.AxisRefAttr]:
    """Merge pieces of an axis where one ends as another begins, and name them."""
    merged: list[Piece] = []
    for start, end in sorted(pieces):
        if merged and merged[-1][1] == start:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return [
        sdy.AxisRefAttr(axis.name, None)
        if (start, end) == (1, axis.size)
        else sdy.AxisRefAttr(axis.name, sdy.SubAxisInfoAttr(start, end // start))
        for start, end in merged
    ]
