"""Limits and buffers of the library's preprocessing, and the statistics of the plugin."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest

from sdykit.sparsecore import SparseCoreError, System
from sdykit.sparsecore.errors import LimitExceeded
from sdykit.sparsecore.explain import errors_in

pytest.importorskip("jax_tpu_embedding")

from support.jax_tpu_embedding import preprocessing_calls
from support.jax_tpu_embedding.preprocessing_calls import (
    CORES,
    PlainFunctions,
    check_anew,
    make_feature,
    make_ids,
    preprocess,
    totals,
)


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> PlainFunctions:
    return check_anew(monkeypatch)


def test_an_exceeded_limit_is_an_error() -> None:
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
        assert [each.name for each in errors_in(str(buckets.value))] == ["minibatch-limit"]
    for error in (ids, unique):
        assert [each.name for each in errors_in(str(error.value))] == ["partition-limit"]
    assert totals().dropped == before, "a batch with an error is not counted"


def test_a_buffer_larger_than_its_limits_is_an_error() -> None:
    for minibatching, maximum in ((False, 256), (True, 256 * 64)):
        feature = make_feature(max_ids_per_partition=9, buffer=maximum + 8)
        with pytest.raises(SparseCoreError) as found:
            preprocess(make_ids(), feature, enable_minibatching=minibatching)
        assert str(found.value) == (
            f"table 'table': suggested_coo_buffer_size_per_device is {maximum + 8}; expected at "
            f"most {maximum}, as many as 9 (max_ids_per_partition) can fill"
        )


def test_ids_dropped_with_permission_are_counted() -> None:
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
def test_a_buffer_that_is_too_small_is_a_warning_with_a_sufficient_size(
    minibatching: bool, limit: int, needed: int
) -> None:
    def run(buffer: int) -> tuple[int, list[str]]:
        before = totals().dropped
        feature = make_feature(buffer=buffer, max_ids_per_partition=limit)
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            for _ in range(2):
                preprocess(make_ids(), feature, enable_minibatching=minibatching)
        assert all(each.filename == preprocessing_calls.__file__ for each in found)
        return totals().dropped - before, [str(each.message) for each in found]

    dropped, warned = run(128)
    assert warned == [
        f"sdykit: table 'table': jax-tpu-embedding drops {dropped // 2} ids of this batch, "
        "although allow_id_dropping is false: the buffer of a device has 128 entries; expected "
        f"{needed} (suggested_coo_buffer_size_per_device)"
    ], "one warning for each line of the program"
    # The size in the warning is sufficient.
    assert run(needed) == (0, [])


def test_statistics_have_the_maximum_of_all_batches() -> None:
    steps = [preprocess(make_ids(seed), make_feature(devices=2), devices=2)[1] for seed in range(3)]
    stack = totals(System(2, CORES))
    assert stack.max_ids.shape == stack.max_unique_ids.shape == (2, 8)
    assert stack.required_buffer_size.shape == (8,)
    for step in steps:
        assert (stack.max_ids.reshape(-1) >= step.max_ids_per_partition["table"]).all()


def test_the_program_of_the_page_prints_the_statistics(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[4] / "docs" / "plugin.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    feature = make_feature(devices=4, max_ids_per_partition=1)
    preprocess(make_ids(), feature, devices=4, allow_id_dropping=True)
    exec(block, {})
    found = totals(System(4, CORES))
    assert (
        f"4 devices, table table: {found.dropped} ids were dropped\n"
        f"maximum ids of a partition: {found.max_ids.max()}\n"
    ) in capsys.readouterr().out
    assert found.dropped > 0
