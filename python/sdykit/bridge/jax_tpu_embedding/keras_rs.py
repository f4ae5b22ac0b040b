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
"""With `sparsecore`, tables with `placement="auto"` are on the SparseCores of CPU devices too."""

_CHOOSING: ContextVar[bool] = ContextVar("placements are chosen", default=False)


def register(module: Any) -> None:
    """Let tables with `placement="sparsecore"` be on the SparseCores of CPU devices.

    The layer asks for TPUs by name before it places a table there; nothing else in it keeps it
    from CPU devices. Tables with `"auto"` stay where they are without this, unless
    `SDYKIT_KERAS_RS_AUTO=sparsecore` says otherwise: a model made for a CPU does not preprocess
    its batches for SparseCores.

    Args:
        module: `keras_rs.src.layers.embedding.base_distributed_embedding`.

    Warns:
        UserWarning: a layer is being made, which started JAX, and has its answer already.
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
        is_asked_for = not _CHOOSING.get() or os.environ.get(ENVIRONMENT) == "sparsecore"
        return is_asked_for and _has_on_cpus(module.keras.backend.backend())

    layer._init_feature_configs_structures = _init_feature_configs_structures
    layer._has_sparsecore = _has_sparsecore
    _warn_of_late_start()


def _warn_of_late_start() -> None:
    """Warn if the layer's question for TPUs is what started JAX, and so this plugin."""
    asking, choosing = "_has_sparsecore", "_init_feature_configs_structures"
    found: list[str] = []
    frame, level = sys._getframe(), 1
    while frame is not None and (not found or frame.f_globals["__name__"].startswith("keras")):
        if frame.f_code.co_name in (asking, choosing):
            found.append(frame.f_code.co_name)
        frame, level = frame.f_back, level + 1
    is_auto = choosing in found
    if not found or (is_auto and os.environ.get(ENVIRONMENT) != "sparsecore"):
        return
    what = "is on the default device" if is_auto else "finds no SparseCores"
    warnings.warn(
        f"sdykit: the first keras_rs.layers.DistributedEmbedding {what}, as JAX had not started "
        "before it was made; expected a call of jax.devices() before",
        stacklevel=level,
    )


def _has_on_cpus(backend: str) -> bool:
    """Without the library keras-rs has no layer for SparseCores, as with its other backends."""
    return backend == "jax" and find_spec(LIBRARY) is not None and jax.default_backend() == "cpu"
