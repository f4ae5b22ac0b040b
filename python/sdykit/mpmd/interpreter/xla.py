"""Compile StableHLO and run it on one device, with XLA's CPU client."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import jax
import numpy as np
from jax.extend import backend
from jaxlib import xla_client

from sdykit.errors import SdykitError


class XlaError(SdykitError):
    """XLA rejects a computation, or fails while it runs; the text is XLA's."""


def run(text: str, arrays: Sequence[jax.Array]) -> list[jax.Array]:
    """Run `@main` of a StableHLO module; each distinct text is compiled once.

    Raises:
        XlaError: it cannot be compiled, or fails.
    """
    try:
        return jax.block_until_ready(_executable(text).execute(list(arrays)))
    except jax.errors.JaxRuntimeError as error:
        raise XlaError(str(error).strip()) from None


def to_device(array: np.ndarray) -> jax.Array:
    """Return an array on the device with its own dtype: JAX would narrow 64 bits to 32."""
    with jax.enable_x64(True):
        return jax.device_put(array, _device())


def to_numpy(array: jax.Array) -> np.ndarray:
    """Return a copy of an array on the host."""
    return np.array(array)


@cache
def _device() -> Any:
    try:
        return backend.get_backend("cpu").local_devices()[0]
    except (AssertionError, RuntimeError):  # JAX asserts that there is a device.
        raise XlaError("JAX has no CPU device; JAX_PLATFORMS may exclude it") from None


@lru_cache(maxsize=1024)
def _executable(text: str) -> Any:
    options = xla_client.CompileOptions()
    # Most fragments run once, so compile time matters more than run time.
    options.executable_build_options.debug_options.xla_backend_optimization_level = 0
    devices = xla_client.DeviceList((_device(),))
    return _device().client.compile_and_load(text, devices, options)
