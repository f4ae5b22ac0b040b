"""Results: sums along axes, bottlenecks, tables, JSON, and training steps."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import pytest

from sdykit.sparsecore.cost import Costs, Estimate, numbers_of, of_tables, of_work, training_step
from sdykit.sparsecore.cost.estimates import Axis
from sdykit.sparsecore.errors import SparseCoreError
from support.cost_cases import lookup_counters, make_work, update_counters


def both() -> Costs:
    counters = [lookup_counters(1)[1], update_counters(2)[1], lookup_counters(3)[1]]
    labels = ("users", "users", "items")
    named = [
        [dataclasses.replace(each, spec=dataclasses.replace(each.spec, label=label))]
        for (each,), label in zip(counters, labels, strict=True)
    ]
    return of_tables(named)


def test_sums_along_axes_agree() -> None:
    costs = both()
    assert costs.tables == ("users", "items")
    whole = costs.by("step", "table")
    for case, values in whole.items():
        assert values.shape == (len(costs.steps), 2)
        assert np.allclose(values.sum(axis=0), costs.by("table")[case])
        assert np.allclose(values.sum(axis=1), costs.by("step")[case])
        assert np.allclose(values.sum(), costs.by()[case])
        assert np.allclose(costs.by("minibatch")[case], [values.sum()])
    assert costs.total.seconds == pytest.approx(float(whole["expected"].sum()))
    assert costs.of("lookup").seconds + costs.of("update").seconds == pytest.approx(
        costs.total.seconds
    )
    # No SparseCore alone takes longer than all of them, step by step.
    assert (costs.by("core")["expected"] <= costs.total.seconds).all()


def test_an_axis_that_there_is_not_is_an_error() -> None:
    with pytest.raises(SparseCoreError) as raised:
        both().by("device")  # pyright: ignore[reportArgumentType]
    assert str(raised.value) == (
        "cost: there is no axis 'device'; expected one of table, minibatch, core, tile, step"
    )


@pytest.mark.parametrize(
    ("given", "bottleneck"),
    [
        ({"dmas": 1e6}, "DMA latency"),
        ({"bytes": 1e9}, "DMA bandwidth"),
        ({"vectors": 1e6}, "vector"),
        ({"hbm_bytes": 1e9}, "HBM bandwidth"),
        ({"ici_bytes": 1e9}, "ICI"),
        ({"launches": 1e6}, "launch"),
    ],
)
def test_the_bottleneck_is_named(given: dict[str, Any], bottleneck: str) -> None:
    costs = of_work([make_work(cores=64, **given)])
    assert costs.bottlenecks() == bottleneck
    assert costs.bottlenecks("step").tolist() == [bottleneck] * 9 + ["launch"]
    assert costs.bottlenecks("table").tolist() == [bottleneck]


def test_the_table_and_json_have_all_steps() -> None:
    costs = both()
    lines = str(costs).splitlines()
    assert lines[0].split() == ["step", "time", "share", "bottleneck"]
    assert lines[-1].startswith("all ")
    gather = next(line for line in lines if line.startswith("lookup gather"))
    assert gather.endswith("DMA latency")
    found = json.loads(costs.to_json())
    assert found["chip"] == "v5p"
    assert found["total"]["low"] < found["total"]["seconds"] < found["total"]["high"]
    assert [each["name"] for each in found["tables"]] == ["users", "items"]
    assert sum(each["seconds"] for each in found["steps"]) == pytest.approx(
        found["total"]["seconds"]
    )


def test_an_estimate_is_shown_in_a_readable_unit() -> None:
    assert str(Estimate(1.234e-3, 5e-4, 3.4e-3)) == "1.23 ms (0.5 to 3.4)"
    assert str(Estimate(2, 1, 4)) == "2 s (1 to 4)"
    assert str(Estimate(0, 0, 0)) == "0 ns (0 to 0)"


def costs_of(seconds: float) -> Costs:
    exact = {name: numbers_of("v5p")[name].value for name in numbers_of("v5p")}
    numbers = numbers_of("v5p").replace(**{**exact, "call_seconds": seconds})
    return of_work([make_work()], numbers)


def test_a_step_without_pipelining_is_the_sum_of_sparse_core_and_tensor_core() -> None:
    step = training_step(costs_of(2e-3), tensor_core=5e-3, host=1e-3)
    assert step.total == Estimate(7e-3, 7e-3, 7e-3)
    assert step.bottleneck == "TensorCore"


def test_a_pipelined_step_is_the_longest_of_its_parts() -> None:
    step = training_step(costs_of(2e-3), tensor_core=Estimate(1e-3, 5e-4, 4e-3), pipelined=True)
    assert step.total == Estimate(2e-3, 2e-3, 4e-3)
    assert step.bottleneck == "launch"
    assert "step, pipelined 2 ms (2 to 4)" in str(step)


def test_a_step_waits_for_the_host() -> None:
    step = training_step(costs_of(2e-3), tensor_core=5e-3, host=9e-3, pipelined=True)
    assert step.total.seconds == 9e-3
    assert step.bottleneck == "host"


@pytest.mark.parametrize("axis", ["core", "tile"])
def test_bottlenecks_are_those_of_the_slowest_sparse_core(axis: Axis) -> None:
    with pytest.raises(SparseCoreError) as raised:
        both().bottlenecks("table", axis)
    assert str(raised.value) == (
        f"cost: bottlenecks are those of the slowest SparseCore; there is no axis {axis}"
    )


def test_programs_of_different_systems_are_errors() -> None:
    with pytest.raises(SparseCoreError) as raised:
        of_work([])
    assert str(raised.value) == "cost: there are no programs; expected at least one"
    with pytest.raises(SparseCoreError) as raised:
        of_work([make_work(), make_work(name="v6e")])
    assert str(raised.value) == ("cost: the programs have different chips: v5p, v6e; expected one")
    with pytest.raises(SparseCoreError) as raised:
        of_work([make_work(), make_work(cores=8)])
    assert str(raised.value) == (
        "cost: the programs have different numbers of SparseCores: 4, 8; expected one"
    )
