"""Programs of specs, edited so that they access memory out of bounds."""

from __future__ import annotations

import re

import numpy as np
import pytest

from sdykit.core import run_pipeline
from sdykit.sparsecore.codegen import compile_module, run
from sdykit.sparsecore.optimizers import Adagrad
from sdykit.sparsecore.tile.build import build_tile
from sdykit.sparsecore.tile.compile import lay_out, parse_tile
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec, UpdateSpec
from support.tile.checked_programs import message
from support.tile.guards import GUARD, guarded
from support.tile.tile_cases import make_buffers

SAMPLES = 20
LOOKUP = LookupSpec(dim=8, samples_per_core=SAMPLES, max_ids_per_partition=64, reading="chip")
UPDATE = UpdateSpec(dim=8, samples_per_core=SAMPLES, optimizer=Adagrad(0.1))
EDITS = {
    "nothing": ("module", "module"),
    "one tile more than the chip has": (
        r"\A((?:.*\n)*?)( *)(scf\.parallel .* to \()%c16\)",
        r"\1\2%tiles = arith.constant 17 : index\n\2\3%tiles)",
    ),
    "row and column of stores exchanged": (
        r"(vector\.store %\S+, %\S+\[)(%\S+), (%\S+)\]",
        r"\1\3, \2]",
    ),
    "partitions of twice the rows of all": (
        r"arith\.divui (%dim\S*), %\S+ : index",
        r"arith.addi \1, \1 : index",
    ),
}


@pytest.mark.parametrize(
    ("spec", "edit"),
    [
        *((LOOKUP, edit) for edit in list(EDITS)[:3]),
        (UPDATE, "nothing"),
        (UPDATE, "partitions of twice the rows of all"),
    ],
)
def test_an_edit_out_of_bounds_is_reported_and_harms_no_memory(spec: TileSpec, edit: str) -> None:
    rng = np.random.default_rng(5)
    built = build_tile(spec)
    text, count = re.subn(*EDITS[edit], built.text)
    assert count
    module = parse_tile(text)
    lay_out(module, spec.reading)
    run_pipeline(module, "sparsecore-check-bounds")
    buffers = make_buffers(rng, "v5p", samples_per_core=SAMPLES)
    rows = 4 * buffers.rows_per_core
    given = {
        **buffers.arrays,
        "table": rng.standard_normal((rows, 8)).astype(np.float32),
        "slot_accumulator": np.ones((rows, 8), np.float32),
        "gradients": np.ones((4 * SAMPLES, 8), np.float32),
        "learning_rate": np.array(0.1, np.float32),
    }
    pointers = len(given["row_pointers"])
    sizes = {"entries": len(given["sample_rows"]), "rows": rows, "pointers": pointers}
    arrays = []
    for argument in built.arguments:
        shape = [sizes[size] if isinstance(size, str) else size for size in argument.shape]
        arrays.append(guarded(given.get(argument.name, np.zeros(shape, argument.dtype))))
    run(compile_module(module, cache=None), [inside for _, inside in arrays])
    status = next(
        inside
        for argument, (_, inside) in zip(built.arguments, arrays, strict=True)
        if argument.role == "status"
    )
    assert (message(module, status) == "ok") == (edit == "nothing")
    for memory, _ in arrays:
        assert np.all(memory[:GUARD] == 171)
        assert np.all(memory[-GUARD:] == 171)
