"""Memory kinds, as in `mhlo.memory_kind`."""

from __future__ import annotations

from sdykit.mlir import ir
from sdykit.passes.mpmd._program import PINNED_HOST

Kind = ir.Attribute | None
"""What an argument or result says of its memory kind; None without the attribute."""


def is_pinned_host(kind: Kind) -> bool:
    """Tell whether a kind is the memory of the host."""
    return isinstance(kind, ir.StringAttr) and kind.value == PINNED_HOST


def is_device(kind: Kind) -> bool:
    """Tell whether a kind is the memory of the device, written or not."""
    return not isinstance(kind, ir.StringAttr) or kind.value == "device"


def are_written_alike(one: Kind, other: Kind) -> bool:
    """Tell whether two kinds are the same to the letter."""
    if one is None or other is None:
        return one is other
    return one == other


def spelled(kind: Kind) -> str:
    """Give a kind as diagnostics show it."""
    return "<<NULL ATTRIBUTE>>" if kind is None else str(kind)
