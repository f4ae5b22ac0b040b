"""Layout modes, as in `mhlo.layout_mode`: a layout, `"auto"`, or `"default"` (same as none)."""

from __future__ import annotations

from sdykit.core.mpmd.program import LAYOUT_MODE, Attributes
from sdykit.mlir import ir

Mode = ir.StringAttr | None
"""The value of `mhlo.layout_mode`; None if it is absent."""

DEFAULT: Mode = None
"""The mode of a value without `mhlo.layout_mode`."""


def auto() -> Mode:
    """Return the mode that lets the compiler choose."""
    return ir.StringAttr.get("auto")


def mode_of(attributes: Attributes) -> Mode:
    """Return the mode among the attributes of an argument or result."""
    mode = attributes.get(LAYOUT_MODE)
    return mode if isinstance(mode, ir.StringAttr) else None


def set_mode(attributes: Attributes, mode: Mode) -> None:
    """Set a mode in the attributes of an argument or result; the default removes the attribute."""
    if mode is None or mode.value == "default":
        attributes.pop(LAYOUT_MODE, None)
    else:
        attributes[LAYOUT_MODE] = mode


def is_auto(mode: Mode) -> bool:
    """Return whether the compiler may choose the layout."""
    return mode is not None and mode.value == "auto"


def is_default(mode: Mode) -> bool:
    """Return whether a mode is the default, written or absent."""
    return mode is None or mode.value == "default"


def is_layout(mode: Mode) -> bool:
    """Return whether a mode names a layout."""
    return not is_default(mode) and not is_auto(mode)


def are_compatible(one: Mode, other: Mode) -> bool:
    """Return whether one value can have both modes: they are equal, or one is `"auto"`."""
    if is_auto(one) or is_auto(other):
        return True
    if is_default(one) or is_default(other):
        return is_default(one) and is_default(other)
    return one == other
