"""The internal names of JAX that kernels need: all of them, so that a JAX without one is met here."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import jax

from sdykit.bridge.errors import BridgeError

_PALLAS = "jax._src.pallas."


class MissingName(BridgeError):
    """JAX lacks an internal name that kernels need: it is another version than those tested."""


@dataclass(frozen=True)
class MeshNames:
    """What meshes of subcores ask for the numbers of the chip.

    Attributes:
        registry: what gives the numbers of a device, by its kind.
        get_tpu_info: the function that looks it up, which has a cache.
        get_tpu_info_for_chip: a function of a version and a number of cores: JAX's own numbers.
        chip_version: the enumeration of the versions that JAX knows.
        sparse_core_info: the class of the numbers of SparseCores.
    """

    registry: MutableMapping[str, Callable[[], Any]]
    get_tpu_info: Any
    get_tpu_info_for_chip: Callable[[Any, int], Any]
    chip_version: Any
    sparse_core_info: Any


@dataclass(frozen=True)
class KernelNames:
    """What the lowering of kernels needs.

    Attributes:
        primitive: the primitive of all kernels.
        lowering: its lowering, as JAX has it.
    """

    primitive: Any
    lowering: Callable[..., Any]


@dataclass(frozen=True)
class ModuleNames:
    """What makes a module of a kernel, and a call of it.

    Attributes:
        lower_function: adds the function of a mesh to a module.
        rewrite_scalars: returns a jaxpr whose scalar inputs are arrays of one element.
        compiler_params: the class of the parameters of a kernel, with their defaults.
        core_type: the enumeration of kinds of cores.
        physical_aval: returns the type of the array that holds a semaphore.
        spmd_context: the class of contexts inside of `shard_map`.
        sharding_context: the class of contexts of whole programs.
        user_frame: returns the user's frame of a traceback.
    """

    lower_function: Callable[..., None]
    rewrite_scalars: Callable[..., Any]
    compiler_params: Any
    core_type: Any
    physical_aval: Callable[[Any], Any]
    spmd_context: type[Any]
    sharding_context: type[Any]
    user_frame: Callable[[Any], Any]


@cache
def mesh_names() -> MeshNames:
    """Return the names for meshes.

    Raises:
        MissingName: JAX lacks one.
    """
    info = f"{_PALLAS}mosaic.tpu_info:"
    return MeshNames(
        _find(f"{info}registry"),
        _find(f"{info}get_tpu_info"),
        _find(f"{info}get_tpu_info_for_chip"),
        _find(f"{info}ChipVersion"),
        _find(f"{info}SparseCoreInfo"),
    )


@cache
def kernel_names() -> KernelNames:
    """Return the names for the lowering of kernels.

    Raises:
        MissingName: JAX lacks one.
    """
    primitive = _find(f"{_PALLAS}mpmd:mpmd_map_p")
    lowerings = _find("jax._src.interpreters.mlir:_lowerings")
    if primitive not in lowerings:
        raise _missing("lowering of mpmd_map for all platforms")
    return KernelNames(primitive, lowerings[primitive].rule)


@cache
def module_names() -> ModuleNames:
    """Return the names for the modules of kernels.

    Raises:
        MissingName: JAX lacks one.
    """
    core = f"{_PALLAS}mosaic.core:"
    return ModuleNames(
        _find(f"{_PALLAS}mosaic.lowering:lower_jaxpr_into_unpipelined_module"),
        _find(f"{_PALLAS}mosaic.pallas_call_registration:_rewrite_jaxpr_for_lowering"),
        _find(f"{core}CompilerParams"),
        _find(f"{core}CoreType"),
        _find("jax._src.core:physical_aval"),
        _find("jax._src.sharding_impls:SPMDAxisContext"),
        _find("jax._src.sharding_impls:ShardingContext"),
        _find("jax._src.source_info_util:user_frame"),
    )


def _find(name: str) -> Any:
    try:
        return pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        raise _missing(name.replace(":", ".")) from None


def _missing(what: str) -> MissingName:
    return MissingName(f"JAX {jax.__version__} has no {what}; expected JAX 0.10")
