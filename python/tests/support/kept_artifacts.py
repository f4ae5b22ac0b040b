"""The portable artifacts in JAX's own tests of backward compatibility of `jax.export`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any

from jax._src.internal_test_util import export_back_compat_test_data as kept

from sdykit.core.portable import BYTECODE_MAGIC

_PRODUCER = b"StableHLO_v"
_HEAD = 32


def artifacts() -> list[bytes]:
    """Return the artifacts, which are of many versions of StableHLO, each once."""
    found: dict[bytes, None] = {}
    for info in pkgutil.walk_packages(kept.__path__, f"{kept.__name__}."):
        if info.ispkg:
            continue
        for name, value in vars(importlib.import_module(info.name)).items():
            if not name.startswith("__"):
                found |= dict.fromkeys(_within(value))
    return [data for data in found if _PRODUCER in data[:_HEAD]]


def _within(value: Any) -> Iterator[bytes]:
    if isinstance(value, bytes) and value.startswith(BYTECODE_MAGIC):
        yield value
    elif isinstance(value, (dict, list, tuple)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _within(part)
