"""What the library's preprocessing hides, seen through the plugin."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from sdykit.bridge.jax_tpu_embedding import preprocessing, warn
from sdykit.sparsecore import SparsecoreConfig, SparseCoreError, System
from sdykit.sparsecore.errors import LimitExceeded
from sdykit.sparsecore.limits.statistics import StackTotals

pytest.importorskip("jax_tpu_embedding")

from jax_tpu_embedding.sparsecore.lib.core import (
    pybind_input_preprocessing as library,  # pyright: ignore[reportAttributeAccessIssue]
)
from jax_tpu_embedding.sparsecore.lib.nn import embedding, embedding_spec
from jax_tpu_embedding.sparsecore.utils import utils

CORES, SAMPLES, VALENCY, VOCABULARY = 4, 64, 4, 64
ONE = System(1, CORES)


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> dict[str, Callable[..., Any]]:
    """The library's own functions, which are watched during a test, whatever ran before it."""
    monkeypatch.setattr(utils, "NUM_SC_PER_DEVICE_MAP", {"TPU v5p": CORES})
    monkeypatch.setattr(warn, "_told", set())
    found = {name: getattr(library, name) for name in preprocessing._FIRST}
    found = {name: getattr(each, "__wrapped__", each) for name, each in found.items()}
    for name, each in found.items():
        monkeypatch.setattr(library, name, each)
    preprocessing.register(library)
    return found


def make_feature(*, devices: int = 1, buffer: int | None = None, **limits: int) -> Any:
    spec: Any = embedding_spec.TableSpec  # With types that do not fit a dictionary.
    table = spec(
        vocabulary_size=VOCABULARY,
        embedding_dim=8,
        initializer=jax.nn.initializers.zeros,
        optimizer=embedding_spec.SGDOptimizerSpec(0.1),
        combiner="sum",
        name="table",
        suggested_coo_buffer_size_per_device=buffer,
        **limits,
    )
    feature = embedding_spec.FeatureSpec(
        name="feature",
        table_spec=table,
        input_shape=(SAMPLES, VALENCY),
        output_shape=(SAMPLES, 8),
    )
    embedding.prepare_feature_specs_for_training([feature], devices, CORES)
    return feature


def make_ids(seed: int = 0) -> np.ndarray:
    """Ids of which some are frequent."""
    ids = np.random.default_rng(seed).zipf(1.2, (SAMPLES, VALENCY)) % VOCABULARY
    return ids.astype(np.int32)


def preprocess(ids: Any, feature: Any, *, devices: int = 1, **options: Any) -> Any:
    return embedding.preprocess_sparse_dense_matmul_input(
        [ids], None, [feature], devices, devices, num_sc_per_device=CORES, **options
    )


def totals(system: System = ONE) -> StackTotals:
    """What was counted of the table so far."""
    found = preprocessing.statistics()
    if system not in found:
        nothing = np.zeros((1, 1), np.int64)
        return StackTotals(nothing, nothing, nothing, 0)
    return found[system].stacks["table"]


