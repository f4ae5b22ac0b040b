"""The layer of keras-rs: whom it believes to have SparseCores."""

from __future__ import annotations

import warnings
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
@pytest.mark.parametrize("said", [False, True])
def test_placement_auto_stays_as_it_is_unless_said(
    monkeypatch: pytest.MonkeyPatch, tpus: bool, said: bool
) -> None:
    monkeypatch.setenv(keras_rs.ENVIRONMENT, "sparsecore" if said else "")
    module = make_module("jax", tpus=tpus)
    keras_rs.register(module)
    layer = module.DistributedEmbedding()
    assert layer._init_feature_configs_structures("auto") == (tpus or said)
    assert layer._init_feature_configs_structures("sparsecore")
    assert layer._has_sparsecore(), "what `sparsecore` asks when it is chosen"


LATE = {
    "_has_sparsecore": (
        "sdykit: the first keras_rs.layers.DistributedEmbedding finds no SparseCores, as JAX had "
        "not started before it was made; expected a call of jax.devices() before"
    ),
    "_init_feature_configs_structures": None,
}


@pytest.mark.parametrize(("asked", "told"), LATE.items())
def test_a_layer_that_starts_jax_is_told(asked: str, told: str | None) -> None:
    module = make_module("jax", tpus=False)
    layer = module.DistributedEmbedding

    def starts_jax(self: Any, *_: Any) -> bool:
        keras_rs.register(module)  # As the plugin does, while the layer waits for devices.
        return False

    starts_jax.__code__ = starts_jax.__code__.replace(co_name=asked)
    setattr(layer, asked, starts_jax)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        assert not getattr(layer(), asked)()
    assert [str(each.message) for each in found] == ([told] if told else [])


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
