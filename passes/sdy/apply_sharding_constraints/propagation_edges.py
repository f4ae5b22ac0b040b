"""Records of propagation: the step in which an op propagated axes, and the axes."""

from __future__ import annotations

from collections.abc import Iterable

from sdykit.dialects import sdy
from sdykit.mlir import ModuleOp, ir

PROPAGATION_EDGES = "sdy.propagation_edges"

_OPERAND = sdy.EdgeValueRefAttr(sdy.EdgeNodeType.OPERAND, 0)
_RESULT = sdy.EdgeValueRefAttr(sdy.EdgeNodeType.RESULT, 0)


class PropagationEdges:
    """Numbers the steps of propagation, and records each on its op."""

    def __init__(self, module: ModuleOp) -> None:
        """Begin after the last step that the module has a record of."""
        self._next = _last_step(module) + 1

    def record(self, op: ir.Operation, axes: Iterable[sdy.AxisRefAttr]) -> None:
        """Record that an op propagated axes from its result to its operand.

        The step gets a number even if there are no axes.
        """
        details = tuple(
            sdy.AxisToPropagationDetailsAttr(axis, _RESULT, (_OPERAND,))
            for axis in sorted(axes, key=_by_name)
        )
        if details:
            step = sdy.PropagationOneStepAttr(self._next, details)
            op.attributes[PROPAGATION_EDGES] = sdy.PropagationEdgesAttr((step,)).to_attr()
        self._next += 1


def _by_name(axis: sdy.AxisRefAttr) -> tuple[str, int]:
    return axis.name, axis.sub_axis_info.pre_size if axis.sub_axis_info else 0


def _last_step(module: ModuleOp) -> int:
    last = -1

    def visit(op: ir.Operation) -> ir.WalkResult:
        nonlocal last
        attr = op.attributes.get(PROPAGATION_EDGES)
        if attr is not None:
            steps = sdy.PropagationEdgesAttr.of(attr).value
            last = max([last, *(step.step_index for step in steps)])
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return last
