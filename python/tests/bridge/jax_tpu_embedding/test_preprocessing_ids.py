"""Ids and weights that the library's preprocessing would misread, or end the process for."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jax
import numpy as np
import pytest

from sdykit.bridge.jax_tpu_embedding import preprocessing
from sdykit.sparsecore import SparsecoreConfig, SparseCoreError
from sdykit.sparsecore.config import FLAGS

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


def _strided(ids: np.ndarray) -> np.ndarray:
    """Return samples that are every other element of an array."""
    samples = np.empty(SAMPLES, object)
    samples[:] = [np.repeat(sample, 2)[::2] for sample in ids]
    return samples


def _int64(ids: np.ndarray) -> np.ndarray:
    return ids.astype(np.int64)


def _objects(samples: list[Any]) -> np.ndarray:
    """Return an object array of one dimension, also for samples of equal length."""
    found = np.empty(len(samples), object)
    found[:] = samples
    return found


def _ragged(ids: np.ndarray) -> np.ndarray:
    samples = np.empty(len(ids), object)
    samples[:] = [sample[: 1 + place % VALENCY] for place, sample in enumerate(ids)]
    return samples


def _set_flags(monkeypatch: pytest.MonkeyPatch, **flags: Any) -> None:
    settings = replace(preprocessing.current(), config=SparsecoreConfig(**flags))
    monkeypatch.setattr(preprocessing, "current", lambda: settings)


def _call(ids: Any, weights: Any) -> Any:
    return library.preprocess_sparse_dense_matmul_input(
        [ids], [weights], [make_feature()], 1, 1, num_sc_per_device=CORES
    )


@pytest.mark.parametrize("shaped", [np.asarray, _ragged, _strided, _int64])
@pytest.mark.parametrize("wrong_id", [-1, VOCABULARY, 2**31 - 1, -(2**31)])
def test_an_id_outside_of_its_vocabulary_is_an_error_unless_a_flag_is_false(
    monkeypatch: pytest.MonkeyPatch, shaped: Callable[[np.ndarray], Any], wrong_id: int
) -> None:
    ids = make_ids()
    ids[23, 0] = wrong_id
    _set_flags(monkeypatch, xla_sparse_core_enable_id_bound_check=False)
    preprocess(shaped(ids), make_feature())
    _set_flags(monkeypatch)
    preprocess(shaped(make_ids()), make_feature())
    with pytest.raises(SparseCoreError) as found:
        preprocess(shaped(ids), make_feature())
    text = (
        f"feature 'feature', sample 23: id is {wrong_id}; expected one in [0, 64), the vocabulary "
        "of table 'table'"
    )
    assert str(found.value) == text
    with pytest.raises(SparseCoreError) as found:
        embedding.preprocess_sparse_dense_matmul_input_from_sparse_tensor(
            [np.argwhere(np.ones(ids.shape))[::-1]],
            [ids.reshape(-1)[::-1]],
            [np.array([SAMPLES, VALENCY])],
            [make_feature()],
            1,
            1,
            num_sc_per_device=CORES,
        )
    assert str(found.value) == text


def test_ids_of_64_bits_are_a_warning() -> None:
    ids = np.empty(SAMPLES, object)
    ids[:] = list(make_ids().astype(np.int64))
    text = (
        "sdykit: feature 'feature': the ids of sample 0 are an array of int64, whose memory "
        "jax-tpu-embedding reads as int32, so that they are wrong; expected int32"
    )
    with pytest.warns(UserWarning, match=f"^{text}$"):
        preprocess(ids, make_feature())


def test_ids_in_column_major_order_are_a_warning() -> None:
    with pytest.warns(UserWarning, match="^sdykit: feature 'feature': the ids are in column-major"):
        preprocess(np.asfortranarray(make_ids()), make_feature())
    found = preprocess(np.asfortranarray(make_ids()[:, :1]), make_feature())
    assert found, "the orders of a single column are the same"


def test_features_that_are_no_arrays_of_samples_are_errors() -> None:
    lists = np.empty(SAMPLES, object)
    lists[:] = [[1]] * SAMPLES
    of_lists = (
        "feature 'feature': the ids of sample 0 are a list; expected a 1-D numpy array, since the "
        "feature is an object array"
    )
    of_one_dimension = (
        f"feature 'feature': ids are int32[{SAMPLES}]; expected [samples,valency], or an object "
        "array of samples"
    )
    for ids, text in ((lists, of_lists), (make_ids()[:, 0], of_one_dimension)):
        with pytest.raises(SparseCoreError) as found:
            preprocess(ids, make_feature())
        assert str(found.value) == text
    with pytest.raises(SparseCoreError) as found:
        library.preprocess_sparse_dense_matmul_input(
            [make_ids()] * 2, [], [make_feature()], 1, 1, 4
        )
    assert str(found.value) == "features: there are 2; expected 1, as many as feature_specs"


def test_a_sample_that_is_no_vector_is_an_error() -> None:
    for sample, kind in (([1], "list"), (None, "NoneType"), (np.ones((1, 1)), "2-D numpy array")):
        ids = _objects(list(make_ids()))
        ids[5] = sample
        with pytest.raises(SparseCoreError, match=f"the ids of sample 5 are a {kind}; expected a"):
            preprocess(ids, make_feature())


def test_samples_without_ids_may_be_of_any_type() -> None:
    ids = _objects(list(make_ids()))
    ids[5] = np.array([])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        preprocess(ids, make_feature())


def test_weights_that_have_not_the_form_of_the_ids_are_an_error() -> None:
    ids, ones = make_ids(), np.ones((SAMPLES, VALENCY), np.float32)
    rows, row = _objects(list(ids)), _objects(list(ones))
    _call(ids, ones)
    _call(rows, row)
    wrong = [
        (
            ids,
            ones[:60],
            "the weights are a matrix [60,4]; expected the form of the ids, a matrix [64,4]",
        ),
        (
            ids,
            ones[:, :3],
            "the weights are a matrix [64,3]; expected the form of the ids, a matrix [64,4]",
        ),
        (rows, row[:60], "the weights are 60 samples; expected the form of the ids, 64 samples"),
        (rows, ones, "the weights are a matrix [64,4]; expected the form of the ids, 64 samples"),
    ]
    for features, weights, text in wrong:
        with pytest.raises(SparseCoreError) as error:
            _call(features, weights)
        assert str(error.value) == f"feature 'feature': {text}"
    short = row.copy()
    short[7] = ones[0, :1]
    with pytest.raises(SparseCoreError) as error:
        _call(rows, short)
    assert str(error.value) == (
        "feature 'feature': sample 7 has 4 ids and 1 weights; expected a weight for each id"
    )
    doubles = row.copy()
    doubles[9] = np.ones(VALENCY)
    with pytest.warns(UserWarning, match="the weights of sample 9 are an array of float64, whose"):
        _call(rows, doubles)


def test_ids_of_jax_may_have_weights_of_numpy() -> None:
    ids, weights = make_ids(), np.ones((SAMPLES, VALENCY), np.float32)
    *expected, _, _ = _call(ids, weights)
    *found, _, _ = _call(jax.numpy.asarray(ids), weights)
    assert entries_read(found, 1, 0, 1) == entries_read(expected, 1, 0, 1)
    with pytest.raises(SparseCoreError, match="sample 0: id is -"):
        _call(jax.numpy.asarray(ids) - VOCABULARY, weights)


@pytest.mark.parametrize(
    ("name", "value", "instead"),
    [
        ("allow_id_dropping", True, "pass allow_id_dropping to its preprocessing"),
        ("max_ids_per_chip_per_sample", 9, "set the limits of its tables"),
        ("disable_table_stacking", True, "stack tables with its functions, or do not"),
    ],
)
def test_a_setting_without_effect_on_the_library_is_a_warning(
    monkeypatch: pytest.MonkeyPatch, name: str, value: Any, instead: str
) -> None:
    _set_flags(monkeypatch, **{name: value})
    with pytest.warns(UserWarning, match="has no effect on jax-tpu-embedding") as caught:
        preprocess(make_ids(), make_feature())
    assert [str(each.message) for each in caught] == [
        f"sdykit: {name} is {value!r}, but has no effect on jax-tpu-embedding: {instead}"
    ]
    # Limits of tables bound those of partitions.
    bounds = {"max_ids_per_table", "max_unique_ids_per_table"}
    others = SparsecoreConfig.__dataclass_fields__.keys() - FLAGS - bounds
    assert preprocessing._OTHERS.keys() == others
