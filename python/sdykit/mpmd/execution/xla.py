"""Compile StableHLO for several CPU devices, and run it on arrays that they hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax._src import core
from jax._src.interpreters import pxla
from jax.sharding import NamedSharding
from jaxlib import xla_client

from sdykit.spmd.devices.client import XlaError


@dataclass(frozen=True)
class Result:
    """A result of a program."""

    shape: tuple[int, ...]
    """Its global shape."""
    dtype: np.dtype
    sharding: NamedSharding
    """Where its parts are."""

    def maker(self) -> Any:
        """Return a function that makes an array of its parts, without checks."""
        aval = core.ShapedArray(self.shape, self.dtype)
        return pxla.global_aval_to_result_handler(aval, self.sharding, committed=True)


class Compiled:
    """A program for the devices of a mesh."""

    def __init__(self, text: str, devices: Sequence[Any], results: Sequence[Result]) -> None:
        """Compile a program.

        Args:
            text: a StableHLO module with shardings of Shardy, whose `@main` is compiled. XLA
                consumes the arguments that it marks with `tf.aliasing_output`.
            devices: the devices of the mesh, in its order.
            results: the results of `@main`.

        Raises:
            XlaError: XLA rejects the program.
        """
        self._results = list(results)
        self._makers = [each.maker() for each in results]
        self._has_run = False
        try:
            self._executable = devices[0].client.compile_and_load(
                text, xla_client.DeviceList(tuple(devices)), _options(devices)
            )
        except jax.errors.JaxRuntimeError as error:
            raise XlaError(str(error).strip()) from None

    def run(self, arrays: Sequence[jax.Array]) -> list[jax.Array]:
        """Run the program, and return its results when they are there.

        Raises:
            XlaError: it fails.
        """
        try:
            parts = self._executable.execute_sharded(list(arrays))
            if self._has_run:
                return jax.block_until_ready(parts.consume_with_handlers(self._makers))
            return self._first_results(parts.disassemble_into_single_device_arrays())
        except jax.errors.JaxRuntimeError as error:
            raise XlaError(str(error).strip()) from None

    def _first_results(self, parts: Sequence[Any]) -> list[jax.Array]:
        """Return the results of the first run; JAX checks that the parts are as expected.

        In later runs they are the same, and the check would take longer than a small program.
        """
        made = [
            jax.make_array_from_single_device_arrays(result.shape, result.sharding, each)
            for result, each in zip(self._results, parts, strict=True)
        ]
        self._has_run = True
        return jax.block_until_ready(made)


def _options(devices: Sequence[Any]) -> Any:
    options = xla_client.CompileOptions()
    build = options.executable_build_options
    options.num_replicas = build.num_replicas = 1
    options.num_partitions = build.num_partitions = len(devices)
    build.use_spmd_partitioning = True
    build.use_shardy_partitioner = True
    ids = np.array([[device.id for device in devices]])
    build.device_assignment = xla_client.DeviceAssignment.create(ids)
    return options
