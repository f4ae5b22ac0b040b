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

SPEC = UpdateSpec(
    dim=16,
    samples_per_core=64,
    max_ids_per_partition=512,
    max_unique_ids_per_partition=16,
    optimizer=SGD(0.1),
    reading="chip",
)
"""A partition has up to 4 * 512 ids: its words are 1024 bytes of each tile. It has up to 4 * 16
rows, which may all begin in one tile: 512 bytes of numbers, and 4096 bytes each of sums and gathered
rows."""


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
            ["2048xi64", "64xindex", "64x16xf32", "64x16xf32"],
            [1024, 512 + 2 * 4096],
        ),
        (
            {"max_ids_per_partition": 100},
            ["400xi64", "25xindex", "25x16xf32", "25x16xf32"],
            [256, 256 + 2 * 1600],
        ),
        (
            {"max_unique_ids_per_partition": 8},
            ["2048xi64", "32xindex", "32x16xf32", "32x16xf32"],
            [1024, 256 + 2 * 2048],
        ),
        (
            {"chip": "v6e", "num_devices": 4},
            ["4096xi64", "128xindex", "128x16xf32", "128x16xf32"],
            [2048, 1024 + 2 * 8192],
        ),
        (
            {"minibatches": True, "max_ids_per_partition": 8},
            ["32xi64", *["2xindex"] * 2, "2x16xf32", "2x16xf32", "2xindex"],
            [64 + 3 * 64 + 2 * 128],
        ),
        (
            {"optimizer": RowWiseAdagrad(0.1)},
            ["2048xi64", "64xindex", "64x16xf32", "64x16xf32", "64x1xf32"],
            [1024, 512 + 2 * 4096 + 256],
        ),
        (
            {"tile_memory_bytes": 8192},
            ["2048xi64", "64xindex", "64x16xf32"],
            [1024, 512 + 4096],
        ),
        ({"staging": "hbm"}, ["64xindex"], [0, 512]),
        (
            {"dim": 1024, "tile_memory_bytes": 2**18 - 1},
            ["2048xi64", "64xindex"],
            [1024, 512],
        ),
    ],
)
def test_limits_decide_the_sizes_of_buffers(
    fields: dict[str, Any], types: list[str], sizes: list[int]
) -> None:
    spec = dataclasses.replace(SPEC, **fields)
    assert held(spec) == (types, sizes)


IDS = "max_ids_per_partition * sparse_cores * num_devices * minibatches"
ROWS = (
    f"min({IDS} / tiles, max_unique_ids_per_partition * sparse_cores * num_devices * minibatches)"
)
LIMITS = "num_devices = 1, max_unique_ids_per_partition"


@pytest.mark.parametrize("reading", ["chip", "cpu"])
@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"max_ids_per_partition": 1024, "tile_memory_bytes": 2047, "staging": "spmem"},
            f"Gather operand too large: 4096 words ({IDS}) are 2048 bytes of each tile, and 1984 of "
            f"the 2047 bytes of TileSpmem are left for it. In bytes: sorted_words 2048 ({IDS}); with "
            "minibatches = 1, num_devices = 1, max_ids_per_partition = 1024, sparse_cores = 4. To fit: "
            'max_ids_per_partition = 992; use staging = "auto", a smaller batch, narrower rows, or '
            "more chips",
        ),
        (
            {"dim": 64, "tile_memory_bytes": 33000, "staging": "spmem"},
            f"Gather operand too large: 64x64 floats ({ROWS} x dim) are 16384 bytes, and 16064 of the "
            "33000 bytes of TileSpmem are left for it. In bytes: gradient_sums, gathered_table 16384 "
            f"each ({ROWS} x dim); unique_rows 512 ({ROWS}); with tiles = 16, minibatches = 1, "
            f"{LIMITS} = 16, sparse_cores = 4, max_ids_per_partition = 512, dim = 64. To fit: "
            "max_unique_ids_per_partition = 15 or max_ids_per_partition = 252; use "
            'staging = "auto", a smaller batch, narrower rows, or more chips',
        ),
        (
            {
                "max_ids_per_partition": 1024,
                "max_unique_ids_per_partition": 64,
                "tile_memory_bytes": 2047,
            },
            "Fixed size allocations (2048 bytes) do not fit in TileSpmem (2047 bytes): 1 "
            f"allocation, in bytes: unique_rows 2048 ({ROWS}); with tiles = 16, minibatches = 1, "
            f"{LIMITS} = 64, sparse_cores = 4, max_ids_per_partition = 1024. To fit: "
            "max_unique_ids_per_partition = 62 or max_ids_per_partition = 992; or use a smaller "
            "batch, more chips, or tiles with more memory",
        ),
        (
            {"minibatches": True, "dim": 64, "tile_memory_bytes": 33000, "staging": "spmem"},
            f"Gather operand too large: 64x64 floats ({ROWS} x dim) are 16384 bytes, and 14016 of the "
            "33000 bytes of TileSpmem are left for it. In bytes: gradient_sums, gathered_table 16384 "
            f"each ({ROWS} x dim); sorted_words 1024 ({IDS}); unique_slots, unique_rows, updated_slots "
            f"512 each ({ROWS}); with tiles = 16, minibatches = 1, {LIMITS} = 16, sparse_cores = 4, "
            "max_ids_per_partition = 512, dim = 64. To fit: max_unique_ids_per_partition = 14 or "
            'max_ids_per_partition = 240; use staging = "auto", a smaller batch, narrower rows, or more '
            "chips",
        ),
    ],
)
def test_a_program_that_does_not_fit_in_spmem_is_an_error(
    fields: dict[str, Any], message: str, reading: Reading
) -> None:
    with pytest.raises(SparseCoreError) as error:
        compile_tile(dataclasses.replace(SPEC, **fields, reading=reading), cache=None)
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
