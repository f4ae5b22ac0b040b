"""Batches that the library's preprocessing takes as they are, and those of a wrong size."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
import pytest

from sdykit.sparsecore import SparseCoreError

pytest.importorskip("jax_tpu_embedding")

from jax_tpu_embedding.sparsecore.lib.core import (
    pybind_input_preprocessing as library,  # pyright: ignore[reportAttributeAccessIssue]
)
from jax_tpu_embedding.sparsecore.lib.nn import embedding

from support.jax_tpu_embedding.preprocessing_calls import (
    CORES,
    SAMPLES,
    VALENCY,
    VOCABULARY,
    PlainFunctions,
    check_anew,
    entries_read,
    make_feature,
    make_ids,
    preprocess,
)


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> PlainFunctions:
    return check_anew(monkeypatch)


@pytest.mark.parametrize("devices", [1, 2])
@pytest.mark.parametrize("minibatching", [False, True])
@pytest.mark.parametrize("limits", [{}, {"max_ids_per_partition": 8, "buffer": 2048}])
def test_a_valid_batch_has_the_librarys_entries_and_no_warning(
    plain: PlainFunctions, devices: int, minibatching: bool, limits: dict[str, int]
) -> None:
    if limits and not minibatching:
        limits = {"max_ids_per_partition": 32, "buffer": 384}
    feature = make_feature(devices=devices, **limits)
    ids = np.random.default_rng(0).integers(0, VOCABULARY, (SAMPLES, VALENCY), np.int32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found, _ = preprocess(ids, feature, devices=devices, enable_minibatching=minibatching)
    *expected, count, _ = plain["preprocess_sparse_dense_matmul_input"](
        [ids],
        None,
        [feature],
        devices,
        devices,
        num_sc_per_device=CORES,
        enable_minibatching=minibatching,
    )
    assert (found.num_minibatches == count).all()
    for device in range(devices):
        mine = entries_read(found.sparse_dense_matmul_input, devices, device, int(count))
        assert mine == entries_read(expected, devices, device, int(count))


def _ragged(ids: np.ndarray) -> np.ndarray:
    samples = np.empty(len(ids), object)
    samples[:] = [sample[: 1 + place % VALENCY] for place, sample in enumerate(ids)]
    return samples


@pytest.mark.parametrize("shaped", [np.asarray, _ragged])
@pytest.mark.parametrize(("times", "devices"), [(2, 1), (2, 4), (0.5, 1), (0.5, 4)])
def test_a_batch_of_another_size_is_an_error(shaped: Any, times: float, devices: int) -> None:
    found = int(times * SAMPLES)
    ids = np.zeros((found, VALENCY), np.int32)
    with pytest.raises(SparseCoreError) as error:
        preprocess(shaped(ids), make_feature(devices=devices), devices=devices)
    text = (
        f"feature 'feature': there are {found} samples; expected 64, as the output_shape of its "
        "FeatureSpec is (64, 8). Change that, and prepare the specs again, or the batch"
    )
    assert str(error.value) == text
    with pytest.raises(SparseCoreError) as error:
        embedding.preprocess_sparse_dense_matmul_input_from_sparse_tensor(
            [np.argwhere(np.ones(ids.shape))],
            [ids.reshape(-1)],
            [np.array(ids.shape)],
            [make_feature(devices=devices)],
            devices,
            devices,
            num_sc_per_device=CORES,
        )
    assert str(error.value) == text


def test_each_process_passes_its_part_of_the_batch() -> None:
    feature = make_feature(devices=4)
    rest = (None, [feature], 2, 4)
    run = partial(library.preprocess_sparse_dense_matmul_input, num_sc_per_device=CORES)
    run([make_ids()[: SAMPLES // 2]], *rest)
    with pytest.raises(SparseCoreError) as error:
        run([make_ids()], *rest)
    assert str(error.value) == (
        "feature 'feature': there are 64 samples on the 2 of 4 devices that are here; expected 32, "
        "as the output_shape of its FeatureSpec is (64, 8). Change that, and prepare the specs "
        "again, or the batch"
    )


@pytest.mark.parametrize("samples", [31, 0])
def test_samples_that_sparse_cores_cannot_share_evenly_are_an_error(samples: int) -> None:
    with pytest.raises(SparseCoreError) as error:
        preprocess(make_ids()[:samples], make_feature(devices=3), devices=3)
    assert str(error.value) == (
        f"feature 'feature': there are {samples} samples; expected a positive multiple of 12, as "
        "3 devices of 4 SparseCores share them evenly. Pad the batch or leave its rest out, and set "
        "output_shape of the FeatureSpec to the samples of all devices"
    )


def test_a_call_with_missing_arguments_is_the_librarys_error(plain: PlainFunctions) -> None:
    for name, function in plain.items():
        with pytest.raises(TypeError) as mine:
            getattr(library, name)([make_ids()])
        with pytest.raises(TypeError) as theirs:
            function([make_ids()])
        assert str(mine.value) == str(theirs.value)
        assert getattr(library, name).__doc__ == function.__doc__