@pytest.mark.parametrize("devices", [1, 2])
@pytest.mark.parametrize("minibatching", [False, True])
@pytest.mark.parametrize("limits", [{}, {"max_ids_per_partition": 8, "buffer": 2048}])
def test_what_is_right_is_the_same_and_silent(
    plain: dict[str, Callable[..., Any]], devices: int, minibatching: bool, limits: dict[str, int]
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
        mine = _entries(found.sparse_dense_matmul_input, devices, device, int(count))
        assert mine == _entries(expected, devices, device, int(count))


def _entries(buffers: Any, devices: int, device: int, minibatches: int) -> list[tuple[bytes, ...]]:
    """Give what a lookup reads of a device; the rest of the buffers is uninitialised."""
    pointers, *entries = [each["table"].reshape(devices, -1)[device] for each in buffers]
    width = max(CORES * devices, 8)
    found, end = [], 0
    for segment in range(CORES * minibatches):
        # With minibatches positions are of the device, without of the SparseCore.
        base = segment * (entries[0].size // CORES) if pointers.size == CORES * width else 0
        end = 0 if base else end
        for last in pointers[segment * width :][: CORES * devices]:
            start = base + -(-end // 8) * 8
            end = int(last)
            found.append(tuple(each[start : base + end].tobytes() for each in entries))
    return found


def test_limits_are_errors() -> None:
    before = totals().dropped
    with pytest.raises(LimitExceeded) as ids:
        preprocess(make_ids(), make_feature(max_ids_per_partition=8))
    assert str(ids.value) == (
        "table 'table': a SparseCore of device 0 sends 22 ids to partition 1; compiled for 8 "
        "(max_ids_per_partition)"
    )
    with pytest.raises(LimitExceeded) as unique:
        preprocess(make_ids(), make_feature(devices=2, max_unique_ids_per_partition=1), devices=2)
    assert str(unique.value) == (
        "table 'table': a SparseCore of device 1 sends 5 unique ids to partition 2; compiled for 1 "
        "(max_unique_ids_per_partition)"
    )
    for buffer in (None, 128):
        with pytest.raises(LimitExceeded) as buckets:
            preprocess(
                make_ids(),
                make_feature(max_ids_per_partition=8, buffer=buffer),
                enable_minibatching=True,
            )
        assert str(buckets.value) == (
            "table 'table': 3 ids do not fit even in 64 minibatches, as max_ids_per_partition is 8 "
            "for each. Raise that in the TableSpec (max_ids_per_partition=22 are enough without "
            "minibatches), or allow_id_dropping"
        )
    assert totals().dropped == before, "a batch that is an error is none"


def test_a_buffer_that_is_too_large() -> None:
    for minibatching, most in ((False, 256), (True, 256 * 64)):
        feature = make_feature(max_ids_per_partition=9, buffer=most + 8)
        with pytest.raises(SparseCoreError) as found:
            preprocess(make_ids(), feature, enable_minibatching=minibatching)
        assert str(found.value) == (
            f"table 'table': suggested_coo_buffer_size_per_device is {most + 8}; expected at most "
            f"{most}, as many as 9 (max_ids_per_partition) can fill"
        )


def test_dropping_that_is_allowed_is_counted() -> None:
    before = totals()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _, counts = preprocess(
            make_ids(), make_feature(max_ids_per_partition=8), allow_id_dropping=True
        )
    after = totals()
    assert counts.id_drop_counters["table"] == after.dropped - before.dropped > 0
    assert (after.max_ids >= counts.max_ids_per_partition["table"]).all()


@pytest.mark.parametrize(
    ("minibatching", "limit", "needed"), [(False, 256, 320), (True, 256, 320), (True, 16, 768)]
)
def test_a_buffer_that_is_too_small(minibatching: bool, limit: int, needed: int) -> None:
    def run(buffer: int) -> tuple[int, list[str]]:
        before = totals().dropped
        feature = make_feature(buffer=buffer, max_ids_per_partition=limit)
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            for _ in range(2):
                preprocess(make_ids(), feature, enable_minibatching=minibatching)
        assert all(each.filename == __file__ for each in found)
        return totals().dropped - before, [str(each.message) for each in found]

    dropped, told = run(128)
    assert told == [
        f"sdykit: table 'table': jax-tpu-embedding drops {dropped // 2} ids of this batch, "
        "although allow_id_dropping is false: the buffer of a device has 128 entries; expected "
        f"{needed} (suggested_coo_buffer_size_per_device)"
    ], "once for a line, however often it is run"
    # What it says is enough.
    assert run(needed) == (0, [])


def test_statistics_of_several_devices() -> None:
    steps = [preprocess(make_ids(seed), make_feature(devices=2), devices=2)[1] for seed in range(3)]
    stack = totals(System(2, CORES))
    assert stack.max_ids.shape == stack.max_unique_ids.shape == (2, 8)
    assert stack.required_buffer_size.shape == (8,)
    for step in steps:
        assert (stack.max_ids.reshape(-1) >= step.max_ids_per_partition["table"]).all()


def test_ids_that_are_misread() -> None:
    ids = np.empty(SAMPLES, object)
    ids[:] = list(make_ids().astype(np.int64))
    text = (
        "sdykit: feature 'feature': the ids of sample 0 are an array of int64, whose memory "
        "jax-tpu-embedding reads as int32, so that they are wrong; expected int32"
    )
    with pytest.warns(UserWarning, match=f"^{text}$"):
        preprocess(ids, make_feature())


def test_features_that_would_end_the_process() -> None:
    lists = np.empty(SAMPLES, object)
    lists[:] = [[1]] * SAMPLES
    of_lists = (
        "feature 'feature': the ids of sample 0 are a list; expected a 1-D numpy array, as the "
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


def _strided(ids: np.ndarray) -> np.ndarray:
    """Samples that are every other element of an array."""
    samples = np.empty(SAMPLES, object)
    samples[:] = [np.repeat(sample, 2)[::2] for sample in ids]
    return samples


def _int64(ids: np.ndarray) -> np.ndarray:
    return ids.astype(np.int64)


def _objects(samples: list[Any]) -> np.ndarray:
    """An object array of one dimension, also where samples have one length."""
    found = np.empty(len(samples), object)
    found[:] = samples
    return found


def _ragged(ids: np.ndarray) -> np.ndarray:
    samples = np.empty(len(ids), object)
    samples[:] = [sample[: 1 + place % VALENCY] for place, sample in enumerate(ids)]
    return samples


@pytest.mark.parametrize("shaped", [np.asarray, _ragged, _strided, _int64])
@pytest.mark.parametrize("bad", [-1, VOCABULARY, 2**31 - 1, -(2**31)])
def test_ids_outside_of_the_vocabulary(
    monkeypatch: pytest.MonkeyPatch, shaped: Callable[[np.ndarray], Any], bad: int
) -> None:
    ids = make_ids()
    ids[23, 0] = bad
    _set_flags(monkeypatch, xla_sparse_core_enable_id_bound_check=False)
    preprocess(shaped(ids), make_feature())
    _set_flags(monkeypatch)
    preprocess(shaped(make_ids()), make_feature())
    with pytest.raises(SparseCoreError) as found:
        preprocess(shaped(ids), make_feature())
    text = (
        f"feature 'feature', sample 23: id is {bad}; expected one in [0, 64), the vocabulary of "
        "table 'table'"
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


def _set_flags(monkeypatch: pytest.MonkeyPatch, **flags: Any) -> None:
    settings = replace(preprocessing.current(), config=SparsecoreConfig(**flags))
    monkeypatch.setattr(preprocessing, "current", lambda: settings)


@pytest.mark.parametrize("shaped", [np.asarray, _ragged])
@pytest.mark.parametrize(("times", "devices"), [(2, 1), (2, 4), (0.5, 1), (0.5, 4)])
def test_a_batch_of_another_size(shaped: Any, times: float, devices: int) -> None:
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


def test_the_part_of_a_batch_that_a_process_has() -> None:
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
def test_a_last_batch_that_sparse_cores_cannot_share(samples: int) -> None:
    with pytest.raises(SparseCoreError) as error:
        preprocess(make_ids()[:samples], make_feature(devices=3), devices=3)
    assert str(error.value) == (
        f"feature 'feature': there are {samples} samples; expected a positive multiple of 12, as "
        "3 devices of 4 SparseCores share them evenly. Pad the batch or leave its rest out, and set output_shape "
        "of the FeatureSpec to the samples of all devices"
    )


def _call(ids: Any, weights: Any) -> Any:
    return library.preprocess_sparse_dense_matmul_input(
        [ids], [weights], [make_feature()], 1, 1, num_sc_per_device=CORES
    )


def test_ids_of_jax_may_have_weights_of_numpy() -> None:
    ids, weights = make_ids(), np.ones((SAMPLES, VALENCY), np.float32)
    *expected, _, _ = _call(ids, weights)
    *found, _, _ = _call(jax.numpy.asarray(ids), weights)
    assert _entries(found, 1, 0, 1) == _entries(expected, 1, 0, 1)
    with pytest.raises(SparseCoreError, match="sample 0: id is -"):
        _call(jax.numpy.asarray(ids) - VOCABULARY, weights)


def test_weights_of_another_form() -> None:
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


def test_samples_that_would_end_the_process() -> None:
    for sample, kind in (([1], "list"), (None, "NoneType"), (np.ones((1, 1)), "2-D numpy array")):
        ids = _objects(list(make_ids()))
        ids[5] = sample
        with pytest.raises(SparseCoreError, match=f"the ids of sample 5 are a {kind}; expected a"):
            preprocess(ids, make_feature())


def test_ids_in_column_major_order_are_misread() -> None:
    with pytest.warns(UserWarning, match="^sdykit: feature 'feature': the ids are in column-major"):
        preprocess(np.asfortranarray(make_ids()), make_feature())
    found = preprocess(np.asfortranarray(make_ids()[:, :1]), make_feature())
    assert found, "of one column both orders are the same"


def test_samples_without_ids_may_be_of_any_type() -> None:
    ids = _objects(list(make_ids()))
    ids[5] = np.array([])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        preprocess(ids, make_feature())


def test_wrong_calls_are_the_librarys_own(plain: dict[str, Callable[..., Any]]) -> None:
    for name, function in plain.items():
        with pytest.raises(TypeError) as mine:
            getattr(library, name)([make_ids()])
        with pytest.raises(TypeError) as theirs:
            function([make_ids()])
        assert str(mine.value) == str(theirs.value)
        assert getattr(library, name).__doc__ == function.__doc__


def test_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[4] / "docs" / "plugin.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    feature = make_feature(devices=4, max_ids_per_partition=1)
    preprocess(make_ids(), feature, devices=4, allow_id_dropping=True)
    exec(block, {})
    found = totals(System(4, CORES))
    assert (
        f"4 devices, table table: {found.dropped} ids were dropped\n"
        f"most ids of a partition: {found.max_ids.max()}\n"
    ) in capsys.readouterr().out
    assert found.dropped > 0
