"""What the call of a kernel runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdykit.bridge.kernels.in_python import DescribedProgram, PythonProgram
from sdykit.bridge.kernels.interrupts import watch_interrupts
from sdykit.bridge.kernels.specs import Spec
from sdykit.sparsecore.mosaic.compile import compile_mosaic
from sdykit.sparsecore.mosaic.spec import MosaicSpec

if TYPE_CHECKING:
    from sdykit.sparsecore.codegen import ObjectCache


def compile_kernel(spec: Spec, cache: ObjectCache | None) -> DescribedProgram | PythonProgram:
    """Return the program of a kernel: compiled, or a function of Python.

    Raises:
        SparseCoreError: a field of the spec is wrong, its module is no kernel, or an op cannot run on a
            SparseCore.
    """
    watch_interrupts()
    kernel = MosaicSpec.from_fields(spec)
    found = compile_mosaic(kernel, cache)
    if callable(found):
        return PythonProgram(kernel.name, found)
    return DescribedProgram(found.program, found.describe)
