"""Warnings that name the caller's line."""

from __future__ import annotations

import sys
import threading
import warnings

from sdykit.bridge.jax_tpu_embedding.registry import LIBRARY

# Packages between a program and the library's preprocessing.
_BETWEEN = frozenset({"sdykit", LIBRARY, "flax", "jax"})

_told: set[tuple[str, str, int]] = set()
_lock = threading.Lock()


def warn_once(about: str, text: str) -> None:
    """Warn of something, once for each line of a program that leads to it.

    Args:
        about: what it is; the numbers in the text may differ from call to call.
        text: the warning.
    """
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and _package(frame.f_globals) in _BETWEEN:
        level, frame = level + 1, frame.f_back
    place = (about, frame.f_code.co_filename, frame.f_lineno)
    with _lock:
        if place in _told:
            return
        _told.add(place)
    warnings.warn(f"sdykit: {text}", stacklevel=level)


def _package(module: dict[str, object]) -> str:
    return str(module.get("__name__")).partition(".")[0]
