"""The layer of keras-rs that is built on jax-tpu-embedding, `DistributedEmbedding`."""

from __future__ import annotations

import functools
import os
import sys
import warnings
from contextvars import ContextVar
from importlib.util import find_spec
from typing import Any

import jax

from sdykit.bridge.jax_tpu_embedding.registry import LIBRARY

ENVIRONMENT = "SDYKIT_KERAS_RS_AUTO"
"""Set to `sparsecore`, tables with `placement="auto"` are on the SparseCores of CPU devices too."""

_CHOOSING: ContextVar[bool] = ContextVar("placements are chosen", default=False)


def register(module: Any) -> None:
    """Allow tables with `placement="sparsecore"` on the SparseCores of CPU devices.

    The layer checks for TPUs by name before it places a table there; nothing else in it excludes
    CPU devices. Tables with `"auto"` stay on the default device, unless the environment has
    `SDYKIT_KERAS_RS_AUTO=sparsecore`: a model made for a CPU does not preprocess its batches for
    SparseCores.

    Args:
        module: the module `keras_rs.src.layers.embedding.base_distributed_embedding`.

    Warns:
        UserWarning: a layer that is being made started JAX, and has looked for TPUs already.
    """
    layer = module.DistributedEmbedding
    has_on_tpus, choose = layer._has_sparsecore, layer._init_feature_configs_structures

    @functools.wraps(choose)
    def _init_feature_configs_structures(self: Any, *arguments: Any, **options: Any) -> Any:
        token = _CHOOSING.set(True)
        try:
            return choose(self, *arguments, **options)
        finally:
            _CHOOSING.reset(token)

    def _has_sparsecore(self: Any) -> bool:
        if has_on_tpus(self):
            return True
        is_requested = not _CHOOSING.get() or os.environ.get(ENVIRONMENT) == "sparsecore"
        return is_requested and _has_on_cpus(module.keras.backend.backend())

    layer._init_feature_configs_structures = _init_feature_configs_structures
    layer._has_sparsecore = _has_sparsecore
    _warn_of_late_start()


def _warn_of_late_start() -> None:
    """Warn if a layer that looked for TPUs has started JAX, and thereby this plugin."""
    checking, choosing = "_has_sparsecore", "_init_feature_configs_structures"
    found: list[str] = []
    frame, level = sys._getframe(), 1
    while frame is not None and (not found or frame.f_globals["__name__"].startswith("keras")):
        if frame.f_code.co_name in (checking, choosing):
            found.append(frame.f_code.co_name)
        frame, level = frame.f_back, level + 1
    is_auto = choosing in found
    if not found or (is_auto and os.environ.get(ENVIRONMENT) != "sparsecore"):
        return
    result = "is on the default device" if is_auto else "finds no SparseCores"
    warnings.warn(
        f"sdykit: the first keras_rs.layers.DistributedEmbedding {result}, since it was made "
        "before JAX had started; call jax.devices() before you make it",
        stacklevel=level,
    )


def _has_on_cpus(backend: str) -> bool:
    """Return whether keras-rs can use SparseCores of CPUs, which needs JAX and the library."""
    return backend == "jax" and find_spec(LIBRARY) is not None and jax.default_backend() == "cpu"
