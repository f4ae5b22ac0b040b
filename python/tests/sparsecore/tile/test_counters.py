"""Counters of programs, against a recount from the inputs."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from sdykit.mlir import ir
from sdykit.sparsecore.optimizers import Adagrad
from sdykit.sparsecore.preprocess import Layout
from sdykit.sparsecore.tile.compile import compile_tile, parse_tile
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec, UpdateSpec
from support.tile.tile_cases import Arrays, arrays_for, make_buffers, run_tile, same_bits

DIM = 12


def counted(spec: TileSpec, arrays: Arrays) -> dict[str, int]:
    """Run with and without counters; return the sums of the counters by their names."""
    checked = dataclasses.replace(spec, counters=True)
    found, _ = run_tile(checked, arrays, threads=2)
    plain, _ = run_tile(spec, arrays)
    for name in ("activations", "table", "slot_accumulator"):
        assert name not in plain or same_bits(found[name], plain[name])
    module = parse_tile(compile_tile(checked, cache=None).source.text)
    entry = module.body.operations[0].operation
    names = [
        ir.StringAttr(each).value for each in ir.ArrayAttr(entry.attributes["sparsecore.counted"])
    ]
    return dict(zip(names, found["counters"].sum(axis=0).tolist(), strict=True))


@pytest.mark.parametrize("layout", ["sdykit", "jax_tpu_embedding"])
@pytest.mark.parametrize("check_bounds", [False, True])
def test_counters_of_buffers_are_the_bytes_of_their_entries(
    layout: Layout, *, check_bounds: bool
) -> None:
    rng = np.random.default_rng(1)
    buffers = make_buffers(rng, "v5p", layout=layout, max_ids=20)
    arrays = arrays_for(rng, buffers, DIM)
    lookup = LookupSpec(
        dim=DIM, samples_per_core=5, layout=layout, check_bounds=check_bounds, reading="chip"
    )
    found = counted(lookup, arrays)
    entries, rows = buffers.entries, len(np.unique(buffers.entries.id))
    sent = {*zip(entries.core, entries.id, strict=True)}
    assert 0 < rows < len(sent) < len(entries)
    assert found["load: bytes read from embedding_ids"] == len(entries) * 4
    assert found["gather: bytes read from table"] == len(sent) * DIM * 4
    assert found["store: bytes written to activations"] == 20 * DIM * 4
    update = UpdateSpec(
        dim=DIM,
        samples_per_core=5,
        optimizer=Adagrad(0.1),
        check_bounds=check_bounds,
        reading="chip",
    )
    found = counted(update, arrays)
    assert found["reduce_gradients: bytes read from gradients"] == len(entries) * DIM * 4
    for name in ("table", "slot_accumulator"):
        assert found[f"scatter: bytes written to {name}"] == rows * DIM * 4


def test_counters_of_ids_are_the_bytes_of_their_rows() -> None:
    rng = np.random.default_rng(2)
    ids = rng.integers(-20, 40, (8, 7)).astype(np.int32)
    spec = LookupSpec(
        dim=DIM, samples_per_core=4, chip="v6e", layout="ids", gains=False, reading="chip"
    )
    found = counted(spec, {"ids": ids, "table": np.ones((40, DIM), np.float32)})
    # A tile has one sample.
    unique = sum(len(np.unique(each[each >= 0])) for each in ids)
    assert found["gather: bytes read from table"] == unique * DIM * 4


@pytest.mark.parametrize("kind", [LookupSpec, UpdateSpec])
def test_a_program_for_a_cpu_does_not_count(kind: type[TileSpec]) -> None:
    spec = kind(dim=DIM, samples_per_core=5)
    text = compile_tile(spec, cache=None).source.text
    assert compile_tile(dataclasses.replace(spec, counters=True), cache=None).source.text == text
    assert "count" not in text.replace("counts", "")
