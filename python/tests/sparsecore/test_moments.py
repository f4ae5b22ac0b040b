"""What HBM holds from moment to moment, and that serialized tables lower the peak."""

from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.chip import chip
from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.cost import Estimate, of_tables, training_step
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.memory import Entry, Kind, Ledger, Phase
from sdykit.sparsecore.memory.layers import ledger_of_stacks
from sdykit.sparsecore.specs import FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import stack
from support.amounts import examples
from support.cost_cases import lookup_counters, update_counters

V6E = chip("v6e")
SYSTEM = System(2, 2)


def entry(kind: Kind, owner: str, size: int, phase: Phase = "") -> Entry:
    return Entry(kind=kind, owner=owner, name=kind, bytes=size, phase=phase)


def of_step(serialized_tables: int = 0) -> Ledger:
    entries = [entry("table", "a", 1000), entry("input", "a", 7), entry("weights", "", 13)]
    for owner, size in (("a", 10), ("b", 30), ("c", 20)):
        entries.append(entry("stack", owner, size, "lookup"))
        entries.append(entry("stack", owner, 2 * size, "update"))
        entries.append(entry("activations", owner, 5, "lookup"))
        entries.append(entry("activations", owner, 6, "update"))
    entries.append(entry("temporary", "a", 100, "update"))
    entries.append(entry("simulator", "a", 10**9, "update"))
    return Ledger(V6E, tuple(entries), serialized_tables)


def sizes(ledger: Ledger) -> dict[str, int]:
    return {each.name: each.bytes for each in ledger.moments}


def test_a_step_is_lookups_tensor_core_and_updates() -> None:
    always = 1020
    assert sizes(of_step()) == {
        "lookups": always + 60 + 15,
        "TensorCore": always + 15 + 18,
        "updates": always + 120 + 100 + 18,
    }
    assert [each.when for each in of_step().moments] == [
        "lookups run",
        "the TensorCore works",
        "updates run",
    ]


def test_serialized_tables_have_their_stack_one_after_another() -> None:
    """Those that hold most are serialized, in each phase; what a program keeps is on its stack."""
    always = 1020
    assert sizes(of_step(2)) == {
        "lookup of b": always + 30 + 10 + 15,
        "lookup of c": always + 20 + 10 + 15,
        "TensorCore": always + 15 + 18,
        "update of a": always + 120 + 40 + 18,
        "update of b": always + 60 + 40 + 18,
    }
    found = of_step(2)
    assert found.peak_moment.when == "the update of a runs"
    assert "while the update of a runs\n" in str(found)
    assert (found.peak, found.bytes) == ("update", always + 178)
    assert sizes(of_step(9)) == sizes(of_step(3))
    assert sizes(of_step(1)) == sizes(of_step(0))


def test_in_a_pipelined_step_two_batches_have_activations_or_gradients() -> None:
    """SparseCores update with one batch and look up another, and the TensorCore has one in between."""
    always, activations, gradients = 1020, 15, 18
    found = dataclasses.replace(of_step(), is_pipelined=True)
    assert sizes(found) == {
        "updates": always + 120 + 100 + activations + 2 * gradients,
        "lookups": always + 60 + 2 * activations + gradients,
    }
    assert found.peak_moment.when == "updates run beside the TensorCore"
    serialized = dataclasses.replace(of_step(3), is_pipelined=True)
    assert [each.when for each in serialized.moments][:2] == [
        "the update of a runs beside the TensorCore",
        "the update of b runs beside the TensorCore",
    ]
    assert serialized.bytes == always + 120 + activations + 2 * gradients
    only = Ledger(V6E, (entry("activations", "a", 4, "update"),), is_pipelined=True)
    assert sizes(only) == {"updates": 4}


def test_the_input_of_three_batches_is_there_in_a_pipelined_step() -> None:
    stacks = stack([FeatureSpec("f", TableSpec("t", 100, 8), 16)], SYSTEM)

    def inputs(*, is_pipelined: bool) -> int:
        found = ledger_of_stacks(stacks, SYSTEM, "v6e", is_pipelined=is_pipelined)
        return sum(each.bytes for each in found.entries if each.kind == "input")

    assert inputs(is_pipelined=True) == 3 * inputs(is_pipelined=False)


