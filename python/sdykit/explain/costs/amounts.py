"""How many bytes a device receives in a collective.

The formulas are those of algorithms that need the least traffic: a ring for all_gather, reduce_scatter
and all_reduce, which is both after each other; direct exchange for the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sdykit.explain.costs.model import Kind
from sdykit.explain.tables import bits_of


def moved_bytes(kind: Kind, operand_bytes: int, devices: int) -> float:
    """Return how many bytes a device receives in a collective.

    Args:
        kind: what it does.
        operand_bytes: the size of a device's operand.
        devices: the number of devices in a group.
    """
    others = (devices - 1) / devices
    match kind:
        case "all_gather":
            return float(operand_bytes * (devices - 1))
        case "all_to_all" | "reduce_scatter":
            return operand_bytes * others
        case "all_reduce":
            return 2 * operand_bytes * others
        case "collective_permute" | "collective_broadcast" | "reshard":
            return float(operand_bytes)
        case "all_slice":
            return 0.0


def local_bytes(shape: Sequence[int], dtype: str, parts: Sequence[int]) -> int:
    """Return the size of a device's part of a tensor; the last part of a dimension is padded.

    Args:
        shape: the shape of the tensor.
        dtype: its element type, as MLIR writes it.
        parts: how many parts each dimension is divided into.
    """
    local = math.prod(-(-size // count) for size, count in zip(shape, parts, strict=True))
    return -(-local * bits_of(dtype) // 8)
