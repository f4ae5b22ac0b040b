"""The stages of compilation: SPMEM, its limits, and edited programs."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from sdykit.sparsecore.codegen import compile_module, run
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.optimizers import SGD
from sdykit.sparsecore.reference import lookup
from sdykit.sparsecore.tile.build import build_tile
from sdykit.sparsecore.tile.compile import (
    compile_printed,
    compile_tile,
    lay_out,
    parse_tile,
    place_for_cpu,
)
from sdykit.sparsecore.tile.lookup.build import lookup_arguments
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec, UpdateSpec
from support.tile.tile_cases import make_buffers, same_bits

SPEC = LookupSpec(dim=16, samples_per_core=640, max_ids_per_partition=64)
"""A tile sums 40 samples, 2560 bytes, and has 4 entries of a partition; it takes 3904 bytes."""


def spmem(spec: TileSpec) -> str:
    module = parse_tile(build_tile(spec).text)
    lay_out(module, "chip")
    return str(module)


def test_spmem_is_laid_out() -> None:
    text = spmem(dataclasses.replace(SPEC, tile_memory_bytes=3904))
    assert text.count('x16xf32, "spmem">\n') == 3
    assert "sparsecore.offset = 1344 : i64" in text
    assert "sparsecore.spmem_bytes = 3904 : i64" in text


def test_less_spmem_leads_to_staging_in_hbm() -> None:
    text = spmem(dataclasses.replace(SPEC, tile_memory_bytes=3903))
    assert text.count('x16xf32, "spmem">\n') == 2  # The largest is staged.
    assert "sparsecore.spmem_bytes = 1344 : i64" in text


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            dataclasses.replace(SPEC, tile_memory_bytes=1344, staging="spmem"),
            "Gather operand too large: 640x16 floats (samples_per_core x dim) are 2560 bytes of "
            "each tile, and 0 of the 1344 bytes of TileSpmem are left for it. In bytes: sums 2560 "
            "(samples_per_core x dim); gathered, received 256 each (max_unique_ids_per_partition x "
            "dim); csr_starts 192 ((samples_per_core / tiles + 1) / lanes * lanes * tiles); entry_ids, "
            "entry_samples, entry_gains, entry_rows, own_entries, csr_rows, csr_gains 16 each "
            "(max_ids_per_partition / lanes * lanes); unique_ids, inbox 16 each "
            "(max_unique_ids_per_partition); unique_counts 4 (tiles / lanes * lanes); with "
            "samples_per_core = 640, dim = 16, max_unique_ids_per_partition = 64, tiles = 16, lanes = "
            "8, max_ids_per_partition = 64. To fit: samples_per_core = 32; "
            'use staging = "auto", a smaller batch, narrower rows, or more chips',
        ),
        (
            dataclasses.replace(SPEC, tile_memory_bytes=1344, max_ids_per_partition=1024),
            "Fixed size allocations (2560 bytes) do not fit in TileSpmem (1344 bytes): 11 allocations, "
            "in bytes: entry_ids, entry_samples, entry_gains, entry_rows, own_entries, csr_rows, "
            "csr_gains 256 each (max_ids_per_partition / lanes * lanes); unique_ids, inbox 256 each "
            "(max_unique_ids_per_partition); csr_starts 192 ((samples_per_core / tiles + 1) / lanes * "
            "lanes * tiles); unique_counts 4 (tiles / lanes * lanes); with lanes = 8, "
            "max_ids_per_partition = 1024, max_unique_ids_per_partition = 1024, tiles = 16, "
            "samples_per_core = 640. To fit: max_ids_per_partition = 256; or use a smaller batch, more "
            "chips, or tiles with more memory",
        ),
    ],
)
def test_a_program_that_does_not_fit_in_spmem_is_an_error(spec: LookupSpec, message: str) -> None:
    with pytest.raises(SparseCoreError) as error:
        compile_tile(spec, cache=None)
    assert str(error.value) == message


def test_a_printed_program_must_fit_in_spmem_before_its_steps_are_fused() -> None:
    memory: dict[str, Any] = {"tile_memory_bytes": 10_000, "staging": "spmem"}
    text = build_tile(UpdateSpec(dim=64, samples_per_core=64, optimizer=SGD(0.1), **memory)).text
    module = parse_tile(text)
    lay_out(module)
    assert "gathered_table" not in str(module)
    with pytest.raises(SparseCoreError, match=r"Gather operand too large: .* gathered_table"):
        compile_printed(text, cache=None)


def test_an_edited_program_is_compiled_as_edited() -> None:
    rng = np.random.default_rng(1)
    buffers = make_buffers(rng, "v5p")
    spec = LookupSpec(dim=8, samples_per_core=5)
    table = rng.standard_normal((4 * buffers.rows_per_core, 8)).astype(np.float32)
    expected = lookup(table[None], buffers.entries)[0]
    text = build_tile(spec).text
    edited = text.replace("arith.mulf", "arith.addf")
    assert edited != text
    for each, is_same in ((text, True), (edited, False)):
        module = parse_tile(each)
        lay_out(module)
        place_for_cpu(module)
        program = compile_module(module, cache=None)
        found = np.empty_like(expected)
        status = np.zeros(8, np.int64)
        arrays = {**buffers.arrays, "table": table, "activations": found, "status": status}
        run(program, [arrays[argument.name] for argument in lookup_arguments(spec)])
        assert same_bits(found, expected) == is_same


def test_a_text_that_is_not_a_module_is_an_error() -> None:
    with pytest.raises(SparseCoreError) as error:
        parse_tile("func.func @f() {\n  what\n}")
    assert (
        str(error.value) == "-:2:3: error: custom op 'what' is unknown (tried 'func.what' as well)"
    )


def test_another_bound_of_the_optimizer_makes_other_code() -> None:
    spec = UpdateSpec(dim=4, samples_per_core=4)
    faster = dataclasses.replace(spec, optimizer=dataclasses.replace(spec.optimizer, max_value=1.0))
    one, other = (compile_tile(each, cache=None).code for each in (spec, faster))
    assert one.objects != other.objects
