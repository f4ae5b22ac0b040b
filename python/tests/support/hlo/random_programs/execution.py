"""Run HLO text on XLA's CPU client, and compare results bit for bit.

jaxlib's parser and compiler end the process on some texts, so only verified programs
without asynchronous chains are run.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jaxlib import xla_client

from sdykit import hlo
from sdykit.core import Severity
from sdykit.hlo.async_ops import is_async
from sdykit.hlo.verify import verify

_hlo: Any = importlib.import_module("jaxlib._hlo")
_jax: Any = importlib.import_module("jaxlib._jax")

Arrays = list[np.ndarray]


def execute(text: str, inputs: Sequence[object]) -> Arrays:
    """Return the result of the entry computation of HLO text; a tuple as its elements."""
    _check(text)
    module = _hlo.hlo_module_from_text(text)
    computation = _hlo.XlaComputation(module.as_serialized_hlo_module_proto())
    mlir = _jax.mlir.xla_computation_to_mlir_module(computation)
    device: Any = jax.devices("cpu")[0]
    devices = xla_client.DeviceList((device,))
    executable = device.client.compile_and_load(mlir, devices, _options())
    placed = [jax.device_put(array, device) for array in inputs]
    return [np.asarray(array) for array in executable.execute(placed)]


def same_bits(found: Arrays, wanted: Arrays) -> bool:
    """Whether two results agree in number, types, shapes and every bit."""
    return len(found) == len(wanted) and all(
        a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
        for a, b in zip(found, wanted, strict=True)
    )


def _check(text: str) -> None:
    module = hlo.read(text)
    problems = [found for found in verify(module) if found.severity is Severity.ERROR]
    assert not problems, problems
    assert not any(is_async(op) for computation in module for op in computation)


def _options() -> Any:
    options = xla_client.CompileOptions()
    # A program is run only once: the time to compile it matters more.
    options.executable_build_options.debug_options.xla_backend_optimization_level = 0
    return options
