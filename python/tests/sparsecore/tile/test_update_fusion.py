"""Updates before and after each fusion equal the reference bit for bit."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.optimizers import SGD, Adagrad, Adam
from sdykit.sparsecore.preprocess import Layout, Minibatching
from sdykit.sparsecore.tile.build import build_tile
from sdykit.sparsecore.tile.compile import CompiledTile, compile_tile
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, TileSpec, UpdateSpec
from support.tile.device_cases import check_update as check_update_on_devices
from support.tile.fusion_cases import compile_after
from support.tile.id_cases import SGD_STABLEHLO, check_update, make_case
from support.tile.tile_cases import (
    CHIPS,
    LAYOUTS,
    MINIBATCHINGS,
    Compiler,
    arrays_for,
    make_buffers,
    message,
    run_tile,
    same_bits,
)
from support.tile.update_cases import OPTIMIZERS, check

SAME_EVERY_TIME = settings(derandomize=True, deadline=None, max_examples=5)
FUSIONS = ("sparsecore-update-in-place", "sparsecore-join-row-steps")
TEXTS = ('sparsecore.step = "gather"', '"unique_rows"')
"""For each of these passes, a text that programs have before it, and not after it."""
FEW: dict[str, Any] = {"max_ids_per_partition": 1000, "max_unique_ids_per_partition": 1}
"""Limits with which a tile has room for as many rows as there are SparseCores; only raw ids may have
more."""


def limits(ids: int, unique: int) -> dict[str, Any]:
    return {"max_ids_per_partition": ids, "max_unique_ids_per_partition": unique}


ALL = limits(1000, 15)
"""Limits that allow all rows of a partition: 60 ids, in 4 of them."""


def compile_some(spec: TileSpec, fused: int) -> CompiledTile:
    """Compile a program after only the first fusions, `fused` of them."""
    tile = compile_after(spec, *FUSIONS[:fused], "sparsecore-verify-steps")
    assert [text in tile.source.text for text in TEXTS] == [k >= fused for k in range(2)]
    return tile


def compiler_after(fused: int = 0) -> Compiler:
    """Return a compiler that does so."""
    return partial(compile_some, fused=fused)


@SAME_EVERY_TIME
@given(st.data(), st.integers(0, 2))
def test_an_update_of_buffers_equals_the_reference_after_any_fusions(
    data: st.DataObject, fused: int
) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    chip = data.draw(st.sampled_from(sorted(CHIPS)))
    minibatching: Minibatching = data.draw(st.sampled_from(MINIBATCHINGS))
    layout: Layout = data.draw(st.sampled_from(LAYOUTS))
    samples = data.draw(st.sampled_from([1, 5, 40]))
    limit = data.draw(st.sampled_from([8, 1000]))
    buffers = make_buffers(
        rng,
        chip,
        samples_per_core=samples,
        vocabulary=data.draw(st.sampled_from([1, 7, 60, 1000])),
        max_ids=data.draw(st.sampled_from([0, 1, 8, 30])),
        limit=limit,
        layout=layout,
        minibatching=minibatching,
        dropping=True,
    )
    spec = UpdateSpec(
        dim=data.draw(st.integers(1, 20) | st.sampled_from([128, 130, 256, 300])),
        samples_per_core=samples,
        minibatches=minibatching != "off",
        chip=chip,
        layout=layout,
        optimizer=data.draw(st.sampled_from(list(OPTIMIZERS.values()))),
        **limits(limit, limit),
    )
    check(rng, buffers, spec, 3, data.draw(st.integers(1, 3)), compiled=compiler_after(fused))


@SAME_EVERY_TIME
@given(st.data(), st.integers(0, 1))
def test_an_update_of_ids_equals_the_sums_after_any_fusions(
    data: st.DataObject, fused: int
) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    spec = UpdateSpec(
        dim=data.draw(st.sampled_from([1, 5, 8, 130, 384])),
        samples_per_core=data.draw(st.sampled_from([1, 3, 17])),
        num_devices=data.draw(st.sampled_from([1, 2, 4])),
        chip=data.draw(st.sampled_from(sorted(CHIPS))),
        layout="ids",
        gains=data.draw(st.booleans()),
        optimizer=data.draw(st.sampled_from([SGD(0.1), Adagrad(0.1), Adam(0.1)])),
        **data.draw(st.sampled_from([FEW, {}])),
    )
    valency, rows = data.draw(st.sampled_from([0, 1, 9])), data.draw(st.sampled_from([1, 64, 5000]))
    live = data.draw(st.sampled_from([0.0, 0.5, 1.0]))
    check_update(rng, spec, make_case(rng, spec, valency, rows, live), 2, compiler_after(fused))


@pytest.mark.parametrize("minibatching", ["off", "vocabulary"])
@pytest.mark.parametrize("fused", [0, 1])
def test_an_update_on_two_devices_equals_the_reference_after_any_fusions(
    minibatching: Minibatching, fused: int
) -> None:
    rng = np.random.default_rng(fused)
    buffers = make_buffers(
        rng, "v5p", limit=8, max_ids=20, minibatching=minibatching, num_devices=2, dropping=True
    )
    spec = UpdateSpec(
        dim=(130, 256)[fused],
        samples_per_core=5,
        num_devices=2,
        minibatches=minibatching != "off",
        optimizer=Adagrad(0.1),
        **limits(8, 8),
    )
    check_update_on_devices(rng, spec, buffers, compiler_after(fused))


@pytest.mark.parametrize("fused", [0, 1])
def test_rows_with_entries_of_several_tiles_equal_the_reference(fused: int) -> None:
    """Each partition has 2 rows and about 600 entries: most tiles begin within one."""
    rng = np.random.default_rng(fused)
    buffers = make_buffers(rng, "v5p", vocabulary=8, samples_per_core=40, max_ids=30)
    check(
        rng,
        buffers,
        UpdateSpec(dim=5, samples_per_core=40, **limits(1000, 2)),
        3,
        2,
        compiled=compiler_after(fused),
    )


@pytest.mark.parametrize("fused", [0, 1, 2])
def test_each_row_is_read_and_written_once(fused: int) -> None:
    rng = np.random.default_rng(1)
    buffers = make_buffers(rng, "v5p", max_ids=20)
    spec = UpdateSpec(dim=12, samples_per_core=5, optimizer=Adagrad(0.1), counters=True, **ALL)
    found, _ = run_tile(spec, arrays_for(rng, buffers, 12), 2, compiler_after(fused))
    names = re.search(r"sparsecore.counted = \[(.*?)\]", compiler_after(fused)(spec).source.text)
    assert names is not None
    columns = zip(json.loads(f"[{names[1]}]"), found["counters"].sum(axis=0).tolist(), strict=True)
    sums: Counter[str] = Counter()
    for name, count in columns:
        sums[name.rpartition(": ")[2]] += count
    entries, rows = len(buffers.entries), len(np.unique(buffers.entries.id))
    assert sums["bytes read from gradients"] == entries * 48
    for name in ("table", "slot_accumulator"):
        assert sums[f"bytes read from {name}"] == rows * 48
        assert sums[f"bytes written to {name}"] == rows * 48


@pytest.mark.parametrize(
    ("array", "value", "expected"),
    [
        ("gradients", np.nan, "NaN read from gradients at or after ["),
        ("slot_accumulator", np.nan, "NaN read from slot_accumulator at or after ["),
        ("slot_accumulator", -1e30, "NaN written to table at or after ["),
    ],
)
def test_a_nan_is_reported_before_fusion(array: str, value: float, expected: str) -> None:
    rng = np.random.default_rng(2)
    arrays = arrays_for(rng, make_buffers(rng, "v5p"), 12)
    arrays[array] = np.full_like(arrays[array], value)
    spec = UpdateSpec(dim=12, samples_per_core=5, optimizer=Adagrad(0.1), check_nan=True)
    found, _ = run_tile(spec, arrays, 1, compiler_after())
    assert message(spec, found["status"], compiler_after()).startswith(expected)


def test_a_user_update_of_a_flat_table_equals_the_built_in_one() -> None:
    rng = np.random.default_rng(3)
    fields: dict[str, Any] = {"dim": 1, "samples_per_core": 5, "flat": True, **ALL}
    arrays = arrays_for(rng, make_buffers(rng, "v5p"), 1)
    given = {**arrays, "table": arrays["table"].ravel()}
    specs = (
        CustomUpdateSpec(**fields, stablehlo=SGD_STABLEHLO),
        UpdateSpec(**fields, optimizer=SGD(0.1)),
    )
    expected, _ = run_tile(specs[1], given)
    for spec in specs:
        found, _ = run_tile(spec, given, 1, compiler_after())
        assert same_bits(found["table"], expected["table"])
    assert not same_bits(expected["table"], given["table"])


@pytest.mark.parametrize("dim", [8, 130, 256])
def test_all_fusions_leave_one_loop_and_no_copies(dim: int) -> None:
    """Of a row of several groups of columns, the sums stay in SPMEM."""
    spec = UpdateSpec(dim=dim, samples_per_core=5, optimizer=Adam(0.1))
    tile = compile_tile(spec, cache=None)
    assert "memref.copy" in build_tile(spec).text
    phase = tile.source.text.rpartition("scf.parallel")[2]
    assert "memref.copy" not in phase
    types = re.findall(r'memref.alloc.* : memref<(.*), "spmem">', phase)
    assert types == (["1x256xf32"] if dim == 256 else [])
    assert phase.count("scf.for") == (2 if dim == 256 else 0)
    assert all(text not in phase for text in TEXTS)
