"""Records of propagation: the step in which an op propagated axes, from where and to where."""

from __future__ import annotations

from collections.abc import Iterable

from sdykit.dialects import sdy
from sdykit.mlir import ir

PROPAGATION_EDGES = "sdy.propagation_edges"
BLOCK_ARGUMENT_EDGES = "sdy.block_arg_propagation_edges"
RESULT_EDGES = "sdy.result_propagation_edges"

Flow = tuple[sdy.AxisRefAttr, sdy.EdgeValueRefAttr, sdy.EdgeValueRefAttr]
"""An axis, and the operand or result that it came from, and that it went to."""


def operand(number: int) -> sdy.EdgeValueRefAttr:
    """Return an operand of an op by its number."""
    return sdy.EdgeValueRefAttr(sdy.EdgeNodeType.OPERAND, number)


def result(number: int) -> sdy.EdgeValueRefAttr:
    """Return a result of an op by its number."""
    return sdy.EdgeValueRefAttr(sdy.EdgeNodeType.RESULT, number)


class StepNumbers:
    """Numbers the steps of propagation."""

    def __init__(self, module: ir.OpView) -> None:
        """Begin after the last step that the module has a record of."""
        self._next = _last_step(module) + 1

    def next(self) -> int:
        """Return the number of the next step."""
        self._next += 1
        return self._next - 1


class PropagationEdges:
    """What flowed at one op, in which steps. The first step of equal flows stays."""

    def __init__(self) -> None:
        self._steps: dict[Flow, int] = {}

    def add(self, step: int, flows: Iterable[Flow]) -> None:
        """Record what flowed in a step."""
        for flow in flows:
            self._steps.setdefault(flow, step)

    def to_attr(self) -> ir.Attribute | None:
        """Return the attribute `sdy.propagation_edges`, None if nothing flowed."""
        by_step: dict[int, dict[tuple[sdy.AxisRefAttr, sdy.EdgeValueRefAttr], list]] = {}
        for (axis, source, target), step in self._steps.items():
            by_step.setdefault(step, {}).setdefault((axis, source), []).append(target)
        steps = tuple(
            sdy.PropagationOneStepAttr(step, _details(by_step[step])) for step in sorted(by_step)
        )
        return sdy.PropagationEdgesAttr(steps).to_attr() if steps else None


def _details(
    flows: dict[tuple[sdy.AxisRefAttr, sdy.EdgeValueRefAttr], list[sdy.EdgeValueRefAttr]],
) -> tuple[sdy.AxisToPropagationDetailsAttr, ...]:
    return tuple(
        sdy.AxisToPropagationDetailsAttr(
            axis, source, tuple(sorted(flows[axis, source], key=_order))
        )
        for axis, source in sorted(flows, key=lambda flow: _by_name(flow[0]))
    )


def _order(value: sdy.EdgeValueRefAttr) -> tuple[bool, int]:
    return value.type is sdy.EdgeNodeType.RESULT, value.index


def _by_name(axis: sdy.AxisRefAttr) -> tuple[str, int]:
    return axis.name, axis.sub_axis_info.pre_size if axis.sub_axis_info else 0


def _last_step(module: ir.OpView) -> int:
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
