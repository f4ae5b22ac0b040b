"""Buffers with more ids or unique ids than a program is compiled for end it with an error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.optimizers import SGD
from sdykit.sparsecore.tile.spec import LookupSpec, Reading, UpdateSpec
from support.amounts import examples
from support.tile.tile_cases import (
    LAYOUTS,
    MINIBATCHINGS,
    Arrays,
    Buffers,
    make_buffers,
    message,
    run_tile,
    same_bits,
)

SAME_EVERY_TIME = settings(derandomize=True, deadline=None, max_examples=examples(40))
CORES = 4
SAMPLES = 5
NAMES = {"ids": "max_ids_per_partition", "unique ids": "max_unique_ids_per_partition"}
MESSAGE = re.compile(
    r"device (\d+), SparseCore (\d+), minibatch (\d+): (\d+) (ids|unique ids) for partition (\d+); "
    r"the program is compiled for (\d+) \((\w+)\); expected at most \7, or a program "
    r"that is compiled for \4"
)

Place = tuple[int, int, int, int]
"""Device, SparseCore, minibatch and partition."""


def figures_of(buffers: Buffers, devices: int) -> dict[tuple[Place, str], int]:
    """Count the ids and unique ids of each segment, entry by entry."""
    found: dict[tuple[Place, str], int] = {}
    for place, ids in segments_of(buffers, devices):
        found[place, "ids"] = len(ids)
        found[place, "unique ids"] = len(set(ids))
    return found


def segments_of(buffers: Buffers, devices: int) -> Iterator[tuple[Place, list[int]]]:
    """Yield the ids of each segment."""
    count = buffers.arrays.get("num_minibatches")
    minibatches = 1 if count is None else int(count[0])
    partitions = CORES * devices
    pointers = buffers.arrays["row_pointers"].reshape(devices, -1)
    ids = buffers.arrays["embedding_ids"].reshape(devices, -1)
    for device in range(devices):
        width = max(partitions, 8)
        ends = pointers[device, : CORES * minibatches * width].reshape(CORES, minibatches, width)
        start = 0
        for core, minibatch in np.ndindex(CORES, minibatches):
            part = ids[device]
            if count is None:
                room = len(part) // CORES
                start, part = 0, part[core * room : (core + 1) * room]
            for partition in range(partitions):
                end = int(ends[core, minibatch, partition])
                yield (device, core, minibatch, partition), part[start:end].tolist()
                start = -(-end // 8) * 8
            start = -(-int(ends[core, minibatch, -1]) // 8) * 8


def arrays_of(rng: np.random.Generator, buffers: Buffers, devices: int, device: int) -> Arrays:
    table = rng.standard_normal((CORES * buffers.rows_per_core, 8)).astype(np.float32)
    return {
        **buffers.arrays,
        "table": table,
        "gradients": np.ones((devices * CORES * SAMPLES, 8), np.float32),
        "learning_rate": np.array(0.1, np.float32),
        "device": np.array(device, np.int32),
    }


@st.composite
def cases(draw: st.DrawFn) -> tuple[Buffers, dict[str, Any], Arrays, int]:
    """Draw buffers, the fields of a spec for them without limits, and the inputs of programs."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    devices = draw(st.sampled_from([1, 2]))
    minibatching = draw(st.sampled_from(MINIBATCHINGS))
    layout = draw(st.sampled_from(LAYOUTS))
    buffers = make_buffers(
        rng,
        "v5p",
        samples_per_core=SAMPLES,
        vocabulary=draw(st.sampled_from([7, 60, 1000])),
        max_ids=draw(st.sampled_from([1, 8, 30])),
        limit=draw(st.sampled_from([8, 1000])),
        layout=layout,
        minibatching=minibatching,
        dropping=True,
        num_devices=devices,
    )
    fields = {
        "dim": 8,
        "samples_per_core": SAMPLES,
        "minibatches": minibatching != "off",
        "layout": layout,
        "num_devices": devices,
    }
    return (
        buffers,
        fields,
        arrays_of(rng, buffers, devices, draw(st.integers(0, devices - 1))),
        devices,
    )


