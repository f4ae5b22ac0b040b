"""The layer of keras-rs that is built on jax-tpu-embedding, `DistributedEmbedding`."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import jax

from sdykit.bridge.jax_tpu_embedding.registry import LIBRARY


def register(module: Any) -> None:
    """Let the layer see the SparseCores of CPU devices.

    It asks for TPUs by name before it places a table with `placement="sparsecore"` or `"auto"`;
    nothing else in it keeps it from CPU devices.

    Args:
        module: `keras_rs.src.layers.embedding.base_distributed_embedding`.
    """
    layer = module.DistributedEmbedding
    has_on_tpus = layer._has_sparsecore

    def _has_sparsecore(self: Any) -> bool:
        return has_on_tpus(self) or _has_on_cpus(module.keras.backend.backend())

    layer._has_sparsecore = _has_sparsecore


def _has_on_cpus(backend: str) -> bool:
    """Without the library keras-rs has no layer for SparseCores, as with its other backends."""
    return backend == "jax" and find_spec(LIBRARY) is not None and jax.default_backend() == "cpu"
