"""The ledger of HBM: what it lists, and what it adds up."""

from __future__ import annotations

import dataclasses
import json

import pytest

from sdykit.sparsecore.chip import chip
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.memory import (
    Entry,
    Kind,
    Ledger,
    hbm_stack,
    ledger_of,
    sizes_by_limits,
)
from sdykit.sparsecore.memory.layers import ledger_of_stacks
from sdykit.sparsecore.optimizers import Adagrad, Custom, RowWiseAdagrad
from sdykit.sparsecore.specs import FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import stack
from sdykit.sparsecore.tile.spec import LookupSpec, Reading, UpdateSpec

V6E = chip("v6e")
READINGS: tuple[Reading, ...] = ("cpu", "chip")


def entry(kind: Kind, size: int, **fields: str) -> Entry:
    return Entry(**{"kind": kind, "owner": "users", "name": kind, "bytes": size, **fields})  # type: ignore[arg-type]


LEDGER = Ledger(
    V6E,
    (
        entry("table", 1000),
        entry("stack", 30, phase="lookup"),
        entry("stack", 20, phase="update", name="second stack"),
        entry("activations", 15, phase="update"),
        entry("simulator", 10**12, phase="update", note="int64[2,5]"),
    ),
)


def test_the_peak_is_the_phase_with_most_bytes_of_the_chip() -> None:
    """What only the simulator needs does not count."""
    assert (LEDGER.peak, LEDGER.bytes) == ("update", 1035)
    assert LEDGER.simulator_bytes == 10**12
    assert LEDGER.bytes_by_kind() == {
        "table": 1000,
        "stack": 20,
        "activations": 15,
        "simulator": 10**12,
    }
    LEDGER.check("train")
    assert LEDGER.plus([entry("temporary", 4, phase="lookup")]).peak == "update"
    assert LEDGER.plus([entry("temporary", 6, phase="lookup")]).peak == "lookup"


def test_a_ledger_prints_as_a_table_with_the_simulator_apart() -> None:
    assert str(LEDGER).splitlines() == [
        "HBM of a device of chip v6e: 1,035 of 34,359,738,368 bytes (0.0%) while updates run",
        "kind         of     what          during  bytes",
        "table        users  table                 1,000",
        "activations  users  activations   update     15",
        "stack        users  stack         lookup     30",
        "stack        users  second stack  update     20",
        "",
        "Of the simulator, and not of the chip: 1,000,000,000,000 bytes",
        "kind       of     what       during              bytes",
        "simulator  users  simulator  update  1,000,000,000,000  int64[2,5]",
    ]


def test_json_has_what_the_table_has() -> None:
    found = json.loads(LEDGER.to_json())
    entries = tuple(Entry(**each) for each in found.pop("entries"))
    assert entries == LEDGER.entries
    assert found == {
        "chip": "v6e",
        "capacity": 32 * 2**30,
        "bytes": 1035,
        "peak": "update",
        "serialized_tables": 0,
        "is_pipelined": False,
        "moments": [
            {"name": "lookups", "phase": "lookup", "bytes": 1030},
            {"name": "TensorCore", "phase": "TensorCore", "bytes": 1015},
            {"name": "updates", "phase": "update", "bytes": 1035},
        ],
        "simulator_bytes": 10**12,
    }


@pytest.mark.parametrize(
    ("kind", "advice"),
    [
        ("slot", "an optimizer with smaller slots"),
        ("weights", "split them over more devices"),
        ("constant", "split them over more devices"),
        ("input", "maximum_parallel_iterations"),
        ("activations", "use a smaller batch"),
        ("stack", "lower max_unique_ids_per_partition"),
        ("temporary", "lower max_ids_per_partition"),
        ("other", "donate arguments"),
    ],
)
def test_the_advice_is_about_the_kind_that_takes_most(kind: Kind, advice: str) -> None:
    ledger = LEDGER.plus([entry(kind, 32 * 2**30)])
    with pytest.raises(SparseCoreError) as raised:
        ledger.check("train")
    text, _, found = str(raised.value).partition(". To make it fit: ")
    assert advice in found
    assert f"The largest: users: {kind} {32 * 2**30}; users: table 1000" in text
    assert "simulator" not in text


@pytest.mark.parametrize("minibatches", [False, True])
@pytest.mark.parametrize("devices", [1, 2])
def test_the_arguments_of_an_update_are_entries(devices: int, *, minibatches: bool) -> None:
    """Buffers by jax-tpu-embedding's rule; each entry has words, twice, and a pair, of 8 bytes."""
    spec = UpdateSpec(
        dim=24,
        samples_per_core=16,
        max_ids_per_partition=50,
        optimizer=RowWiseAdagrad(0.1),
        minibatches=minibatches,
        num_devices=devices,
    )
    sizes = sizes_by_limits(spec)
    own = 56 * 4 * 4 * devices * (64 if minibatches else 1)
    assert sizes["entries"] == own * devices
    found = ledger_of(spec, {**sizes, "rows": 100}, owner="users").entries
    assert {each.owner for each in found} == {"users"}
    held = {(each.kind, each.name): each.bytes for each in found}
    stack_ = hbm_stack(spec)
    assert stack_ is not None
    expected = {
        ("table", "table"): 100 * 24 * 4,
        ("slot", "accumulator"): 100 * 4,
        ("input", "embedding_ids"): own * 4,
        ("input", "gains"): own * 4,
        ("activations", "gradients"): 64 * 24 * 4,
        ("stack", "HBM stack of the update"): stack_.bytes,
        ("simulator", "words"): own * devices * 16,
        ("simulator", "pairs"): own * devices * 8,
    }
    if devices > 1:
        expected["simulator", "gains of all devices"] = own * devices * 4
        expected["simulator", "gradients of all devices"] = 64 * devices * 24 * 4
    assert expected.items() <= held.items()


