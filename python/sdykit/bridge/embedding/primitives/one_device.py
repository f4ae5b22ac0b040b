"""A primitive that says what a program may be compiled for: CPUs, those it was traced for."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
from jax.core import Tracer
from jax.extend.core import Primitive
from jax.interpreters import batching
from jax.interpreters import mlir as jax_mlir

from sdykit.bridge.embedding.axes import manual_axes
from sdykit.bridge.errors import BridgeError
from sdykit.mlir import ir


def check_devices(x: jax.Array, where: str) -> jax.Array:
    """Give `x`; a program over several devices that holds it outside of `shard_map` is an error.

    XLA would put the table together on every device, or give each program a part that it takes
    for the whole. A program for other devices than CPUs is an error, too.

    Args:
        x: an array without a gradient.
        where: the function, for the error.
    """
    return _check.bind(x, where=where)


_check = Primitive("sdykit_check_devices")
_check.def_abstract_eval(lambda x, **_: x)


@partial(jax.jit, static_argnames="where")
def _compiled(x: jax.Array, where: str) -> jax.Array:
    return _check.bind(x, where=where)


@_check.def_impl
def _run(x: jax.Array, *, where: str) -> jax.Array:
    # Where `jax.disable_jit` holds, this would be called for itself.
    with jax.disable_jit(False):
        return _compiled(x, where=where)


def _batch(args: Any, dims: Any, *, where: str) -> tuple[Any, Any]:
    return _check.bind(*args, where=where), dims[0]


batching.primitive_batchers[_check] = _batch


def check_array(x: jax.Array, where: str) -> None:
    """Check that an array is on one device, if it is known; see `check_devices`.

    Raises:
        BridgeError: it is on several. Outside of `jax.jit` each operation is a program for itself.
    """
    # What a function in `shard_map` closes over is no tracer, and other checks are for it.
    if not isinstance(x, Tracer) and len(x.devices()) > 1 and not manual_axes():
        raise _several(where, len(x.devices()))


def check_context(context: Any, where: str) -> None:
    """Check where a primitive is lowered.

    Args:
        context: of JAX's lowering.
        where: the function, for the error.

    Raises:
        BridgeError: the program is for several devices, and this is not in `shard_map`.
    """
    # In `shard_map` this is an SPMDAxisContext, which has no number of devices.
    place = context.module_context.axis_context
    devices = getattr(place, "num_devices", None) or 1
    if devices > 1:
        raise _several(where, devices)


def _several(where: str, devices: int) -> BridgeError:
    return BridgeError(
        f"{where}: the program runs on {devices} devices without jax.shard_map; expected "
        "jax.shard_map, in which each device has its part of table and batch"
    )


def _lower(context: Any, x: ir.Value, *, where: str) -> list[ir.Value]:
    check_context(context, where)
    platforms = context.platforms or context.module_context.platforms
    # One for several may choose, with `jax.lax.platform_dependent`.
    if "cpu" not in platforms:
        raise BridgeError(
            f"{where}: the program is compiled for {' and '.join(platforms)}; expected cpu, whose "
            "devices play the chip"
        )
    return [x]


jax_mlir.register_lowering(_check, _lower)
