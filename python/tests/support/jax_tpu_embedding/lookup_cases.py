"""Calls of the library's lookup, and what the reference makes of them."""

from __future__ import annotations

import importlib
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from jax.core import ShapedArray
from jax.extend.core import Primitive

from sdykit.bridge.jax_tpu_embedding.primitives import lookups
from sdykit.bridge.jax_tpu_embedding.registry import MODULES
from sdykit.sparsecore import reference
from sdykit.sparsecore.quantization import Quantization
from support.jax_tpu_embedding.gradient_cases import LIMITS, Case

pytest.importorskip("jax_tpu_embedding", reason="jax-tpu-embedding is not installed")

PRIMITIVES = "jax_tpu_embedding.sparsecore.lib.core.primitives.sparse_dense_matmul_"
CONFIGS = (None, (-1.0, 1.0, 256), (-0.75, 1.5, 1000))
"""Of quantization: without, with buckets that 8 bits can number, and with more."""


def lowered(name: str) -> ModuleType:
    """Return a module of the library's primitives, with what the registry does to it."""
    found = importlib.import_module(PRIMITIVES + name)
    where, _, function = MODULES[PRIMITIVES + name].partition(":")
    getattr(importlib.import_module(where), function)(found)
    return found


def narrow_primitive() -> Primitive:
    """Return a lookup that takes tables of one dimension too, as a later version's does."""
    primitive = Primitive("sparse_dense_matmul_csr")
    primitive.def_abstract_eval(
        lambda *operands, device_batch_size, **_: ShapedArray(
            (device_batch_size, *operands[-1].shape[1:]), np.float32
        )
    )
    lookups.register(SimpleNamespace(tpu_sparse_dense_matmul_csr_primitive=primitive))  # pyright: ignore[reportArgumentType]
    return primitive


def options(case: Case, config: tuple[float, float, int] | None = None) -> dict[str, Any]:
    """Return the parameters of a lookup."""
    return {
        "device_batch_size": case.gradient.shape[1],
        "quantization_config": config,
        "enable_minibatching": case.is_minibatched,
        **LIMITS,
    }


def expected(case: Case, config: tuple[float, float, int] | None = None) -> np.ndarray:
    """Return the activations of all devices, as the reference has them."""
    quantization = None if config is None else Quantization(*config)
    found = reference.lookup(case.table, case.entries, quantization)
    return found.reshape(-1, found.shape[-1])
