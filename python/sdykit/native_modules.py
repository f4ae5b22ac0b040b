"""Whether native modules were built for the Python files beside them: in a checkout they may not be."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from types import ModuleType

from sdykit.errors import SdykitError

_PACKAGE = Path(__file__).parent


def check_interface(module: ModuleType) -> None:
    """Check that a native module has the interface that Python files know, that of its `.pyi`.

    The build gives a module the digest of the file as `INTERFACE`.

    Raises:
        SdykitError: it was built for another one.
    """
    stub = _PACKAGE.joinpath(*module.__name__.split(".")[1:]).with_suffix(".pyi")
    if getattr(module, "INTERFACE", "") != _digest(stub):
        raise stale(module, f"the interface of {stub.name}")


@cache
def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def stale(module: ModuleType, expected: str) -> SdykitError:
    """Return the error that a native module was built from other sources than the Python files."""
    return SdykitError(
        f"{module.__file__} was built from other sources than the Python files beside it: expected "
        f"{expected}; install sdykit again, in a checkout with `make -B setup`"
    )
