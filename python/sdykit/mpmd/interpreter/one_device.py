"""From the body of a fragment to a StableHLO module that one device can run.

The types in a body are global, so shardings do not change values: ops and attributes that only
place values are removed. Work across devices is rewritten for one device where that is exact,
and is an error otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.core.constants import constant_named
from sdykit.dialects import mpmd
from sdykit.mlir import FuncOp, ir
from sdykit.mpmd.bodies import check_self_contained, copy_callees, post_order
from sdykit.mpmd.clone import clone_with
from sdykit.mpmd.errors import fail_at
from sdykit.mpmd.interpreter.manual import expand_manual_computation
from sdykit.mpmd.program import Program

TOKEN = "!stablehlo.token"

_IDENTITIES = {
    # On global values, all of these change only the placement.
    "sdy.all_gather",
    "sdy.all_reduce",
    "sdy.all_slice",
    "sdy.all_to_all",
    "sdy.collective_permute",
    "sdy.data_flow_edge",
    "sdy.func_data_flow_edge",
    "sdy.propagation_barrier",
    "sdy.reduce_scatter",
    "sdy.replicated_to_unreduced",
    "sdy.reshard",
    "sdy.sharded_to_unreduced",
    "sdy.sharding_constraint",
}
_OTHER_NAMES = {"mpmd.broadcast", "mpmd.named_tensor"}
_IDENTITY_CALLS = {
    "Sharding",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "annotate_device_placement",
}
_RETURNS = {"mpmd.return", "sdy.return"}
_RUNNABLE = ("func.", "stablehlo.", "chlo.", "mhlo.")

_COLLECTIVES = {
    "stablehlo.all_gather",
    "stablehlo.all_reduce",
    "stablehlo.all_to_all",
    "stablehlo.collective_broadcast",
    "stablehlo.collective_permute",
    "stablehlo.cross-replica-sum",
    "stablehlo.partition_id",
    "stablehlo.reduce_scatter",
    "stablehlo.replica_id",
}
"""On one device, XLA accepts most of these and computes what device 0 would hold."""

_REDUCTIONS = {
    mpmd.ReductionType.ADD: "stablehlo.add",
    mpmd.ReductionType.AND: "stablehlo.and",
    mpmd.ReductionType.MAX: "stablehlo.maximum",
    mpmd.ReductionType.MIN: "stablehlo.minimum",
    mpmd.ReductionType.MUL: "stablehlo.multiply",
    mpmd.ReductionType.OR: "stablehlo.or",
}
_OF_FUNCTION = {"sym_name", "sym_visibility", "function_type"}


@dataclass(frozen=True)
class Body:
    """A computation."""

    ops: Sequence[ir.Operation]
    """The ops in order, without a terminator."""
    inputs: Sequence[ir.Value]
    """The values that the ops use and do not define."""
    outputs: Sequence[ir.Value]
    """The values that the computation returns."""
    devices: int | None
    """The number of devices of its mesh; None outside of all meshes."""


def is_token(value: ir.Value) -> bool:
    """Return whether a value is a token, which orders effects and holds no data."""
    return str(value.type) == TOKEN


def one_device_text(program: Program, body: Body) -> str:
    """Return the text of a module whose `@main` computes the body.

    Input tokens are created inside, and output tokens are dropped.

    Raises:
        ExecutionError: the body has an op that cannot run on one device.
    """
    context = program.module.context
    with context, ir.Location.unknown(context):
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            create_main(body)
            copy_callees(program, module)
        for func in module.body.operations:
            _lower(program, func.operation, body.devices)
        return str(module)


def create_main(body: Body) -> ir.Operation:
    """Make the function `@main` of a body at the insertion point, and return it.

    Input tokens are created inside, and output tokens are dropped.
    """
    inputs = [value for value in body.inputs if not is_token(value)]
    outputs = [value for value in body.outputs if not is_token(value)]
    types = [value.type for value in inputs], [value.type for value in outputs]
    func = FuncOp("main", types, visibility="public")
    block = func.add_entry_block()
    with ir.InsertionPoint(block):
        values: dict[ir.Value, ir.Value] = dict(zip(inputs, block.arguments, strict=True))
        for value in filter(is_token, body.inputs):
            values[value] = ir.Operation.create("stablehlo.create_token", [value.type]).result
        for op in body.ops:
            clone_with(op, values)
        ir.Operation.create("func.return", operands=[values[value] for value in outputs])
    return func.operation


def lower_mpmd(op: ir.Operation) -> bool:
    """Lower an op of mpmd to those of StableHLO; return whether it was one.

    Raises:
        ExecutionError: it calls Python, or exchanges data with something outside.
    """
    check_self_contained(op)
    if op.name in _OTHER_NAMES:
        _replace(op, list(op.operands))
    elif op.name == "mpmd.named_computation":
        _inline(op)
    elif op.name == "mpmd.reduce":
        _lower_reduce(op)
    else:
        return False
    return True


def _lower(program: Program, func: ir.Operation, devices: int | None) -> None:
    """Rewrite a function in place, inner ops first."""
    for op in post_order(func):
        name = op.name
        if lower_mpmd(op):
            continue
        if name in _IDENTITIES or _is_identity_call(op):
            _replace(op, list(op.operands))
        elif name == "sdy.named_computation":
            _inline(op)
        elif name == "sdy.manual_computation":
            _replace(op, expand_manual_computation(program, op))
        elif name == "sdy.sharding_group":
            op.erase()
        elif name == "sdy.constant":
            with ir.InsertionPoint(op):
                constant = constant_named("stablehlo.constant", op)
            _strip(constant)
            _replace(op, [constant.result])
        elif name not in _RETURNS:
            _check_runnable(op, devices)
            _strip(op)


def _is_identity_call(op: ir.Operation) -> bool:
    if op.name != "stablehlo.custom_call":
        return False
    if ir.StringAttr(op.attributes["call_target_name"]).value not in _IDENTITY_CALLS:
        return False
    return [value.type for value in op.operands] == [value.type for value in op.results]


def _replace(op: ir.Operation, values: Sequence[ir.Value]) -> None:
    for result, value in zip(op.results, values, strict=True):
        result.replace_all_uses_with(value)
    op.erase()


def _inline(op: ir.Operation) -> None:
    block = op.regions[0].blocks[0]
    for argument, operand in zip(block.arguments, op.operands, strict=True):
        argument.replace_all_uses_with(operand)
    *inner, terminator = [each.operation for each in block.operations]
    for each in inner:
        each.move_before(op)
    _replace(op, list(terminator.operands))


def _lower_reduce(op: ir.Operation) -> None:
    """Combine the operands from left to right."""
    reduction = mpmd.ReductionAttr.of(op.attributes["reduction"]).reduction_type
    value, *others = op.operands
    with ir.InsertionPoint(op):
        for other in others:
            value = ir.Operation.create(
                _REDUCTIONS[reduction], [op.result.type], [value, other]
            ).result
    _replace(op, [value])


def _check_runnable(op: ir.Operation, devices: int | None) -> None:
    if op.name in _COLLECTIVES and devices != 1:
        fail_at(op, f"'{op.name}' op needs all devices of its mesh; fragments run on one device")
    if not op.name.startswith(_RUNNABLE):
        fail_at(op, f"'{op.name}' op cannot be run inside a fragment or between StableHLO ops")


def _strip(op: ir.Operation) -> None:
    """Remove shardings, placements and hints, none of which changes a value."""
    of_function = op.name == "func.func"
    for name in list(op.attributes):
        if (of_function and name not in _OF_FUNCTION) or (
            "." in name and name != "mhlo.backend_config"
        ):
            del op.attributes[name]
