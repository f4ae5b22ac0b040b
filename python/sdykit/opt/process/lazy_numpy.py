"""Importing numpy when it is used, not when jaxlib's bindings name it.

They import it for the sake of a few builders of constants, at the price of a third of the
driver's start-up.
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any

_NUMPY = "numpy"


class _Deferred(types.ModuleType):
    """Stands for a module that is imported when something of it is asked for."""

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
    """Let `import numpy` give a stand-in, unless numpy is loaded already."""
    if _NUMPY not in sys.modules:
        sys.modules[_NUMPY] = _Deferred(_NUMPY)