def test_what_is_of_one_phase_has_no_others() -> None:
    only = Ledger(V6E, (entry("table", "a", 10), entry("activations", "a", 4, "update")))
    assert sizes(only) == {"updates": 14}
    assert sizes(Ledger(V6E, (entry("table", "a", 10),))) == {"step": 10}
    assert sizes(Ledger(V6E, ())) == {"step": 0}


def test_activations_and_gradients_are_there_while_the_tensor_core_works() -> None:
    found = of_step().plus(
        [entry("activations", "a", 500, phase) for phase in ("lookup", "update")]
    )
    assert (found.peak, found.peak_moment.when) == ("TensorCore", "the TensorCore works")
    assert "while the TensorCore works\n" in str(found)


@settings(derandomize=True, deadline=None, max_examples=examples(100))
@given(st.lists(st.integers(1, 50), min_size=1, max_size=8), st.integers(0, 10))
def test_the_peak_is_that_of_the_best_choice(stacks: list[int], count: int) -> None:
    """Against all choices of tables to serialize: none has a lower peak."""
    from itertools import combinations

    entries = [entry("stack", str(at), size, "lookup") for at, size in enumerate(stacks)]
    found = Ledger(V6E, tuple(entries), count).bytes
    count = min(count, len(stacks))
    peaks = [
        sum(stacks) - sum(chosen) + max(chosen, default=0) for chosen in combinations(stacks, count)
    ]
    assert found == min(peaks)


def test_xla_sc_num_serialized_tables_to_optimize_hbm() -> None:
    """A lower peak, a slower step; 1 is warned of."""
    features = [FeatureSpec(n, TableSpec(n, 100, 8 * w), 16) for w, n in enumerate("abcd", 1)]
    stacks = stack(features, SYSTEM)

    def peak(count: int) -> int:
        config = SparsecoreConfig(xla_sc_num_serialized_tables_to_optimize_hbm=count)
        count = config.xla_sc_num_serialized_tables_to_optimize_hbm
        return ledger_of_stacks(stacks, SYSTEM, "v6e", serialized_tables=count).bytes

    peaks = [peak(count) for count in (0, 2, 3, 4)]
    assert peaks == sorted(set(peaks), reverse=True)

    counters = [
        [each[0]] for _, each in (lookup_counters(1), lookup_counters(2), update_counters(3))
    ]
    costs = of_tables(counters)
    steps = [training_step(costs, serialized_tables=count).total for count in (0, 1, 2, 9)]
    call = Estimate(*(costs.programs[0].numbers.at(case)["call_seconds"] for case in CASES))
    assert steps[0] == steps[1] == costs.total
    assert steps[2] == steps[3] == costs.total + call  # Of the two lookups, one waits.
    assert "serialization   10 us (2 to 30)" in str(training_step(costs, serialized_tables=2))
    with pytest.warns(UserWarning, match="is 1") as caught:
        SparsecoreConfig(xla_sc_num_serialized_tables_to_optimize_hbm=1)
    assert str(caught[0].message) == (
        "config: xla_sc_num_serialized_tables_to_optimize_hbm is 1, and has no effect: a table alone"
        " waits for none; expected 0, or at least 2"
    )
    assert caught[0].filename == __file__


CASES = ("expected", "fastest", "slowest")


def test_the_error_says_whether_serialization_would_help() -> None:
    large = [entry("stack", owner, 20 * 2**30, "lookup") for owner in "ab"]
    with pytest.raises(SparseCoreError) as raised:
        Ledger(V6E, tuple(large)).check("train")
    assert str(raised.value).endswith(
        ", or fewer devices for each table, or raise xla_sc_num_serialized_tables_to_optimize_hbm,"
        " now 0, so that fewer tables have their HBM stack at once"
    )
    Ledger(V6E, tuple(large), 2).check("train")
    with pytest.raises(SparseCoreError, match=r"or fewer devices for each table$"):
        Ledger(V6E, (entry("stack", "a", 40 * 2**30, "lookup"),)).check("train")


def test_json_has_the_moments() -> None:
    found = json.loads(of_step(2).to_json())
    assert found["serialized_tables"] == 2
    assert found["moments"][0] == {"name": "lookup of b", "phase": "lookup", "bytes": 1075}
    assert len(found["moments"]) == 5
