"""What the call of a kernel runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdykit.bridge.kernels.in_python import PythonProgram
from sdykit.bridge.kernels.specs import Spec
from sdykit.sparsecore.mosaic.compile import compile_mosaic
from sdykit.sparsecore.mosaic.spec import MosaicSpec

if TYPE_CHECKING:
    from sdykit.sparsecore.codegen import ObjectCache, Program


def compile_kernel(spec: Spec, cache: ObjectCache | None) -> Program | PythonProgram:
    """Return the program of a kernel: compiled, or a function of Python.

    Raises:
        SparseCoreError: a field of the spec is wrong, or its module is no kernel.
    """
    kernel = MosaicSpec.from_fields(spec)
    found = compile_mosaic(kernel, cache)
    return PythonProgram(kernel.name, found) if callable(found) else found
