"""The memory of a step: of tables, specs and runs; what padding wastes."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.chip import chip
from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.memory import Entry, Ledger, hbm_stack
from sdykit.sparsecore.memory.padding import LimitUse, StackShape, waste_of
from sdykit.sparsecore.memory.step import memory_of_run, memory_of_specs, memory_of_tables
from sdykit.sparsecore.optimizers import SGD, Adagrad, Custom, RowWiseAdagrad
from sdykit.sparsecore.specs import FeatureSpec, System, TableSpec
from sdykit.sparsecore.tile.spec import LookupSpec, UpdateSpec
from support.amounts import examples
from support.runs import LIMITS, make_run, with_fields

SYSTEM = System(2, 4)
OPTIMIZERS = (SGD(0.1), Adagrad(0.1), RowWiseAdagrad(0.1))


def features(*tables: TableSpec) -> list[FeatureSpec]:
    return [FeatureSpec(f"of {each.name}", each, 64) for each in tables]


@settings(derandomize=True, deadline=None, max_examples=examples(25))
@given(
    st.lists(
        st.tuples(st.integers(1, 3000), st.integers(1, 40), st.integers(0, 2)),
        min_size=1,
        max_size=5,
    ),
    st.booleans(),
)
def test_what_is_not_wasted_is_what_the_tables_have(
    sizes: list[tuple[int, int, int]], apart: bool
) -> None:
    """Against the numbers of a user: rows times columns, of the table and of each slot."""
    tables = [
        TableSpec(f"t{at}", rows, width, OPTIMIZERS[kind])
        for at, (rows, width, kind) in enumerate(sizes)
    ]
    config = SparsecoreConfig(disable_table_stacking=apart)
    memory = memory_of_tables(features(*tables), System(1, 4), "v5p", config)
    held = sum(each.bytes for each in memory.ledger.entries if each.kind in ("table", "slot"))
    wasted = sum(each.bytes for each in memory.waste)
    needed = 0
    for rows, width, kind in sizes:
        columns = {0: width, 1: 2 * width, 2: width + 1}[kind]
        needed += 4 * rows * columns
    assert held - wasted == needed
    for each in memory.waste:
        assert 0 < each.bytes < each.of


def test_tables_have_programs_limits_and_the_ledger_of_their_layer() -> None:
    config = SparsecoreConfig(
        disable_table_stacking=True,
        maximum_parallel_iterations=3,
        xla_sc_num_serialized_tables_to_optimize_hbm=2,
    )
    tables = (TableSpec("a", 100, 8, Adagrad(0.1)), TableSpec("b", 50, 16, dtype="int8"))
    memory = memory_of_tables(features(*tables), SYSTEM, "v5p", config)
    names = [each.name for each in memory.programs]
    assert names == ["lookup of a", "update of a", "lookup of b"]  # int8 is not updated.
    assert memory.fullest in memory.programs
    assert [(each.stack, each.compiled, each.observed, each.share) for each in memory.limits] == [
        (name, 256, None, None) for name in ("a", "a", "b", "b")
    ]
    assert [each.name for each in memory.ledger.moments][:2] == ["lookup of b", "lookup of a"]
    inputs = [each for each in memory.ledger.entries if each.kind == "input"]
    assert all("and 3 more" in each.note for each in inputs)
    found = json.loads(memory.to_json())
    assert found["hbm"]["bytes"] == memory.ledger.bytes
    assert [each["bytes"] for each in found["spmem"]] == [each.bytes for each in memory.programs]
    assert found["waste"][0]["kind"] == memory.waste[0].kind


def test_an_update_of_the_users_own_is_noted() -> None:
    own = Custom(0.1, update=lambda gradient, table: (table - gradient,))
    memory = memory_of_tables(features(TableSpec("a", 100, 8, own)), SYSTEM, "v5p")
    assert [each.kind for each in memory.programs] == ["lookup"]
    assert memory.notes == ("The update of a is your own: its SPMEM is not known here.",)


def test_specs_have_no_tables() -> None:
    fields: dict[str, Any] = {"dim": 8, "samples_per_core": 64, "label": "a", **LIMITS}
    lookup, update = LookupSpec(**fields), UpdateSpec(**fields)
    memory = memory_of_specs([lookup, update])
    assert memory.notes == (
        "The rows of a table are not part of a spec: tables and slots are left out.",
    )
    stacks = [each.bytes for each in memory.ledger.entries if each.kind == "stack"]
    assert stacks == [x.bytes for x in (hbm_stack(lookup), hbm_stack(update)) if x]
    inputs = [each.name for each in memory.ledger.entries if each.kind == "input"]
    assert len(inputs) == len(set(inputs))  # Those of the lookup are those of the update.
    assert [each.name for each in memory.ledger.moments] == ["lookups", "TensorCore", "updates"]
    assert len(memory.limits) == 2
    ids = memory_of_specs([LookupSpec(dim=8, samples_per_core=64, layout="ids")])
    assert ids.limits == ()
    assert ids.notes[1].startswith("Raw ids have no limits")


def test_specs_of_several_chips_are_an_error() -> None:
    specs = [LookupSpec(dim=8, samples_per_core=64, chip=name) for name in ("v5p", "v6e")]
    with pytest.raises(SparseCoreError) as raised:
        memory_of_specs(specs)
    assert str(raised.value) == "memory: the specs are of the chips v5p, v6e; expected one chip"
    with pytest.raises(SparseCoreError, match="of the chips none"):
        memory_of_specs([])


def test_limits_of_a_run_are_beside_what_its_batches_needed() -> None:
    run = make_run(tables=2)
    memory = memory_of_run(run)
    assert [each.name for each in memory.programs] == [
        f"{kind} of table_{at}" for kind in ("lookup", "update") for at in (0, 1)
    ]
    for each in memory.limits:
        rows = run.batches.stack == each.stack
        counts = {
            "max_ids_per_partition": run.batches.max_ids,
            "max_unique_ids_per_partition": run.batches.max_unique_ids,
        }[each.name]
        assert each.compiled == LIMITS[each.name]
        assert each.observed == counts[rows].max()
    padding = [each for each in memory.waste if each.kind == "vocabulary padding"]
    assert [each.bytes for each in padding] == [24 * 32 * 4] * 2


def test_a_run_without_a_ledger_has_that_of_its_programs() -> None:
    settings_ = {"xla_sc_num_serialized_tables_to_optimize_hbm": 2}
    run = with_fields(make_run(tables=2), ledger=None, settings=settings_)
    memory = memory_of_run(run)
    assert memory.notes == (
        "The run has no ledger of HBM: only what follows from its programs is known.",
    )
    assert memory.ledger.serialized_tables == 2
    assert memory_of_run(run, 0).ledger.serialized_tables == 0
    wasted = [each for each in memory.waste if each.kind == "limit"]
    assert len(wasted) == 4  # Of two tables, the lookup and the update.
    observed = {each.stack: each.observed for each in memory.limits if "unique" in each.name}
    for each in wasted:
        used = observed[each.owner]
        assert used is not None
        assert each.bytes == each.of - each.of * used // 48
        assert f"is 48, observed {used}" in each.note


def test_a_program_whose_table_is_unknown_is_named_by_its_spec() -> None:
    run = make_run(tables=1)
    programs = tuple(dataclasses.replace(each, name="") for each in run.programs)
    assert [each.name for each in memory_of_run(with_fields(run, programs=programs)).programs] == [
        "lookup",
        "update",
    ]


def test_a_limit_that_is_used_up_wastes_nothing() -> None:
    entry = Entry(kind="stack", owner="a", name="stack", bytes=1000, phase="lookup")
    ledger = Ledger(chip("v5p"), (entry,))
    shape = StackShape("a", 64, 8, (("a", 64, 8),))

    def wasted(observed: int | None) -> list[int]:
        use = LimitUse("a", "max_unique_ids_per_partition", 10, observed)
        return [each.bytes for each in waste_of(ledger, [shape], [use])]

    assert (wasted(10), wasted(None), wasted(12), wasted(4), wasted(0)) == (
        [],
        [],
        [],
        [600],
        [900],
    )


def test_entries_that_hold_no_id_are_wasted() -> None:
    """Against the figures of the run: 100 ids in each sampled step."""
    settings_ = {"maximum_parallel_iterations": 1}
    memory = memory_of_run(with_fields(make_run(tables=2), ledger=None, settings=settings_))
    wasted = {each.owner: each for each in memory.waste if each.kind == "entries"}
    room = 64 * 4 * 4  # For each pair of SparseCores, as many as the limit.
    for name in ("table_0", "table_1"):
        each = wasted[name]
        assert each.of == 3 * 4 * room * 2  # Three arrays, of this step and one that is prefetched.
        assert each.bytes == round(each.of * (1 - 100 / room))
        assert each.note == f"room for {room:,} entries, 100 ids on average"
