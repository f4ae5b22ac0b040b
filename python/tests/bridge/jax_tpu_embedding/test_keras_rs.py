"""The layer of keras-rs: whom it believes to have SparseCores."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import jax
import pytest

from sdykit.bridge.jax_tpu_embedding import keras_rs


def make_module(backend: str, *, tpus: bool) -> Any:
    """Give a module with what `register` needs of keras-rs."""

    class DistributedEmbedding:
        def _has_sparsecore(self) -> bool:
            return tpus

    keras = SimpleNamespace(backend=SimpleNamespace(backend=lambda: backend))
    return SimpleNamespace(DistributedEmbedding=DistributedEmbedding, keras=keras)


def has_sparsecore(module: Any) -> bool:
    keras_rs.register(module)
    return module.DistributedEmbedding()._has_sparsecore()


def test_cpu_devices_have_sparse_cores() -> None:
    assert has_sparsecore(make_module("jax", tpus=False))


def test_other_backends_of_keras_stay_as_they_are() -> None:
    assert not has_sparsecore(make_module("torch", tpus=False))
    assert has_sparsecore(make_module("tensorflow", tpus=True))


def test_other_devices_of_jax_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    assert not has_sparsecore(make_module("jax", tpus=False))
    assert has_sparsecore(make_module("jax", tpus=True))


def test_without_the_library_there_is_no_layer_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keras_rs, "find_spec", lambda _: None)
    assert not has_sparsecore(make_module("jax", tpus=False))