@st.composite
def drawn_limits(
    draw: st.DrawFn, figures: dict[tuple[Place, str], int], what: str, partitions: int
) -> list[int]:
    """Draw the limit of each partition, near the highest figure of all, or near each its own."""
    highest = [0] * partitions
    for (place, kind), figure in figures.items():
        if kind == what:
            highest[place[-1]] = max(highest[place[-1]], figure)
    distance = st.sampled_from([-9, 0, 0, 0, 1, 4])
    if draw(st.booleans()):
        return [max(max(highest) - draw(distance), 1)] * partitions
    is_low = draw(st.booleans())
    return [
        max(each - draw(distance if is_low else st.sampled_from([-9, 0])), 1) for each in highest
    ]


@SAME_EVERY_TIME
@given(cases(), st.booleans(), st.data())
def test_a_program_runs_if_and_only_if_no_figure_exceeds_its_limit(
    case: tuple[Buffers, dict[str, Any], Arrays, int], is_lookup: bool, data: st.DataObject
) -> None:
    buffers, fields, given_arrays, devices = case
    fields["reading"] = data.draw(st.sampled_from(["cpu", "chip"]))
    figures = figures_of(buffers, devices)
    limits: dict[str, list[int]] = {}
    for what, name in NAMES.items():
        limits[what] = data.draw(drawn_limits(figures, what, CORES * devices))
        fields = {**fields, name: max(limits[what])}
        if len(set(limits[what])) > 1:
            fields[name.replace("per_partition", "of_partitions")] = tuple(limits[what])
    spec = LookupSpec(**fields) if is_lookup else UpdateSpec(**fields, optimizer=SGD(0.1))
    found, _ = run_tile(spec, given_arrays, 2)
    text = message(spec, found["status"])
    too_many = {
        (place, what)
        for (place, what), figure in figures.items()
        if figure > limits[what][place[-1]]
    }
    if not too_many:
        assert text == "ok"
        return
    match = MESSAGE.fullmatch(text)
    assert match is not None, text
    device, core, minibatch, observed, what, partition, compiled, name = match.groups()
    place = (int(device), int(core), int(minibatch), int(partition))
    assert (place, what) in too_many
    assert (int(observed), int(compiled)) == (figures[place, what], limits[what][place[-1]])
    assert name == NAMES[what]
    if not is_lookup:
        assert same_bits(found["table"], given_arrays["table"])


def many(layout: str, devices: int = 1) -> tuple[Arrays, dict[str, Any]]:
    """Return inputs with 130 ids for each partition, 7 of them unique, and the fields of a spec."""
    rng = np.random.default_rng(1)
    pointers = np.zeros((devices * CORES, 8), np.int32)
    pointers[:, : CORES * devices] = 136 * np.arange(CORES * devices) + 130
    room = 136 * CORES * devices
    ids = np.tile(np.sort(rng.integers(0, 7, 136)), devices * CORES * CORES * devices)
    arrays = {
        "row_pointers": pointers.ravel(),
        "embedding_ids": ids.astype(np.int32),
        "sample_ids": np.zeros(devices * CORES * room, np.int32),
        "gains": np.ones(devices * CORES * room, np.float32),
    }
    buffers = Buffers(arrays, entries=None, rows_per_core=10, samples_per_core=SAMPLES)  # pyright: ignore[reportArgumentType]
    fields = {"dim": 8, "samples_per_core": SAMPLES, "layout": layout, "num_devices": devices}
    return arrays_of(rng, buffers, devices, 0), fields


Kind = type[LookupSpec] | type[UpdateSpec]
SPECS: tuple[tuple[Kind, Reading], ...] = (
    (LookupSpec, "cpu"),
    (LookupSpec, "chip"),
    (UpdateSpec, "cpu"),
    (UpdateSpec, "chip"),
)


