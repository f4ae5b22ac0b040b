"""The layer of keras-rs: on which devices it finds SparseCores."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Any

import jax
import pytest

from sdykit.bridge.jax_tpu_embedding import keras_rs


def make_module(backend: str, *, tpus: bool) -> Any:
    """Return a module with what `register` needs of keras-rs."""

    class DistributedEmbedding:
        def _has_sparsecore(self) -> bool:
            return tpus

        def _init_feature_configs_structures(self, placement: str) -> bool:
            return placement == "sparsecore" or self._has_sparsecore()

    keras = SimpleNamespace(backend=SimpleNamespace(backend=lambda: backend))
    return SimpleNamespace(DistributedEmbedding=DistributedEmbedding, keras=keras)


def has_sparsecore(module: Any) -> bool:
    keras_rs.register(module)
    return module.DistributedEmbedding()._has_sparsecore()


def test_cpu_devices_have_sparse_cores() -> None:
    assert has_sparsecore(make_module("jax", tpus=False))


@pytest.mark.parametrize("tpus", [False, True])
@pytest.mark.parametrize("requested", [False, True])
def test_placement_auto_is_unchanged_unless_requested(
    monkeypatch: pytest.MonkeyPatch, tpus: bool, requested: bool
) -> None:
    monkeypatch.setenv(keras_rs.ENVIRONMENT, "sparsecore" if requested else "")
    module = make_module("jax", tpus=tpus)
    keras_rs.register(module)
    layer = module.DistributedEmbedding()
    assert layer._init_feature_configs_structures("auto") == (tpus or requested)
    assert layer._init_feature_configs_structures("sparsecore")
    assert layer._has_sparsecore(), "the check of placement='sparsecore'"


LATE = {
    "_has_sparsecore": (
        "sdykit: the first keras_rs.layers.DistributedEmbedding finds no SparseCores, since it "
        "was made before JAX had started; call jax.devices() before you make it"
    ),
    "_init_feature_configs_structures": None,
}


@pytest.mark.parametrize(("method", "warning"), LATE.items())
def test_a_layer_that_starts_jax_is_a_warning(method: str, warning: str | None) -> None:
    module = make_module("jax", tpus=False)
    layer = module.DistributedEmbedding

    def starts_jax(self: Any, *_: Any) -> bool:
        keras_rs.register(module)  # The plugin does so while the layer waits for devices.
        return False

    starts_jax.__code__ = starts_jax.__code__.replace(co_name=method)
    setattr(layer, method, starts_jax)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        assert not getattr(layer(), method)()
    assert [str(each.message) for each in found] == ([warning] if warning else [])


def test_other_backends_of_keras_are_unchanged() -> None:
    assert not has_sparsecore(make_module("torch", tpus=False))
    assert has_sparsecore(make_module("tensorflow", tpus=True))


def test_other_devices_of_jax_are_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    assert not has_sparsecore(make_module("jax", tpus=False))
    assert has_sparsecore(make_module("jax", tpus=True))


def test_without_the_library_cpus_have_no_sparse_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keras_rs, "find_spec", lambda _: None)
    assert not has_sparsecore(make_module("jax", tpus=False))
