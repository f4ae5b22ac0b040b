"""The lowering of kernels for CPU devices, and the numbers that meshes ask for."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from types import ModuleType
from typing import Any, Final

from jax.interpreters import mlir

from sdykit.bridge.pallas import chip
from sdykit.bridge.pallas.jax_names import MissingName, kernel_names, mesh_names, module_names
from sdykit.bridge.pallas.settings import is_off
from sdykit.bridge.plugin import NO_KERNELS, warn_once

_VECTOR: Final = "SC_VECTOR_SUBCORE"
_SCALAR: Final = "SC_SCALAR_SUBCORE"


def register(_: ModuleType) -> None:
    """Let meshes of subcores be made, and kernels be lowered, on CPU devices.

    It is called with `jax.experimental.pallas.tpu_sc`, once that has been imported: a process without
    it is as before, since programs may take an error of `get_tpu_info` to mean that there is no TPU.
    """
    names = kernel_names()
    refresh()
    mlir.register_lowering(names.primitive, _lower, platform=chip.DEVICE_KIND)


def refresh() -> None:
    """Follow a change of the settings: numbers of the chip are those of meshes made from now on."""
    names = mesh_names()
    if not is_off():
        # Another library may have registered its own.
        names.registry.setdefault(chip.DEVICE_KIND, chip.tpu_info)
    elif names.registry.get(chip.DEVICE_KIND) is chip.tpu_info:
        del names.registry[chip.DEVICE_KIND]
    names.get_tpu_info.cache_clear()


def _lower(context: Any, *nodes: Any, **parameters: Any) -> Sequence[Any]:
    """Lower a kernel; one of a TensorCore as JAX does."""
    before = functools.partial(kernel_names().lowering, context, *nodes, **parameters)
    meshes = (*parameters["meshes"], *parameters["external_meshes"])
    kinds = {_kind(mesh) for mesh in meshes}
    if is_off() or not kinds & {_VECTOR, _SCALAR} or not _can_lower():
        return before()
    if kinds - {_VECTOR, _SCALAR}:
        raise NotImplementedError(
            "TensorCore kernels beside SparseCore kernels cannot run on a CPU yet"
        )
    from sdykit.bridge.pallas.lowering import lower_kernel

    return lower_kernel(context, nodes, **parameters)


def _can_lower() -> bool:
    try:
        module_names()
    except MissingName as error:
        warn_once(f"sdykit: {NO_KERNELS}: {error}")
        return False
    return True


def _kind(mesh: Any) -> str:
    return getattr(getattr(mesh, "core_type", None), "name", "")
