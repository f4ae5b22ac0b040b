"""SparseCore on the host: chips, configuration, and what comes with them.

Names are looked up when they are used: what compiles code is imported with the first name
that needs it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sdykit.sparsecore.chip import CHIPS, Chip
    from sdykit.sparsecore.config import SparsecoreConfig
    from sdykit.sparsecore.errors import LimitExceeded, SparseCoreError
    from sdykit.sparsecore.flags import resolve, split_arguments

# No name here is that of a module (`chip` is one): the import of the module would hide it.
_MODULES = {
    "CHIPS": "chip",
    "Chip": "chip",
    "LimitExceeded": "errors",
    "SparseCoreError": "errors",
    "SparsecoreConfig": "config",
    "resolve": "flags",
    "split_arguments": "flags",
}

__all__ = [
    "CHIPS",
    "Chip",
    "LimitExceeded",
    "SparseCoreError",
    "SparsecoreConfig",
    "resolve",
    "split_arguments",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
