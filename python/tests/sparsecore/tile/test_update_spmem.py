"""The buffers of an update in SPMEM: the limits decide their sizes, and whether they fit."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import numpy as np
import pytest

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.optimizers import SGD, RowWiseAdagrad
from sdykit.sparsecore.tile.build import build_tile
from sdykit.sparsecore.tile.compile import compile_tile, lay_out, parse_tile
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, Reading, TileSpec, UpdateSpec
from support.tile.tile_cases import make_buffers, run_tile, same_bits

COUNTERS = 8192
SPEC = UpdateSpec(
    dim=16,
    samples_per_core=64,
    max_ids_per_partition=512,
    max_unique_ids_per_partition=16,
    optimizer=SGD(0.1),
    reading="chip",
)
"""A partition has up to 4 * 512 ids: two copies of words are 2048 bytes of each tile. It has up to
4 * 16 rows, which may all begin in one tile: 512 bytes of numbers, and 4096 bytes each of sums and
gathered rows."""


def held(spec: UpdateSpec | CustomUpdateSpec) -> tuple[list[str], list[int]]:
    """Return the types of the allocations in SPMEM, and the bytes of each phase after the checks."""
    module = parse_tile(build_tile(spec).text)
    lay_out(module, "chip")
    text = str(module)
    types = re.findall(r'memref\.alloc\(\).* : memref<(.*), "spmem">', text)
    checks, *sizes = re.findall(r"sparsecore.spmem_bytes = (\d+)", text)
    assert checks == "0"
    return types, [int(size) for size in sizes]


@pytest.mark.parametrize(
    ("fields", "types", "sizes"),
    [
        (
            {},
            ["2x2048xi64", "2048xi32", "64xindex", "64x16xf32", "64x16xf32"],
            [COUNTERS + 2048, 512 + 2 * 4096],
        ),
        (
            {"max_ids_per_partition": 100},
            ["2x400xi64", "2048xi32", "25xindex", "25x16xf32", "25x16xf32"],
            [COUNTERS + 448, 256 + 2 * 1600],
        ),
        (
            {"max_unique_ids_per_partition": 8},
            ["2x2048xi64", "2048xi32", "32xindex", "32x16xf32", "32x16xf32"],
            [COUNTERS + 2048, 256 + 2 * 2048],
        ),
        (
            {"chip": "v6e", "num_devices": 4},
            ["2x4096xi64", "2048xi32", "128xindex", "128x16xf32", "128x16xf32"],
            [COUNTERS + 4096, 1024 + 2 * 8192],
        ),
        (
            {"minibatches": True, "max_ids_per_partition": 8},
            ["2x32xi64", "2048xi32", *["2xindex"] * 2, "2x16xf32", "2x16xf32", "2xindex"],
            [0, 64 + COUNTERS + 3 * 64 + 2 * 128],
        ),
        (
            {"optimizer": RowWiseAdagrad(0.1)},
            ["2x2048xi64", "2048xi32", "64xindex", "64x16xf32", "64x16xf32", "64x1xf32"],
            [COUNTERS + 2048, 512 + 2 * 4096 + 256],
        ),
        (
            {"tile_memory_bytes": COUNTERS},
            ["2048xi32", "64xindex", "64x16xf32"],
            [COUNTERS, 512 + 4096],
        ),
        ({"staging": "hbm"}, ["2048xi32", "64xindex"], [COUNTERS, 512]),
        (
            {"dim": 1024, "tile_memory_bytes": 2**18 - 1},
            ["2x2048xi64", "2048xi32", "64xindex"],
            [10240, 512],
        ),
    ],
)
def test_limits_decide_the_sizes_of_buffers(
    fields: dict[str, Any], types: list[str], sizes: list[int]
) -> None:
    spec = dataclasses.replace(SPEC, **fields)
    assert held(spec) == (types, sizes)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"tile_memory_bytes": COUNTERS + 2047, "staging": "spmem"},
            "Gather operand too large: 2x2048 words (2 x max_ids_per_partition * sparse_cores * "
            "minibatches) are 2048 bytes of each tile, and 1984 of the 10239 bytes of TileSpmem are "
            'left for it; use staging = "auto", a lower max_ids_per_partition, a smaller batch, '
            "narrower rows, or more chips",
        ),
        (
            {"dim": 64, "tile_memory_bytes": 33000, "staging": "spmem"},
            "Gather operand too large: 64x64 floats (min(max_ids_per_partition * sparse_cores * "
            "minibatches / tiles, max_unique_ids_per_partition * sparse_cores * minibatches) x dim) "
            "are 16384 bytes, and 16064 of the 33000 bytes of TileSpmem are left for it. In bytes: "
            "gradient_sums, gathered_table 16384 each (min(max_ids_per_partition * sparse_cores * "
            "minibatches / tiles, max_unique_ids_per_partition * sparse_cores * minibatches) x dim); "
            "unique_rows 512 (min(max_ids_per_partition * sparse_cores * minibatches / tiles, "
            "max_unique_ids_per_partition * sparse_cores * minibatches)); with tiles = 16, minibatches = "
            "1, max_unique_ids_per_partition = 16, sparse_cores = 4, max_ids_per_partition = 512, dim "
            "= 64. To fit: max_unique_ids_per_partition = 15 or max_ids_per_partition = 252; use "
            'staging = "auto", a smaller batch, narrower rows, or more chips',
        ),
        (
            {"tile_memory_bytes": COUNTERS - 1},
            "Fixed size allocations (8192 bytes) do not fit in TileSpmem (8191 bytes): 1 "
            'allocations, the largest of 8192 bytes (memref<2048xi32, "spmem">); '
            "lower max_ids_per_partition, use a smaller batch, more chips, or tiles with more memory",
        ),
    ],
)
def test_a_program_that_does_not_fit_in_spmem_is_an_error(
    fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(SparseCoreError) as error:
        compile_tile(dataclasses.replace(SPEC, **fields), cache=None)
    assert str(error.value) == message


@pytest.mark.parametrize("reading", ["cpu", "chip"])
def test_the_words_of_one_minibatch_must_fit(reading: Reading) -> None:
    """For a CPU, those of 64 minibatches are sorted together: more than a tile could hold."""
    fields: dict[str, Any] = {"minibatches": True, "staging": "spmem", "tile_memory_bytes": 50_000}
    tile = compile_tile(dataclasses.replace(SPEC, reading=reading, **fields), cache=None)
    assert tile.code.interface.arguments


@pytest.mark.parametrize("dim", [19, 300])
def test_results_are_those_of_a_program_that_holds_everything(dim: int) -> None:
    rng = np.random.default_rng(dim)
    buffers = make_buffers(rng, "v5p", vocabulary=2000, max_ids=40, limit=80)
    spec = UpdateSpec(
        dim=dim,
        samples_per_core=5,
        max_ids_per_partition=80,
        max_unique_ids_per_partition=80,
        staging="spmem",
        optimizer=SGD(0.1),
    )
    shape = (4 * buffers.rows_per_core, dim)
    given = {
        **buffers.arrays,
        "gradients": rng.standard_normal((20, dim)).astype(np.float32),
        "table": rng.standard_normal(shape).astype(np.float32),
        "learning_rate": np.array(0.1, np.float32),
    }
    expected, _ = run_tile(spec, given)
    for memory in (None, 8192):  # In the latter, rows are staged in HBM.
        chip = dataclasses.replace(
            spec, reading="chip", tile_memory_bytes=memory, staging="auto" if memory else "spmem"
        )
        found, _ = run_tile(chip, given, 2)
        assert same_bits(found["table"], expected["table"])
    assert not same_bits(expected["table"], given["table"])


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("max_ids_per_partition", 0, "an integer from 1 to 2147483647"),
        ("max_unique_ids_per_partition", 2**31, "an integer from 1 to 2147483647"),
        ("staging", "vmem", "one of auto, spmem, hbm"),
    ],
)
@pytest.mark.parametrize(
    "spec", [SPEC, CustomUpdateSpec(dim=4, samples_per_core=4, stablehlo="")], ids=["any", "custom"]
)
def test_a_wrong_field_is_an_error_with_its_name_and_value(
    spec: TileSpec, field: str, value: object, expected: str
) -> None:
    with pytest.raises(SparseCoreError) as error:
        dataclasses.replace(spec, **{field: value})  # type: ignore[arg-type]
    assert str(error.value) == f"{spec.kind}: {field} is {value!r}; expected {expected}"
