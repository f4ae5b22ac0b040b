"""Printed programs of specs, run from JAX as an editor would leave them."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from sdykit.bridge import ffi
from sdykit.sparsecore.optimizers import SGD
from sdykit.sparsecore.tile.build import build_tile
from sdykit.sparsecore.tile.compile import lay_out, parse_tile
from sdykit.sparsecore.tile.spec import UpdateSpec
from sdykit.sparsecore.tile.update.build import update_arguments
from support.tile.tile_cases import make_buffers, run_tile, same_bits

DIM = 4


@pytest.mark.parametrize("stage", ["tile", "spmem"])
def test_a_printed_update_runs_as_its_spec(stage: str) -> None:
    rng = np.random.default_rng(0)
    layout = "jax_tpu_embedding"
    buffers = make_buffers(rng, "v5p", vocabulary=400, max_ids=900, limit=1000, layout=layout)
    spec = UpdateSpec(
        dim=DIM,
        samples_per_core=5,
        layout=layout,
        optimizer=SGD(0.1),
        max_ids_per_partition=1000,
        max_unique_ids_per_partition=100,
    )
    text = build_tile(spec).text
    if stage == "spmem":
        module = parse_tile(text)
        lay_out(module)
        text = str(module)
    given = {
        **buffers.arrays,
        "gradients": rng.standard_normal((20, DIM)).astype(np.float32),
        "table": rng.standard_normal((4 * buffers.rows_per_core, DIM)).astype(np.float32),
        "learning_rate": np.array(0.1, np.float32),
    }
    arguments = update_arguments(spec)
    operands = [each for each in arguments if each.role not in ("workspace", "status")]
    entries = len(given["embedding_ids"])
    results = [jax.ShapeDtypeStruct(given["table"].shape, np.float32)]
    for each in arguments:
        if each.role == "workspace":
            shape = tuple(entries if isinstance(size, str) else size for size in each.shape)
            results.append(jax.ShapeDtypeStruct(shape, each.dtype))
    table = [each.name for each in operands].index("table")
    with jax.enable_x64(True):
        arrays = [given[each.name] for each in operands]
        found = ffi.call(text, arrays, results, input_output_aliases={table: 0})[0]
    assert entries > 1000
    expected, _ = run_tile(spec, given)
    assert same_bits(np.asarray(found), expected["table"])
