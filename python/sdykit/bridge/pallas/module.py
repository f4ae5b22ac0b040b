"""From the functions of a kernel to the text of its module."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sdykit.bridge.pallas.invalid import naming_invalid_op
from sdykit.bridge.pallas.jax_names import module_names
from sdykit.mlir import ir, passmanager, register_tpu_dialect

_PASSES = "builtin.module(canonicalize,cse,canonicalize)"

_OF_JAX = ("_rewritten_body", "new_body")
"""The names of functions that JAX makes of others."""

_FILE_OF_LOCATION = re.compile(r'^(#loc\d* = loc\(")(?:[^"\\]|\\.)*/([^"/]*":\d)', re.MULTILINE)


def make_module(
    context: Any,
    jaxprs: Sequence[Any],
    meshes: Sequence[Any],
    all_meshes: Sequence[Any],
    *,
    kernel: str,
    scratch: int,
    needs_layout_passes: bool,
) -> ir.Module:
    """Return the canonical module of a kernel: a function for each mesh.

    Args:
        context: the `LoweringRuleContext` of JAX, whose MLIR context has the dialect `tpu`.
        jaxprs: the functions, by mesh.
        meshes: the meshes.
        all_meshes: these, and other ones whose memory the functions use.
        kernel: its name.
        scratch: how many of the last arguments of each function are scratch memory.
        needs_layout_passes: whether vectors may have other shapes than a register's.

    Raises:
        BridgeError: an op that JAX makes is invalid, such as a DMA between arrays of other shapes.
    """
    names = module_names()
    axes = context.module_context.axis_context
    devices = axes.mesh if isinstance(axes, names.spmd_context) else None
    mlir = context.module_context.context
    register_tpu_dialect(mlir)
    with mlir, ir.Location.unknown(mlir):
        module = ir.Module.create()
        with naming_invalid_op(module, kernel):
            for jaxpr, mesh in zip(jaxprs, meshes, strict=True):
                names.lower_function(
                    context,
                    module,
                    _with_arrays_for_scalars(jaxpr, mesh, all_meshes),
                    jax_mesh=devices,
                    pallas_mesh=mesh,
                    name=name_of(jaxpr),
                    num_scratch=scratch,
                    needs_layout_passes=needs_layout_passes,
                )
        passmanager.PassManager.parse(_PASSES, mlir).run(module.operation)
    return module


def text_of(module: ir.Module) -> str:
    """Return the text of a module with locations, in which files have no folders.

    So it does not depend on where a user's program lies.
    """
    text = str(module.operation.get_asm(enable_debug_info=True))
    return _FILE_OF_LOCATION.sub(r"\1\2", text)


def name_of(jaxpr: Any) -> str:
    """Return the name of the user's function, as a symbol."""
    name = jaxpr.debug_info.func_name
    if name not in _OF_JAX:
        return as_symbol(name)
    # JAX has wrapped the function, so that what it closes over is an input.
    for equation in jaxpr.eqns:
        frame = module_names().user_frame(equation.source_info.traceback)
        if frame is not None:
            return as_symbol(frame.function_name.rpartition(".")[2])
    return as_symbol(name)


def as_symbol(name: str) -> str:
    """Return a name without what a symbol cannot have: those of lambdas are in brackets."""
    return re.sub(r"[^\w.-]", "_", name)


def _with_arrays_for_scalars(jaxpr: Any, mesh: Any, all_meshes: Sequence[Any]) -> Any:
    # Those that the function closes over.
    if not any(
        not hasattr(each.aval, "inner_aval") and each.aval.shape == () for each in jaxpr.invars
    ):
        return jaxpr
    return module_names().rewrite_scalars(jaxpr, mesh, tuple(all_meshes))
