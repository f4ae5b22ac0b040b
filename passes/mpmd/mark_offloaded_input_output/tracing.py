"""Determine which values inside a fragment are in host memory."""

from __future__ import annotations

from sdykit.core.mpmd.program import PINNED_HOST, enclosing, terminator
from sdykit.mlir import ir

_FRONTEND_ATTRIBUTES = "mhlo.frontend_attributes"
_COMPUTE_TYPE = "_xla_compute_type"
_BUFFER_PLACEMENT = "_xla_buffer_placement"

_ANNOTATION = "annotate_device_placement"
_SHARDING_CALLS = ("Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape")
_RESHAPES = ("stablehlo.reshape", "stablehlo.broadcast_in_dim")


class HostTracer:
    """Determines the memory of values by tracing them back to the ops that decide it.

    A value is in host memory if it is computed there (`_xla_compute_type = "host"`; this
    attribute overrides others), or if it is annotated with the placement `"pinned_host"`.
    Ops that forward the buffer of an operand are traced through. Results of all other ops,
    and block arguments, are in the memory of the device.
    """

    def __init__(self) -> None:
        self._known: dict[ir.Value, bool] = {}
        self._symbols: ir.SymbolTable | None = None

    def is_on_host(self, value: ir.Value) -> bool:
        """Return whether a value is in host memory."""
        path = []
        current: ir.Value | None = value
        is_on_host = False
        while isinstance(current, ir.OpResult):
            if current in self._known:
                is_on_host = self._known[current]
                break
            # For now: so the search ends in a function that calls itself.
            self._known[current] = False
            path.append(current)
            decided = _decided(current.owner.operation)
            if decided is not None:
                is_on_host = decided
                break
            current = self._forwarded(current)
        for traced in path:
            self._known[traced] = is_on_host
        return is_on_host

    def _forwarded(self, result: ir.OpResult) -> ir.Value | None:
        """Return the value whose buffer an op forwards as its result, or None."""
        op, number = result.owner.operation, result.result_number
        match op.name:
            case "stablehlo.optimization_barrier":
                return op.operands[number]
            case "stablehlo.while":
                return terminator(op.regions[1].blocks[0]).operands[number]
            case "stablehlo.dynamic_update_slice":
                return op.operands[1]
            case "stablehlo.custom_call":
                forwards = _call_target(op) in _SHARDING_CALLS and len(op.operands) > 0
                return op.operands[0] if forwards else None
            case "func.call":
                return self._returned_by_callee(op, number)
            case name if name in _RESHAPES:
                operand = op.operands[0]
                return operand if _long_sizes(operand) == _long_sizes(result) else None
        return None

    def _returned_by_callee(self, call: ir.Operation, number: int) -> ir.Value | None:
        if self._symbols is None:
            self._symbols = ir.SymbolTable(enclosing(call, "builtin.module"))
        callee = self._symbols[ir.FlatSymbolRefAttr(call.attributes["callee"]).value]
        blocks = callee.operation.regions[0].blocks
        # A declared function has no blocks, and of several blocks more than one may return.
        return terminator(blocks[0]).operands[number] if len(blocks) == 1 else None


def _decided(op: ir.Operation) -> bool | None:
    """Return whether an op by itself puts its results in host memory; None if it does not say."""
    attributes = op.attributes.get(_FRONTEND_ATTRIBUTES)
    if not isinstance(attributes, ir.DictAttr):
        return None
    if _COMPUTE_TYPE in attributes:
        compute_type = attributes[_COMPUTE_TYPE]
        if isinstance(compute_type, ir.StringAttr):
            return compute_type.value == "host"
    if op.name != "stablehlo.custom_call" or _call_target(op) != _ANNOTATION:
        return None
    if _BUFFER_PLACEMENT not in attributes:
        return None
    placement = attributes[_BUFFER_PLACEMENT]
    return isinstance(placement, ir.StringAttr) and placement.value == PINNED_HOST


def _call_target(op: ir.Operation) -> str:
    return ir.StringAttr(op.attributes["call_target_name"]).value


def _long_sizes(value: ir.Value) -> list[int]:
    """Return the sizes of a tensor's dimensions other than 1."""
    return [size for size in ir.RankedTensorType(value.type).shape if size != 1]
