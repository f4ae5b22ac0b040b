"""Warnings that point to the caller's line."""

from __future__ import annotations

import sys
import threading
import warnings

from sdykit.bridge.jax_tpu_embedding.registry import LIBRARY

# Packages on the stack between a program and the library's preprocessing.
_BETWEEN = frozenset({"sdykit", LIBRARY, "flax", "jax"})

_warned: set[tuple[str, str, int]] = set()
_lock = threading.Lock()


def warn_once(about: str, text: str) -> None:
    """Warn once for each line of a program that leads to the warning.

    Args:
        about: the topic, by which warnings are counted; numbers in the text may differ.
        text: the text of the warning.
    """
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and _package(frame.f_globals) in _BETWEEN:
        level, frame = level + 1, frame.f_back
    place = (about, frame.f_code.co_filename, frame.f_lineno)
    with _lock:
        if place in _warned:
            return
        _warned.add(place)
    warnings.warn(f"sdykit: {text}", stacklevel=level)


def _package(module: dict[str, object]) -> str:
    return str(module.get("__name__")).partition(".")[0]
