"""Optional dependencies: LLVM, which comes with llvmlite, of the extra `sdykit[sparsecore]`."""

from __future__ import annotations

from importlib.util import find_spec

from sdykit.errors import MissingExtra


def require_llvm() -> None:
    """Check that machine code can be generated.

    Raises:
        MissingExtra: llvmlite is not installed.
    """
    if find_spec("llvmlite") is None:
        raise MissingExtra(
            "the simulated SparseCore needs llvmlite, which is not installed: "
            "pip install 'sdykit[sparsecore]'"
        )
