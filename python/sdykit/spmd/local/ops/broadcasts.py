"""Collectives of StableHLO that XLA's CPU client does not have, by those that it has."""

from __future__ import annotations

import numpy as np

from sdykit.mlir import ir
from sdykit.spmd.local import emit, sending
from sdykit.spmd.local.by_rule import Kind, Step


def _broadcast(step: Step) -> list[ir.Value]:
    """Sum the tensor of the first device of each group and zeros of the others."""
    groups = np.asarray(ir.DenseElementsAttr(step.op.attributes["replica_groups"])).tolist()
    (operand,) = step.operands
    firsts = {group[0] for group in groups}
    devices = 1 + max(device for group in groups for device in group)
    number = emit.by_device([int(device in firsts) for device in range(devices)])
    is_first = emit.compare("EQ", number, emit.constant(1))
    predicate = emit.broadcast(is_first, emit.shape_of(operand.value), [])
    value = emit.select(predicate, operand.value, emit.zeros(operand.value.type))
    return [sending.all_reduce(value, groups, emit.ADD)]


BROADCAST = Kind(_broadcast)
