"""Costs from the figures of batches, against those from counters."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from sdykit.sparsecore.cost import Costs, of_statistics, of_tables
from sdykit.sparsecore.cost.estimates import Axis
from sdykit.sparsecore.cost.numbers import CASES
from sdykit.sparsecore.counts import Statistics, count, statistics_of
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec, UpdateSpec
from support.tile.tile_cases import make_buffers

Case = tuple[TileSpec, list[Statistics]]


def step_of(seed: int, *, num_devices: int = 1, **fields: Any) -> list[Case]:
    """Return the lookup and the update of a table, and the figures of a batch on each device."""
    rng = np.random.default_rng(seed)
    minibatching = "vocabulary" if fields.get("minibatches") else "off"
    limit = 12 if minibatching == "vocabulary" else 400
    buffers = make_buffers(
        rng,
        fields.get("chip", "v5p"),
        samples_per_core=32,
        vocabulary=900,
        max_ids=12,
        limit=limit,
        minibatching=minibatching,
        num_devices=num_devices,
    )
    all_fields: dict[str, Any] = {
        "dim": 12,
        "samples_per_core": 32,
        "num_devices": num_devices,
        "max_ids_per_partition": limit,
        "label": "users",
        **fields,
    }
    specs = [LookupSpec(**all_fields), UpdateSpec(**all_fields)]
    return [
        (spec, [statistics_of(spec, buffers.entries, device=each) for each in range(num_devices)])
        for spec in specs
    ]


def counted(cases: list[Case]) -> Costs:
    """Return costs from counters."""
    return of_tables(
        [
            [count(spec, each, device=device) for device, each in enumerate(statistics)]
            for spec, statistics in cases
        ]
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"num_devices": 1},
        {"num_devices": 4, "dim": 5},
        {"num_devices": 2, "chip": "7x", "layout": "jax_tpu_embedding"},
        {"num_devices": 2, "chip": "v6e", "minibatches": True},
    ],
    ids=str,
)
def test_costs_are_those_of_the_counters(fields: dict[str, Any]) -> None:
    cases = [*step_of(1, **fields), *step_of(2, **fields | {"dim": 32})]
    specs, statistics = zip(*cases, strict=True)
    found, expected = of_statistics(specs, statistics), counted(cases)
    assert found.steps == expected.steps
    assert found.tables == expected.tables == ("users",)
    chosen: tuple[tuple[Axis, ...], ...] = (("core", "step"), ("minibatch", "table"), ())
    for axes in chosen:
        one, other = found.by(*axes), expected.by(*axes)
        for case in CASES:
            assert one[case] == pytest.approx(other[case], rel=1e-12, abs=0)
    assert (found.bottlenecks("step") == expected.bottlenecks("step")).all()


def error_of(specs: list[TileSpec], statistics: list[list[Statistics]]) -> str:
    with pytest.raises(SparseCoreError) as raised:
        of_statistics(specs, statistics)
    return str(raised.value)


def test_statistics_of_other_programs_or_devices_are_errors() -> None:
    (spec, found), _ = step_of(3, num_devices=2)
    assert error_of([], []) == "cost: there are no programs; expected at least one"
    assert error_of([spec], []) == (
        "cost: there are the statistics of 0 programs, and 1 specs; expected those of each"
    )
    assert error_of([spec], [found[:1]]) == (
        "cost: lookup 'users': there are statistics of 1 devices; expected those of 2"
    )
    few = dataclasses.replace(spec, max_ids_per_partition=1)
    assert "is compiled for 1 (max_ids_per_partition)" in error_of([few], [found])
