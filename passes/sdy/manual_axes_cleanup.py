"""`-sdy-manual-axes-cleanup`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from sdykit.core import ModulePass, fail, ops_named, symbol_name
from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._shardings import IN_SHARDINGS, OUT_SHARDINGS
from sdykit.passes.sdy._value_shardings import MANUAL_COMPUTATION, shaped_type

MANUAL_AXES = "manual_axes"

_NO_SHARDINGS = (
    "op has manual_axes when there are no in/out shardings and the body is not empty. This isn't"
    " allowed at this stage, please contact the Shardy team or file a bug."
)

Piece = tuple[int, int]
"""A sub-axis as its pre-size, and its pre-size times its size: `x:(2)4` is (2, 8)."""


@dataclass(frozen=True)
class ManualAxesCleanupPass(ModulePass):
    """Mention every manual axis in every sharding of a `sdy.manual_computation`, in order.

    A manual axis, or the part of one, that an in or out sharding does not mention is added
    to the replicated axes of that sharding. They are then sorted and merged, and the
    sharding is bound to the mesh of the manual computation, which matters if it had an
    empty one. Shardings that mention all manual axes stay as they are, and so do those of values
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
        ops = ops_named(module, MANUAL_COMPUTATION)
        cleanup = _Cleanup(_meshes(module) if ops else {})
        without_mesh = [op for op in ops if not cleanup.run_on(op)]
        for op in without_mesh[:-1]:
            op.location.emit_error(_NO_SHARDINGS)
        if without_mesh:
            fail(without_mesh[-1].location, _NO_SHARDINGS)


def _meshes(module: ModuleOp) -> dict[str, sdy.MeshAttr]:
    """Return the meshes by name; one at the top of the module hides a nested one of its name."""
    ops = ops_named(module, sdy.MeshOp.OPERATION_NAME)
    ops.sort(key=lambda op: op.parent == module.operation)
    return {symbol_name(op): sdy.MeshAttr.of(op.attributes["mesh"]) for op in ops}


@dataclass(slots=True)
class _NewShardings:
    """The new in or out shardings of an op, beside the old ones."""

    old: tuple[sdy.TensorShardingAttr, ...]
    new: tuple[sdy.TensorShardingAttr, ...]
    attr: ir.Attribute = field(init=False)
    perhaps_shapeless: list[int] = field(init=False)
    """The indices of changed shardings without dimensions: the values may be tokens, say."""

    def __post_init__(self) -> None:
        self.attr = sdy.TensorShardingPerValueAttr(self.new).to_attr()
        self.perhaps_shapeless = [
            index
            for index, (old, new) in enumerate(zip(self.old, self.new, strict=True))
            if old is not new and not new.dim_shardings
        ]

    def for_values(self, values: Sequence[ir.Value]) -> ir.Attribute:
        """Return the new attribute; values without a shape keep their old shardings."""
        shapeless = [
            index for index in self.perhaps_shapeless if shaped_type(values[index].type) is None
        ]
        if not shapeless:
            return self.attr
        shardings = list(self.new)
        for index in shapeless:
            shardings[index] = self.old[index]
        return sdy.TensorShardingPerValueAttr(tuple(shardings)).to_attr()


_Attributes = tuple[ir.Attribute, ir.Attribute, ir.Attribute]
"""The in shardings, out shardings and manual axes of an op."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """The new attributes of an op."""

    in_shardings: _NewShardings
    out_shardings: _NewShardings
    manual_axes: ir.Attribute


class _Cleanup:
    """Cleans up manual computations; their attributes are planned once, for layers repeat them."""

    def __init__(self, meshes: dict[str, sdy.MeshAttr]) -> None:
        self._meshes = meshes
        self._plans: dict[_Attributes, _Plan | None] = {}

    def run_on(self, op: ir.Operation) -> bool:
        """Clean up a manual computation; return False if it has manual axes but no mesh."""
        attributes = op.attributes
        key = attributes[IN_SHARDINGS], attributes[OUT_SHARDINGS], attributes[MANUAL_AXES]
        if key not in self._plans:
            self._plans[key] = self._plan(*key)
        plan = self._plans[key]
        if plan is None:
            return not sdy.ManualAxesAttr.of(key[2]).value or not _has_body(op)
        attributes[IN_SHARDINGS] = plan.in_shardings.for_values(op.operands)
        attributes[OUT_SHARDINGS] = plan.out_shardings.for_values(op.results)
        attributes[MANUAL_AXES] = plan.manual_axes
        return True

    def _plan(
        self, in_shardings: ir.Attribute, out_shardings: ir.Attribute, manual_axes: ir.Attribute
    ) -> _Plan | None:
        """Return the new attributes, or None if no sharding has a mesh."""
        manual = sdy.ManualAxesAttr.of(manual_axes).value
        ins = sdy.TensorShardingPerValueAttr.of(in_shardings).shardings
        outs = sdy.TensorShardingPerValueAttr.of(out_shardings).shardings
        refs = (sharding.mesh_or_ref for sharding in (*ins, *outs))
        mesh_or_ref = next((ref for ref in refs if self._mesh(ref).axes), None)
        if mesh_or_ref is None:
            return None
        order = self._mesh(mesh_or_ref).axes
        axes = [axis for axis in order if axis.name in manual]
        names = [axis.name for axis in order]
        new_ins, new_outs = (
            tuple(_mention(sharding, mesh_or_ref, axes, names) for sharding in shardings)
            for shardings in (ins, outs)
        )
        sorted_manual = sdy.ManualAxesAttr(tuple(axis.name for axis in axes)).to_attr()
        return _Plan(_NewShardings(ins, new_ins), _NewShardings(outs, new_outs), sorted_manual)

    def _mesh(self, mesh_or_ref: str | sdy.MeshAttr) -> sdy.MeshAttr:
        return self._meshes[mesh_or_ref] if isinstance(mesh_or_ref, str) else mesh_or_ref


def _has_body(op: ir.Operation) -> bool:
    return len(op.regions[0].blocks[0].operations) > 1


def _mention(
    sharding: sdy.TensorShardingAttr,
    mesh_or_ref: str | sdy.MeshAttr,
    axes: Iterable[sdy.MeshAxisAttr],
    order: Sequence[str],
) -> sdy.TensorShardingAttr:
    """Add the parts of `axes` that a sharding does not mention to its replicated axes."""
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
    """Return the parts of an axis between references to it, which do not overlap."""
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
    """Merge pieces of an axis where one ends as another begins, and return references to them."""
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
