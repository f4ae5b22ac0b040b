"""Warnings that point to the line of a program that sets something."""

from __future__ import annotations

import sys
import warnings
from typing import Final

_BETWEEN: Final = frozenset({"sdykit", "dataclasses"})
"""Packages on the stack between a program and the check of a setting."""


def warn(text: str) -> None:
    """Warn at the first line on the stack that is outside of this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and _package(frame.f_globals) in _BETWEEN:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, stacklevel=level)


def _package(module: dict[str, object]) -> str:
    return str(module.get("__name__")).partition(".")[0]
