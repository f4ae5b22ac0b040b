"""Memory kinds, as in `mhlo.memory_kind`."""

from __future__ import annotations

from sdykit.mlir import ir

Kind = ir.Attribute | None
"""What an argument or result says of its memory kind; None without the attribute."""


def is_device(kind: Kind) -> bool:
    """Tell whether a kind is the memory of the device, written or not."""
    return not isinstance(kind, ir.StringAttr) or kind.value == "device"


def are_written_alike(one: Kind, other: Kind) -> bool:
    """Tell whether two kinds are the same to the letter."""
    if one is None or other is None:
        return one is other
    return one == other