@pytest.mark.parametrize(
    ("rows", "unique", "slots"),
    [(100, 50, 100), (10**6, 50, 50 * 8 * 4 * 64), (10**6, 5, 5 * 8 * 4 * 64)],
)
def test_a_chip_keeps_a_gradient_of_each_row_from_the_first_minibatch_to_the_last(
    rows: int, unique: int, slots: int
) -> None:
    """Of all rows, or of the unique ids of 64 minibatches, of 8 SparseCores for 4 partitions each."""
    spec = UpdateSpec(
        dim=24,
        samples_per_core=16,
        max_ids_per_partition=50,
        max_unique_ids_per_partition=unique,
        minibatches=True,
        num_devices=2,
    )
    sizes = {**sizes_by_limits(spec), "rows": rows}
    expected = {
        "gradient_parts": slots * 24 * 4,
        "rows_of_slots": slots * 4,
        "slots_of_rows": rows * 4,
    }
    found: tuple[Entry, ...] = ()
    for reading in READINGS:
        found = ledger_of(dataclasses.replace(spec, reading=reading), sizes, owner="users").entries
        kept = [each for each in found if each.kind == "temporary"]
        assert {each.name: each.bytes for each in kept} == expected
        assert {(each.owner, each.phase) for each in kept} == {("users", "update")}
    # In the chip reading, the parts of both devices are apart, with room for all entries.
    whole = sizes["entries"] * 2 * 24 * 4
    rest = {each.name: each.bytes for each in found if each.kind == "simulator"}
    assert rest["gradient_parts, the rest"] == whole - expected["gradient_parts"]
    assert rest["rows_of_slots, the rest"] == sizes["entries"] * 4 - expected["rows_of_slots"]
    assert "slots_of_rows, the rest" not in rest
    one = dataclasses.replace(spec, minibatches=False)
    sizes = {**sizes_by_limits(one), "rows": rows}
    assert "gradient_parts" not in [each.name for each in ledger_of(one, sizes).entries]


def test_entries_of_unknown_size_are_left_out() -> None:
    spec = LookupSpec(dim=16, samples_per_core=8, layout="ids")
    assert [each.name for each in ledger_of(spec).entries] == ["activations"]
    sizes = {"valency": 3, "rows": 100}
    found = {each.name: each.note for each in ledger_of(spec, sizes).entries}
    assert found == {
        "ids": "int32[32,3]",
        "gains": "float32[32,3]",
        "table": "float32[100,16]",
        "activations": "float32[32,16]",
    }


def test_raw_ids_are_sorted_in_the_hbm_of_the_chip() -> None:
    spec = UpdateSpec(dim=16, samples_per_core=8, layout="ids")
    found = ledger_of(spec, {"valency": 3, "rows": 100, "entries": 96})
    assert not found.simulator_bytes
    kinds = {each.name: each.kind for each in found.entries}
    assert {name for name, kind in kinds.items() if kind == "temporary"} == {
        "words",
        "pairs",
        "parts",
        "starts",
    }


def test_a_layer_prefetches_its_buffers() -> None:
    """Table and buffers are entries of lookup and update, and are listed once."""
    system = System(1, 4)
    tables = [TableSpec("users", 1000, 32, Adagrad(0.1)), TableSpec("items", 1000, 16)]
    stacks = stack([FeatureSpec(each.name, each, 64) for each in tables], system)

    def bytes_of(prefetched: int, kind: str) -> int:
        found = ledger_of_stacks(stacks, system, "v5p", prefetched=prefetched)
        names = [(each.owner, each.name, each.phase) for each in found.entries]
        assert len(set(names)) == len(names)
        return found.bytes_by_kind()[kind]

    assert bytes_of(0, "table") == bytes_of(7, "table") == (32 + 16) * 1024 * 4
    buffers = 2 * (3 * 4096 + 32) * 4
    assert bytes_of(0, "input") == buffers
    assert bytes_of(7, "input") == 8 * buffers


def test_tables_that_are_not_updated_have_no_slots() -> None:
    system = System(1, 4)
    table = TableSpec("words", 1000, 32, Adagrad(0.1), dtype="int8")
    found = ledger_of_stacks(stack([FeatureSpec("f", table, 64)], system), system, "v5p")
    sizes = {each.name: each.bytes for each in found.entries if each.kind in ("table", "slot")}
    assert sizes == {"table": 1024 * 32}
    assert {each.phase for each in found.entries} == {"", "lookup"}


def test_a_layer_with_a_users_update_has_its_slots() -> None:
    system = System(1, 4)
    rule = Custom(
        0.1,
        update=lambda g, w, m, v, lr: (w, m, v),
        slot_values=(("m", 0.0),),
        row_slot_values=(("v", 0.0),),
    )
    table = TableSpec("words", 1000, 32, rule)
    found = ledger_of_stacks(stack([FeatureSpec("f", table, 64)], system), system, "v5p")
    sizes = {each.name: each.bytes for each in found.entries if each.kind == "slot"}
    assert sizes == {"m": 1024 * 32 * 4, "v": 1024 * 4}
