"""The MLIR Python bindings inside jaxlib: the only importer of `jaxlib.mlir`.

Everything else imports `ir`, `passmanager`, `rewrite` and the rest from here, so that a change of
jaxlib's layout is handled in one place. Importing this module does not import jax.
"""

from __future__ import annotations

import os
from functools import cache

# As jax does. XLA reads it when jaxlib is loaded; without it, XLA logs its devices to stderr.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")

from jaxlib.mlir import ir, passmanager
from jaxlib.mlir._mlir_libs import (
    _chlo,
    _jax_mlir_ext,
    _mlirHlo,
    _mosaic_gpu_ext,
    _sdy,
    _sdyMpmd,
)
from jaxlib.mlir._mlir_libs import _stablehlo as stablehlo
from jaxlib.mlir._mlir_libs._mlir import rewrite
from jaxlib.mlir.dialects import _ods_common as ods_common
from jaxlib.mlir.dialects.builtin import ModuleOp
from jaxlib.mlir.dialects.func import FuncOp

__all__ = [
    "FuncOp",
    "ModuleOp",
    "ir",
    "make_context",
    "ods_common",
    "passmanager",
    "register_cpp_passes",
    "register_tpu_dialect",
    "rewrite",
    "stablehlo",
]


@cache
def register_cpp_passes() -> None:
    """Register the C++ passes of Shardy, StableHLO and MHLO; takes 5 ms, once.

    Those of MLIR are registered when its bindings are imported.
    """
    _jax_mlir_ext.register_dialects(ir.DialectRegistry())  # with Shardy's passes
    stablehlo.register_stablehlo_passes()
    _mlirHlo.register_mhlo_passes()


def make_context(*, allow_unregistered_dialects: bool = False) -> ir.Context:
    """Return a context in which every dialect that jaxlib knows is loaded.

    These are `sdy`, `mpmd`, `stablehlo`, `chlo`, `mhlo`, `vhlo`, `quant` and the upstream dialects.
    Calls of functions can be inlined. Multithreading is off: Python passes hold the GIL, and with
    it IR printing at module scope aborts.
    """
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    context = ir.Context()
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    for dialect in (_sdy, _sdyMpmd, stablehlo, _chlo):
        dialect.register_dialect(context)
    _mlirHlo.register_mhlo_dialect(context)
    # The inliner interface of `func`: without it no pass inlines a call, or a region into a function.
    _mosaic_gpu_ext.register_inliner_extensions(context)
    _load_quant(context)
    context.enable_multithreading(False)
    context.allow_unregistered_dialects = allow_unregistered_dialects
    return context


def register_tpu_dialect(context: ir.Context) -> None:
    """Load the `tpu` dialect of Pallas kernels (Mosaic), which `make_context` leaves out.

    Its ops then have views with names for operands and attributes. It must come before any of its
    ops is parsed.
    """
    from jaxlib.mosaic.python import tpu  # Generated classes, 15 ms: few programs need them.

    tpu.register_dialect(context)


def _load_quant(context: ir.Context) -> None:
    """Load the `quant` dialect, which only the passes that depend on it can load."""
    stablehlo.register_stablehlo_passes()
    manager = passmanager.PassManager.parse("builtin.module(vhlo-legalize-to-stablehlo)", context)
    manager.run(ir.Module.parse("module {}", context).operation)
