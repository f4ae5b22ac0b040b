"""Bounds checks: exact where something is wrong; `run_tile` sees that they are silent elsewhere."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from sdykit.mlir import ir
from sdykit.sparsecore.optimizers import Adagrad
from sdykit.sparsecore.preprocess import Layout
from sdykit.sparsecore.tile.compile import compile_tile, parse_tile
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec, UpdateSpec
from sparsecore.tile.tile_cases import (
    COMPILE,
    LAYOUTS,
    Arrays,
    Buffers,
    Compiler,
    make_buffers,
    run_tile,
    same_bits,
)


def message(spec: TileSpec, status: np.ndarray, compiled: Compiler = COMPILE) -> str:
    """Read the status as a caller does."""
    module = parse_tile(compiled(spec).source.text)
    entry = module.body.operations[0].operation
    texts = [
        ir.StringAttr(each).value for each in ir.ArrayAttr(entry.attributes["sparsecore.messages"])
    ]
    text = texts[status[0]]
    for number in range(1, 8):
        text = text.replace(f"{{{number}}}", str(status[number]))
    return text


def arrays_for(rng: np.random.Generator, buffers: Buffers, dim: int) -> Arrays:
    table = rng.standard_normal((buffers.rows_per_core * 4, dim)).astype(np.float32)
    gradients = rng.standard_normal((buffers.samples_per_core * 4, dim)).astype(np.float32)
    return {
        **buffers.arrays,
        "table": table,
        "slot_accumulator": np.ones_like(table),
        "gradients": gradients,
        "learning_rate": np.array(0.1, np.float32),
    }


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_wrong_id_is_named(layout: Layout) -> None:
    rng = np.random.default_rng(3)
    buffers = make_buffers(rng, "v5p", layout=layout)
    arrays = arrays_for(rng, buffers, 16)
    name = "sample_rows" if layout == "sdykit" else "embedding_ids"
    arrays[name] = np.full_like(arrays[name], 10**6)
    spec = LookupSpec(dim=16, samples_per_core=5, check_bounds=True, layout=layout)
    found, _ = run_tile(spec, arrays)
    expected = {
        "sdykit": "'vector.load' of 8 elements at [1000000, 0] is out of the bounds of table, "
        "whose sizes are [64, 16]",
        "jax_tpu_embedding": f"'memref.load' at [{found['status'][1]}] of embedding_ids gives "
        "[1000000], which is no row of one of the 4 parts of table, whose rows are [16]",
    }
    assert message(spec, found["status"]) == expected[layout]
    # What sorts the entries finds it before anything is written.
    is_unwritten = layout == "jax_tpu_embedding"
    assert np.isnan(found["activations"]).all() if is_unwritten else not found["activations"].any()


def test_rows_of_another_partition_are_named() -> None:
    """Partitions have 16 rows; row 16 of one is row 0 of the next."""
    rng = np.random.default_rng(3)
    buffers = make_buffers(rng, "v5p", layout="jax_tpu_embedding")
    arrays = arrays_for(rng, buffers, 16)
    arrays["embedding_ids"] = np.full_like(arrays["embedding_ids"], 16)
    lookup = LookupSpec(dim=16, samples_per_core=5, layout="jax_tpu_embedding")
    update = UpdateSpec(dim=16, samples_per_core=5, optimizer=Adagrad(0.1))
    for spec in (lookup, update):
        checked = dataclasses.replace(spec, check_bounds=True)
        found, _ = run_tile(checked, arrays)
        assert message(checked, found["status"]) == (
            f"'memref.load' at [{found['status'][1]}] of embedding_ids gives [16], which is no row "
            "of one of the 4 parts of table, whose rows are [16]"
        )
        assert same_bits(found["table"], arrays["table"])


def test_an_update_with_wrong_ids_leaves_the_table() -> None:
    rng = np.random.default_rng(4)
    buffers = make_buffers(rng, "v5p")
    arrays = arrays_for(rng, buffers, 16)
    arrays["embedding_ids"] = np.full_like(arrays["embedding_ids"], 2**31 - 1)
    spec = UpdateSpec(dim=16, samples_per_core=5, optimizer=Adagrad(0.1), check_bounds=True)
    found, _ = run_tile(spec, arrays)
    assert message(spec, found["status"]).startswith("'memref.load' at [")
    assert same_bits(found["table"], arrays["table"])


def test_no_trace_of_the_checks_when_off() -> None:
    spec = LookupSpec(dim=4, samples_per_core=4)
    compiled = compile_tile(spec, cache=None)
    assert "status" not in compiled.source.text
    assert [argument.role for argument in compiled.source.arguments].count("status") == 0
