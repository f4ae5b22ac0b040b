"""Compiling a kernel, or finding it compiled."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sdykit.sparsecore.codegen import ObjectCache, Program, compile_source
from sdykit.sparsecore.mosaic.spec import MosaicSpec

if TYPE_CHECKING:
    from sdykit.mlir import ir

_LATER = ("races", "order")
"""Fields of a spec that machine code does not depend on."""


def compile_kernel(spec: MosaicSpec, *, cache: ObjectCache | None) -> Program:
    """Return the compiled program of a kernel; its module is read only if it has to be compiled.

    The arguments of the program are those that `lower` gives it. The status of a failed run has the
    number of a message, which is the report as decimal integers once its values are filled in.

    Args:
        spec: the kernel, and how it is to run.
        cache: the directory in which machine code is kept for other processes; None: it is not kept.

    Raises:
        NotLowered: the kernel has what cannot be compiled yet.
        SparseCoreError: its module cannot be read, or the chip's memory is too small.
        CodegenError: code generation does not know an op of its tile program.
    """
    fields = {name: value for name, value in spec.to_fields().items() if name not in _LATER}

    def module() -> ir.Module:
        # A program that is found in the cache needs neither.
        from sdykit.sparsecore.mosaic.kernel import read_kernel
        from sdykit.sparsecore.mosaic.lowering.program import lower

        return lower(read_kernel(spec.module, spec.name), spec)

    return compile_source(json.dumps(fields), module, cache=cache)