@pytest.mark.parametrize("program", SPECS)
@pytest.mark.parametrize("devices", [1, 2])
@pytest.mark.parametrize(
    ("ids", "unique", "expected"),
    [
        (8, 1, "device 0, SparseCore 0, minibatch 0: 130 ids for partition 0; the program is "
               "compiled for 8 (max_ids_per_partition); expected at most 8, or a program that is "
               "compiled for 130"),
        (129, 7, "device 0, SparseCore 0, minibatch 0: 130 ids for partition 0; the program is "
                 "compiled for 129 (max_ids_per_partition); expected at most 129, or a program that "
                 "is compiled for 130"),
        (130, 6, "device 0, SparseCore 0, minibatch 0: 7 unique ids for partition 0; the program "
                 "is compiled for 6 (max_unique_ids_per_partition); expected at most 6, or a program "
                 "that is compiled for 7"),
        (130, 7, "ok"),
        (1000, 500, "ok"),
    ],
)  # fmt: skip
def test_the_error_names_the_first_place_and_both_figures(
    program: tuple[Kind, Reading], devices: int, ids: int, unique: int, expected: str
) -> None:
    arrays, fields = many("jax_tpu_embedding", devices)
    limits: dict[str, Any] = {"max_ids_per_partition": ids, "max_unique_ids_per_partition": unique}
    kind, reading = program
    spec = kind(**fields, **limits, reading=reading)
    found, _ = run_tile(spec, arrays)
    assert message(spec, found["status"]) == expected


@pytest.mark.parametrize(("kind", "reading"), SPECS)
@pytest.mark.parametrize("device", [0, 1])
def test_each_device_reports_a_segment_of_any_other(
    kind: Kind, reading: Reading, device: int
) -> None:
    """One segment has one id more: from SparseCore 2 of device 1, for partition 5, of device 1."""
    arrays, fields = many("jax_tpu_embedding", 2)
    arrays["row_pointers"] = arrays["row_pointers"].copy()
    arrays["row_pointers"].reshape(8, 8)[CORES + 2, 5] += 1
    arrays["device"] = np.array(device, np.int32)
    limits: dict[str, Any] = dict.fromkeys(NAMES.values(), 130)
    spec = kind(**fields, **limits, reading=reading)
    found, _ = run_tile(spec, arrays)
    assert message(spec, found["status"]).startswith(
        "device 1, SparseCore 2, minibatch 0: 131 ids for partition 5; the program is compiled for "
        "130 (max_ids_per_partition)"
    )


@pytest.mark.parametrize("minibatching", MINIBATCHINGS)
@pytest.mark.parametrize("devices", [1, 2])
def test_preprocessing_observes_what_is_in_the_buffers(minibatching: Any, devices: int) -> None:
    rng = np.random.default_rng(5)
    buffers = make_buffers(
        rng, "v5p", max_ids=30, limit=8, minibatching=minibatching, dropping=True,
        num_devices=devices,
    )  # fmt: skip
    if devices == 2:
        assert "observed" not in buffers.arrays
        return
    minibatches = 1 if minibatching == "off" else 64
    expected = np.zeros((2, CORES, minibatches, CORES), np.int32)
    for (place, what), figure in figures_of(buffers, 1).items():
        expected[int(what == "unique ids")][place[1:]] = figure
    assert np.array_equal(buffers.arrays["observed"], expected.ravel())
    assert expected[0].max() == 8


@pytest.mark.parametrize("program", SPECS)
def test_each_partition_has_its_own_limit(program: tuple[Kind, Reading]) -> None:
    """Partition 2 has 130 ids, more than its own limit, but less than the largest."""
    arrays, fields = many("jax_tpu_embedding")
    kind, reading = program
    limits: dict[str, Any] = {"max_ids_per_partition": 200, "max_unique_ids_per_partition": 9}
    limits["max_ids_of_partitions"] = (130, 200, 129, 130)
    spec = kind(**fields, **limits, reading=reading)
    found, _ = run_tile(spec, arrays, 2)
    assert message(spec, found["status"]) == (
        "device 0, SparseCore 0, minibatch 0: 130 ids for partition 2; the program is compiled for "
        "129 (max_ids_per_partition); expected at most 129, or a program that is compiled for 130"
    )
    limits["max_ids_of_partitions"] = (130, 200, 130, 130)
    limits["max_unique_ids_of_partitions"] = (7, 7, 9, 6)
    spec = kind(**fields, **limits, reading=reading)
    found, _ = run_tile(spec, arrays, 2)
    assert "7 unique ids for partition 3; the program is compiled for 6 (" in message(
        spec, found["status"]
    )
    limits["max_unique_ids_of_partitions"] = (7, 7, 9, 7)
    spec = kind(**fields, **limits, reading=reading)
    found, _ = run_tile(spec, arrays, 2)
    assert message(spec, found["status"]) == "ok"
