"""The partitioned program: collectives in place of all that its shardings ask for, and who uses them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import cast

from sdykit.core import meshes_of, run_pipeline
from sdykit.core.diagnostics import sent_to
from sdykit.dialects import sdy
from sdykit.errors import PassFailure
from sdykit.explain.costs.numbering import number_locations, without_numbers
from sdykit.explain.model import DimSharding, Explanation, TensorSharding
from sdykit.mlir import ModuleOp, ir
from sdykit.passes.sdy._shardings import COLLECTIVES
from sdykit.passes.sdy._value_shardings import MANUAL_COMPUTATION, ValueShardings, parent_op

PIPELINE = (
    "sdy-export-named-computations,sdy-propagate-to-func-results,sdy-unflatten-call-graph,symbol-dce,"
    "sdy-insert-func-call-reshards,sdy-export-pipeline{enable-insert-explicit-collectives=true}"
)
"""What the propagation pipeline does after it has propagated, with all collectives."""

RESHARDING = COLLECTIVES | {sdy.ReshardOp.OPERATION_NAME}
"""The ops that change how one tensor is sharded."""


@dataclass
class PartitionedProgram:
    """A program after propagation and all export passes.

    Attributes:
        module: the module.
        explanation: what was recorded of the propagation.
        meshes: the size of each axis of each mesh, by names.
    """

    module: ir.Module
    explanation: Explanation
    meshes: dict[str, dict[str, int]] = field(init=False)

    def __post_init__(self) -> None:
        number_locations(self.module.operation, self.explanation)
        # Propagation has warned of the same before.
        with sent_to(lambda _: None):
            try:
                run_pipeline(self.module, PIPELINE)
            except PassFailure as error:
                raise PassFailure(without_numbers(str(error))) from None
        meshes = meshes_of(cast("ModuleOp", self.module.operation.opview))
        self.meshes = {name: _sizes(mesh) for name, mesh in meshes.items()}
        self._shardings = ValueShardings()
        self._converted: dict[tuple[ir.Attribute, frozenset[str]], TensorSharding] = {}

    def sharding(self, value: ir.Value) -> TensorSharding | None:
        """Return the sharding of a value; in a manual computation, without the manual axes."""
        attribute = self._shardings.get(value)
        if attribute is None:
            return None
        key = attribute, _manual_axes(value)
        if key not in self._converted:
            view = sdy.TensorShardingAttr.of(attribute)
            mesh = view.mesh_or_ref
            if isinstance(mesh, sdy.MeshAttr):
                self.meshes.setdefault(str(mesh), _sizes(mesh))
            self._converted[key] = _without(view, key[1])
        return self._converted[key]

    def chain_start(self, value: ir.Value) -> ir.Value:
        """Return the value that collectives, one after the other, have made a value of."""
        while isinstance(value, ir.OpResult) and value.owner.operation.name in RESHARDING:
            value = value.owner.operation.operands[0]
        return value

    def chain_end(self, value: ir.Value) -> ir.Value:
        """Return the last value that collectives make of a value, if each is the only use of the one before."""
        while True:
            uses = list(value.uses)
            if len(uses) != 1 or uses[0].owner.operation.name not in RESHARDING:
                return value
            value = uses[0].owner.operation.results[0]


def axis_text(axis: sdy.AxisRefAttr) -> str:
    """Return an axis as explanations have it: `x`, or `x:(2)4` for a part of it."""
    part = axis.sub_axis_info
    return axis.name if part is None else f"{axis.name}:({part.pre_size}){part.size}"


def _sizes(mesh: sdy.MeshAttr) -> dict[str, int]:
    return {axis.name: axis.size for axis in mesh.axes}


def _manual_axes(value: ir.Value) -> frozenset[str]:
    """Return the axes that are manual for an argument of a manual computation; none for other values."""
    if not isinstance(value, ir.BlockArgument) or parent_op(value).name != MANUAL_COMPUTATION:
        return frozenset()
    return frozenset(sdy.ManualAxesAttr.of(parent_op(value).attributes["manual_axes"]).value)


def _without(view: sdy.TensorShardingAttr, manual: frozenset[str]) -> TensorSharding:
    def texts(axes: Iterable[sdy.AxisRefAttr]) -> tuple[str, ...]:
        return tuple(axis_text(axis) for axis in axes if axis.name not in manual)

    dims = tuple(DimSharding(texts(dim.axes), dim.is_closed) for dim in view.dim_shardings)
    return TensorSharding(
        str(view.mesh_or_ref), dims, texts(view.replicated_axes), texts(view.unreduced_axes)
    )
