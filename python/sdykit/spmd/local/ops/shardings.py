"""The ops of sdy: what only says how tensors are sharded, and collectives."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.mlir import ir
from sdykit.spmd.errors import fail_at
from sdykit.spmd.local.collectives import COLLECTIVES, padded, resharded
from sdykit.spmd.local.layouts import shape_of
from sdykit.spmd.local.moving import Part, moved
from sdykit.spmd.local.program import LocalProgram, handles

_ANY_SIZE = ("sdy.all_reduce", "sdy.replicated_to_unreduced")
"""The collectives that do not look at the sizes of dimensions."""


@handles(
    "sdy.data_flow_edge",
    "sdy.func_data_flow_edge",
    "sdy.propagation_barrier",
    "sdy.reshard",
    "sdy.sharding_constraint",
)
def same_value(program: LocalProgram, op: ir.Operation) -> Sequence[Part]:
    """Return the operand in the layout that the result has."""
    return [
        resharded(part, program.layouts.of(result))
        for part, result in zip(program.operands(op), op.results, strict=True)
    ]


@handles("sdy.sharding_group")
def sharding_group(program: LocalProgram, op: ir.Operation) -> Sequence[Part]:
    """Make nothing: a group has no results."""
    return []


@handles(*COLLECTIVES)
def collective(program: LocalProgram, op: ir.Operation) -> Sequence[Part]:
    """Make a collective of sdy from those of StableHLO, or move the tensor where it has padding."""
    (part,), (result,) = program.operands(op), op.results
    if program.layouts.ignores_shardings:
        return [part]
    layout, mesh = (
        program.layouts.of(result),
        program.layouts.mesh_of(op.attributes["out_sharding"]),
    )
    if 0 in shape_of(result):
        return [moved(part, layout)]
    if mesh is None:
        fail_at(op, f"'{op.name}' op has a mesh without axes; expected one of the devices")
    shape = shape_of(result)
    is_even = part.layout.divides(shape) and layout.divides(shape)
    if is_even or op.name in _ANY_SIZE:
        return [COLLECTIVES[op.name](op, part, layout, mesh)]
    program.note(
        op,
        f"padded {op.name}",
        "has dimensions that its axes do not divide: they are gathered and cut instead",
    )
    return [padded(op, part, layout, mesh)]
