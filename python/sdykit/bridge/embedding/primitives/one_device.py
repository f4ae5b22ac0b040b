"""A JAX primitive that checks the devices that a program is compiled for."""

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
    """Return `x`; it is an error to compile it for several devices outside of `shard_map`.

    XLA would gather the table on every device, or pass each program a part in place of the whole.
    It is also an error to compile it for other devices than CPUs.

    Args:
        x: an array without a gradient.
        where: the name of the function, for the error.
    """
    return _check.bind(x, where=where)


_check = Primitive("sdykit_check_devices")
_check.def_abstract_eval(lambda x, **_: x)


@partial(jax.jit, static_argnames="where")
def _compiled(x: jax.Array, where: str) -> jax.Array:
    return _check.bind(x, where=where)


@_check.def_impl
def _run(x: jax.Array, *, where: str) -> jax.Array:
    # Under `jax.disable_jit` this would call itself.
    with jax.disable_jit(False):
        return _compiled(x, where=where)


def _batch(args: Any, dims: Any, *, where: str) -> tuple[Any, Any]:
    return _check.bind(*args, where=where), dims[0]


batching.primitive_batchers[_check] = _batch


def check_array(x: jax.Array, where: str) -> None:
    """Check that an array is on one device, if its devices are known; see `check_devices`.

    Raises:
        BridgeError: it is on several: outside of `jax.jit` each operation is a program of its own.
    """
    # Arrays that a function in `shard_map` closes over are no tracers either; others check them.
    if not isinstance(x, Tracer) and len(x.devices()) > 1 and not manual_axes():
        raise _several(where, len(x.devices()))


def check_context(context: Any, where: str) -> None:
    """Check that a primitive is lowered for one device, or in a `shard_map`.

    Args:
        context: the context of JAX's lowering.
        where: the name of the function, for the error.

    Raises:
        BridgeError: it is lowered for several devices outside of `shard_map`.
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
    # A program for several platforms may choose, with `jax.lax.platform_dependent`.
    if "cpu" not in platforms:
        raise BridgeError(
            f"{where}: the program is compiled for {' and '.join(platforms)}; expected cpu, whose "
            "devices simulate the chip"
        )
    return [x]


jax_mlir.register_lowering(_check, _lower)
