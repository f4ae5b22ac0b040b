"""Results of choices: times equal to those of real preprocessing, memory, searches, and errors."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sdykit.sparsecore.cost import Estimate, of_statistics
from sdykit.sparsecore.counts import statistics_of
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.limits import LimitCounter
from sdykit.sparsecore.limits.file import write_limits
from sdykit.sparsecore.memory.layers import ledger_of_stacks
from sdykit.sparsecore.preprocess import preprocess
from sdykit.sparsecore.reference import entries_from_packed
from sdykit.sparsecore.specs import FeatureSpec, TableSpec
from sdykit.sparsecore.stacking import stack
from sdykit.sparsecore.tile.spec import LookupSpec, UpdateSpec
from sdykit.sparsecore.whatif import (
    Choice,
    Measured,
    Model,
    answer_of,
    best_limits,
    choices,
    compare,
    least_devices,
    model_of,
)
from sdykit.sparsecore.whatif.results import Result
from support.sparsecore.preprocess_cases import DROPPING
from support.whatif_cases import make_batch, make_features, make_model


def only(model: Model, choice: Choice) -> Result:
    (result,) = compare(model, [choice]).results
    return result


@pytest.mark.parametrize(
    ("chip", "devices", "limits", "stacking"),
    [
        ("v5p", 1, 1.0, True),
        ("v5p", 1, 0.25, False),
        ("v5p", 4, 0.25, True),
        ("v6e", 8, 1.0, True),
        ("v6e", 2, 0.25, True),
    ],
)
def test_times_are_those_of_preprocessed_batches(
    chip: str, devices: int, limits: float, stacking: bool
) -> None:
    model = make_model(512)
    choice = Choice(batch=512, chip=chip, devices=devices, limits=limits, stacking=stacking)
    result = only(model, choice)
    assert result.times is not None
    assert not result.is_estimated
    features, system = list(model.pool.features), choice.system
    needed = {each.name: each for each in result.stacks}
    stacks = [
        dataclasses.replace(
            each,
            max_ids_per_partition=needed[each.name].max_ids_per_partition,
            max_unique_ids_per_partition=needed[each.name].max_unique_ids_per_partition,
        )
        for each in stack(features, system, not stacking)
    ]
    done = preprocess(
        make_batch(features),
        stacks,
        system,
        config=DROPPING,
        minibatching="vocabulary" if limits < 1 else "off",
    )
    assert result.minibatches == done.num_minibatches
    assert (limits < 1) == (result.minibatches > 1)
    specs, figures = [], []
    for each in stacks:
        found, counted = done.buffers[each.name], done.statistics[each.name]
        assert needed[each.name].dropped == counted.dropped
        assert needed[each.name].ids.value == counted.ids.max()
        assert needed[each.name].unique_ids.value == counted.unique_ids.max()
        entries = entries_from_packed(
            *(found.row_pointers.ravel(), found.embedding_ids.ravel()),
            *(found.sample_ids.ravel(), found.gains.ravel()),
            samples_per_core=each.batch_size // system.num_sparse_cores,
            system=system,
            num_minibatches=done.num_minibatches if limits < 1 else None,
        )
        for kind in (LookupSpec, UpdateSpec):
            given: dict[str, Any] = {}
            if kind is UpdateSpec:
                given["optimizer"] = each.tables[0].spec.optimizer
            spec = kind(
                dim=each.embedding_dim,
                samples_per_core=each.batch_size // system.num_sparse_cores,
                chip=chip,
                num_devices=devices,
                minibatches=limits < 1,
                reading="chip",
                max_ids_per_partition=each.max_ids_per_partition,
                max_unique_ids_per_partition=each.max_unique_ids_per_partition,
                label=each.name,
                **given,
            )
            specs.append(spec)
            figures.append(
                [
                    statistics_of(spec, entries, device=device, minibatches=done.num_minibatches)
                    for device in range(devices)
                ]
            )
    costs = of_statistics(specs, figures)
    for kind, time in (("lookup", result.times.lookup), ("update", result.times.update)):
        assert dataclasses.astuple(time) == pytest.approx(dataclasses.astuple(costs.of(kind)))
    assert result.times.bottleneck == costs.bottlenecks()


def test_more_samples_than_recorded_are_estimated() -> None:
    model, other = make_model(256, steps=2), make_model(1024)
    counted = only(model, Choice(batch=512, devices=4))
    assert not counted.is_estimated
    guess, truth = (only(each, Choice(batch=1024, devices=4)) for each in (model, other))
    assert guess.is_estimated
    assert not truth.is_estimated
    assert guess.times is not None
    assert truth.times is not None
    # A recounted time is in the range that follows from the ids alone.
    assert guess.times.step.seconds == pytest.approx(truth.times.step.seconds, rel=0.25)
    assert guess.times.step.low < truth.times.step.seconds < guess.times.step.high
    assert guess.memory is not None
    assert truth.memory is not None
    assert guess.memory.hbm == pytest.approx(truth.memory.hbm, rel=0.3)


def test_estimates_with_fewer_counted_cores_are_close_to_the_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sdykit.sparsecore.whatif.batch.SAMPLED_IDS", 3000)
    model, other = make_model(1024), make_model(2048)
    for devices in (4, 32):
        guess, truth = (only(each, Choice(batch=2048, devices=devices)) for each in (model, other))
        assert guess.times is not None
        assert truth.times is not None
        assert guess.times.step.seconds == pytest.approx(truth.times.step.seconds, rel=0.3)
        assert guess.ici_bytes == pytest.approx(truth.ici_bytes, rel=0.3)


def test_all_of_a_choice_counts() -> None:
    model = make_model()
    plain = only(model, Choice(batch=256, devices=2))
    wide = only(model, Choice(batch=256, devices=2, width=64))
    small = only(model, Choice(batch=128, devices=2))
    apart = only(model, Choice(batch=256, devices=2, stacking=False))
    frozen = only(model, Choice(batch=256, devices=2, dtype="bfloat16"))
    waiting = only(model, Choice(batch=256, devices=2, prefetched=3))
    rotated = only(model, Choice(batch=256, devices=2, rotation=0))
    for each in (plain, wide, small, apart, frozen, waiting):
        assert each.can_run
        assert each.times
        assert each.memory
    assert wide.memory.hbm > 2 * plain.memory.hbm  # pyright: ignore[reportOptionalMemberAccess]
    assert wide.ici_bytes > 2 * plain.ici_bytes
    assert small.times.lookup.seconds < plain.times.lookup.seconds  # pyright: ignore[reportOptionalMemberAccess]
    assert len(apart.stacks) == 3
    assert len(plain.stacks) == 1
    assert rotated.stacks[0].ids.value > plain.stacks[0].ids.value
    assert frozen.times.update.seconds == 0  # pyright: ignore[reportOptionalMemberAccess]
    assert frozen.notes == ("3 tables not of float32: only looked up, not updated.",)
    assert waiting.memory.hbm > plain.memory.hbm  # pyright: ignore[reportOptionalMemberAccess]


def test_tensor_core_and_host_scale_with_the_samples_of_a_device() -> None:
    two, three = Estimate(2.0, 1.0, 3.0), Estimate(3.0, 3.0, 3.0)
    model = dataclasses.replace(
        make_model(), tensor_core=Measured(two, 128), host=Measured(three, 256)
    )
    result = only(model, Choice(batch=256, devices=4))
    assert result.times is not None
    assert result.times.tensor_core == Estimate(1.0, 0.5, 1.5)
    assert result.times.host == Estimate(0.75, 0.75, 0.75)
    assert result.times.bottleneck == "TensorCore"
    both = result.times.lookup + result.times.update
    assert result.times.step.seconds == pytest.approx(1.0 + both.seconds)
    pipelined = only(model, Choice(batch=256, devices=4, pipelined=True))
    assert pipelined.times is not None
    assert pipelined.times.step.seconds == pytest.approx(1.0)


def test_limits_of_a_file_are_those_of_one_system(tmp_path: Path) -> None:
    features, choice = make_features(256), Choice(batch=256, devices=2)
    stacks = stack(features, choice.system)
    counter = LimitCounter(stacks, choice.system)
    counter.add(make_batch(features))
    path = tmp_path / "limits.json"
    write_limits(path, counter.limits(1.5))
    model = make_model()
    found = compare(model, choices(batch=[256], devices=[2, 4], limits=[str(path)]))
    one, other = found.results
    assert one.can_run
    assert one.stacks[0].max_ids_per_partition >= 1.5 * one.stacks[0].ids.value
    assert not one.dropped
    assert "the limits are for 2 devices of 4 SparseCores; the program runs on 4" in other.problem


def test_memory_is_that_of_the_ledger() -> None:
    result = only(make_model(), Choice(batch=256, devices=2))
    (needed,) = result.stacks
    choice = result.choice
    (one,) = stack(make_features(256), choice.system)
    one = dataclasses.replace(
        one,
        max_ids_per_partition=needed.max_ids_per_partition,
        max_unique_ids_per_partition=needed.max_unique_ids_per_partition,
    )
    ledger = ledger_of_stacks([one], choice.system, "v5p", reading="chip")
    assert result.memory is not None
    assert result.memory.hbm_capacity == ledger.capacity
    # The buffers have room for what was counted, and not for all that limits allow.
    assert 0.5 * ledger.bytes < result.memory.hbm <= ledger.bytes
    assert 0 < result.memory.spmem <= result.memory.spmem_capacity == 512 * 1024


def test_a_system_that_is_too_small_is_a_problem() -> None:
    table = TableSpec("t", 2**30, 256)
    model = model_of([FeatureSpec("f", table, 64)], [{"f": np.arange(64)[:, None]}])
    found = compare(model, choices(batch=[64], devices=[1, 16]))
    small, large = found.results
    assert "Ran out of memory in HBM" in small.problem
    assert not small.can_run
    assert small.seconds == float("inf")
    assert small.memory is not None
    assert large.can_run
    assert found.fastest is large
    ids = np.arange(4096 * 128).reshape(4096, 128) % 5000
    many = model_of([FeatureSpec("f", TableSpec("t", 5000, 8), 4096)], [{"f": ids}])
    crowded = only(many, Choice(batch=4096, chip="v6e"))
    assert "do not fit in TileSpmem" in crowded.problem
    assert crowded.memory is None


def test_the_fewest_devices_for_a_time() -> None:
    model = make_model(1024)
    all_of_them = compare(model, choices(batch=[1024], devices=[1, 2, 4]))
    times = [each.seconds for each in all_of_them.results]
    target = times[1] * 1.001
    found = least_devices(model, [Choice(batch=1024)], target)
    assert [each.choice.devices for each in found.results] == [1, 2]
    answer = answer_of(found.results, target)
    assert answer is not None
    assert answer.choice.devices == 2
    never = least_devices(model, [Choice(batch=1024, devices=256)], 1e-9)
    assert answer_of(never.results, 1e-9) is None
    assert never.results[-1].choice.devices == 512
    assert "no multiple of the 2048 SparseCores" in never.results[-1].problem
    with pytest.raises(SparseCoreError, match="a step of 0 s is asked of 1 choices"):
        least_devices(model, [Choice(batch=1024)], 0)


def test_the_best_limits_drop_nothing() -> None:
    model = make_model(1024)
    found = best_limits(model, Choice(batch=1024), max_minibatches=8)
    assert found.results
    seconds = [each.seconds for each in found.results]
    assert seconds == sorted(seconds)
    for each in found.results:
        assert each.dropped == 0
        assert each.minibatches <= 8
        assert each.can_run
    factors = [1.0, 1 / 64]
    with pytest.raises(
        SparseCoreError,
        match="none of 1 limits drops no ids, needs at most 2 minibatches, and fits",
    ):
        best_limits(model, Choice(batch=1024), max_minibatches=2, factors=factors[1:])


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"devices": 0}, "whatif: devices is 0; expected an integer from 1"),
        ({"devices": 5000}, "whatif: devices is 5000; expected an integer from 1 to 4096"),
        ({"batch": 0}, "whatif: batch is 0; expected an integer"),
        ({"width": -1}, "whatif: width is -1; expected an integer"),
        (
            {"limits": 0.001},
            "whatif: limits is 0.001; expected 0.015625 or more, since a batch has at",
        ),
        ({"limits": float("nan")}, "headroom"),
    ],
)
def test_a_field_out_of_its_range_is_an_error(fields: dict, text: str) -> None:
    with pytest.raises(SparseCoreError) as caught:
        Choice(**{"batch": 256, **fields})
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"chip": "v7"}, "v7"),
        ({"devices": 3}, "3 devices of 4 SparseCores are 12 SparseCores; expected a power of two"),
        (
            {"batch": 100, "devices": 16},
            "feature 'feature0' has a batch of 100 samples, which is no multiple of the 64 SparseCores "
            "of 16 devices of v5p; expected 64 or 128",
        ),
        ({"batch": 16, "devices": 16}, "expected 64"),
        ({"dtype": "int4"}, "dtype"),
        ({"limits": "none.json"}, "none.json"),
    ],
)
def test_an_impossible_choice_is_an_error_if_it_is_the_only_one(fields: dict, text: str) -> None:
    model = make_model()
    choice = Choice(**{"batch": 256, **fields})
    with pytest.raises(SparseCoreError) as caught:
        compare(model, [choice])
    assert text in str(caught.value)
    found = compare(model, [choice, Choice(batch=256)])
    assert text in found.results[0].problem
    assert found.results[1].can_run


def test_there_must_be_a_choice() -> None:
    with pytest.raises(SparseCoreError, match="there is nothing to compare"):
        compare(make_model(), [])


def test_results_are_json() -> None:
    found = compare(make_model(), choices(batch=[256, 512], devices=[1], limits=[1.2, "x.json"]))
    fields = json.loads(found.to_json())
    assert fields["samples"] == 256
    assert len(fields["results"]) == 4
    first = fields["results"][0]
    assert first["choice"]["chips"] == 1
    assert first["times"]["step"]["low"] < first["times"]["step"]["seconds"]
    assert first["stacks"][0]["ids"]["value"] > 0
    assert fields["results"][1]["times"] is None
    assert "x.json" in fields["results"][1]["problem"]
