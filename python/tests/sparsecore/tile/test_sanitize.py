"""The sanitizer finds what changes buffers that it does not own, and changes no result."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Any

import numpy as np
import pytest

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.optimizers import Adagrad
from sdykit.sparsecore.tile.compile import compile_tile
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec, UpdateSpec, spec_from_json
from support.tile.faults import Fault, compile_faulty, overrun_in, store_before, store_in
from support.tile.tile_cases import (
    arrays_for,
    make_buffers,
    message,
    message_of,
    run_once,
    same_bits,
)

ALL = ("TC", "SC_SCS", "SC_TILE")
LOOKUP = LookupSpec(dim=12, samples_per_core=5, max_ids_per_partition=80, reading="chip")
UPDATE = UpdateSpec(
    dim=12,
    samples_per_core=5,
    max_ids_per_partition=80,
    optimizer=Adagrad(0.1),
    reading="chip",
)
MINIBATCHES: dict[str, Any] = {"minibatches": True, "layout": "jax_tpu_embedding"}


@pytest.mark.parametrize(
    "spec",
    [
        LOOKUP,
        dataclasses.replace(LOOKUP, **MINIBATCHES),
        dataclasses.replace(LOOKUP, check_bounds=True, check_nan=True, counters=True),
        UPDATE,
        dataclasses.replace(UPDATE, **MINIBATCHES),
        dataclasses.replace(UPDATE, staging="hbm"),
    ],
)
def test_of_a_right_program_nothing_is_reported_and_results_are_equal(spec: TileSpec) -> None:
    rng = np.random.default_rng(2)
    minibatching = "vocabulary" if spec.minibatches else "off"
    buffers = make_buffers(rng, "v5p", limit=40, layout=spec.layout, minibatching=minibatching)  # type: ignore[arg-type]
    arrays = arrays_for(rng, buffers, 12)
    found, kept = run_once(
        compile_tile(dataclasses.replace(spec, sanitize=ALL), cache=None), arrays
    )
    plain, _ = run_once(compile_tile(spec, cache=None), arrays)
    assert kept
    assert not found["status"].any(), message(spec, found["status"])
    assert all(same_bits(found[name], array) for name, array in plain.items())


def test_raw_ids_are_sanitized() -> None:
    rng = np.random.default_rng(5)
    ids = rng.integers(-1, 8, (20, 3)).astype(np.int32)
    arrays = {"ids": ids, "gains": np.ones((20, 3), np.float32)}
    arrays["table"] = rng.normal(size=(8, 12)).astype(np.float32)
    spec = LookupSpec(dim=12, samples_per_core=5, layout="ids", reading="chip")
    found, _ = run_once(compile_tile(dataclasses.replace(spec, sanitize=ALL), cache=None), arrays)
    plain, _ = run_once(compile_tile(spec, cache=None), arrays)
    assert not found["status"].any()
    assert same_bits(found["activations"], plain["activations"])


def error_of(spec: TileSpec, fault: Fault) -> str:
    """Return the message of a run of a program with a fault."""
    rng = np.random.default_rng(2)
    arrays = arrays_for(rng, make_buffers(rng, "v5p"), 12)
    tile = compile_faulty(spec, fault)
    found, _ = run_once(tile, arrays)
    return message_of(tile.code.interface.messages, found["status"])


FAULTS: list[tuple[TileSpec, str, Fault, str]] = [
    (
        LOOKUP,
        "SC_TILE",
        store_in("exchange_ids", "entry_gains"),
        "sanitizer: step 'exchange_ids' changed 'entry_gains', which it does not write; SparseCore 0, "
        "minibatch 0, partition 0, tile 0",
    ),
    (
        LOOKUP,
        "SC_SCS",
        store_before("gather", "entry_gains"),
        "sanitizer: 'entry_gains' changed between steps 'exchange_ids' and 'gather'; SparseCore 0, "
        "minibatch 0, partition 0",
    ),
    (
        LOOKUP,
        "SC_SCS",
        store_before("store", "sums"),
        "sanitizer: 'sums' changed between steps 'reduce' and 'store'; SparseCore 0",
    ),
    (
        LOOKUP,
        "TC",
        store_in("gather", "gains"),
        "sanitizer: argument 'gains' changed in phase 1, and no step writes it; SparseCore 0",
    ),
    (
        UPDATE,
        "SC_TILE",
        store_in("gather", "gradient_sums"),
        "sanitizer: step 'gather' changed 'gradient_sums', which it does not write; partition 0, tile 0",
    ),
    (
        UPDATE,
        "TC",
        store_in("apply", "gradients"),
        "sanitizer: argument 'gradients' changed in phase 2, and no step writes it; partition 0, tile 0",
    ),
]


@pytest.mark.parametrize(("spec", "core", "fault", "expected"), FAULTS)
def test_a_planted_store_is_found_by_its_core_alone(
    spec: TileSpec, core: str, fault: Fault, expected: str
) -> None:
    """Each core finds the stores that are its own to find, and the other two find none of them."""
    assert error_of(dataclasses.replace(spec, sanitize=(core,)), fault) == expected
    others = tuple(each for each in ALL if each != core)
    assert error_of(dataclasses.replace(spec, sanitize=others), fault) == "ok"


def test_a_row_that_is_stored_after_the_last_one_changes_a_buffer_beside() -> None:
    """No op names the buffer: only its contents tell. With checked bounds, the store is not made."""
    fault = overrun_in("all_to_all", "received")
    found = error_of(dataclasses.replace(LOOKUP, sanitize=("SC_TILE",)), fault)
    assert found.startswith("sanitizer: step 'all_to_all' changed '"), found
    assert found.endswith(
        "', which it does not write; SparseCore 0, minibatch 0, partition 0, tile 0"
    )
    checked = error_of(dataclasses.replace(LOOKUP, sanitize=ALL, check_bounds=True), fault)
    assert "is out of the bounds" in checked


@pytest.mark.parametrize("spec", [LOOKUP, UPDATE])
def test_a_program_without_the_sanitizer_has_no_trace_of_it(spec: TileSpec) -> None:
    plain = compile_tile(spec, cache=None).code
    checked = compile_tile(dataclasses.replace(spec, sanitize=ALL), cache=None).code
    prime = str(0x100000001B3)
    assert prime in checked.llvm
    assert prime not in plain.llvm
    assert not [each for each in plain.interface.messages if "sanitizer" in each]
    without = dataclasses.replace(spec, sanitize=())
    assert compile_tile(without, cache=None).code.objects == plain.objects


def test_the_field_is_read_from_json_and_checked() -> None:
    spec = dataclasses.replace(LOOKUP, sanitize=("TC",))
    assert spec_from_json(spec.to_json()) == spec
    make = partial(LookupSpec, dim=8, samples_per_core=8)
    for fields, text in (
        (
            {"sanitize": ("SC",), "reading": "chip"},
            "lookup: sanitize is ('SC',); expected a tuple of TC, SC_SCS, SC_TILE, or an empty one",
        ),
        (
            {"sanitize": ("TC",)},
            "lookup: sanitize is ('TC',) with reading 'cpu', whose steps are fused; expected reading 'chip'",
        ),
    ):
        with pytest.raises(SparseCoreError) as raised:
            make(**fields)  # type: ignore[arg-type]
        assert str(raised.value) == text
