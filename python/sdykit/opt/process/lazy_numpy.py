"""Imports numpy when it is first used, not when jaxlib's bindings import it.

They need it for a few builders of constants only, and the import is a third of the driver's
start-up.
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any

_NUMPY = "numpy"


class _Deferred(types.ModuleType):
    """A stand-in for a module, which is imported on the first access to one of its names."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._load(), name)

    def __setattr__(self, name: str, value: Any) -> None:
        # The import of `numpy.x` sets `x` on what it took for numpy.
        setattr(self._load(), name, value)

    def _load(self) -> types.ModuleType:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return importlib.import_module(self.__name__)


def install() -> None:
    """Make `import numpy` bind a stand-in, unless numpy is loaded already."""
    if _NUMPY not in sys.modules:
        sys.modules[_NUMPY] = _Deferred(_NUMPY)


def load() -> None:
    """Import numpy now: files of users import its parts, for which a stand-in will not do."""
    numpy = sys.modules.get(_NUMPY)
    if isinstance(numpy, _Deferred):
        numpy._load()
