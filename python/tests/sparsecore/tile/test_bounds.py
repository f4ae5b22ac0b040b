"""Bounds checks are there if they are asked for; `run_tile` sees that they are silent."""

from __future__ import annotations

import numpy as np

from sdykit.mlir import ir
from sdykit.sparsecore.tile.compile import parse_tile
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec
from support.tile.tile_cases import (
    COMPILE,
    Arrays,
    Buffers,
    Compiler,
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


def test_no_trace_of_other_checks_when_off() -> None:
    """All that checks add without a flag looks at input: no access is guarded."""
    text = COMPILE(LookupSpec(dim=4, samples_per_core=4)).source.text
    assert "out of the bounds" not in text
    checked = COMPILE(LookupSpec(dim=4, samples_per_core=4, check_bounds=True)).source.text
    assert "out of the bounds" in checked
