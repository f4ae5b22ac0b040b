"""The chip reading of a program: laid out by its limits, nothing fused, the same results."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import get_args

import ml_dtypes
import numpy as np
import pytest

from sdykit.core import run_pipeline
from sdykit.core.sparsecore.steps import steps_in
from sdykit.mlir import ir
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.optimizers import SGD
from sdykit.sparsecore.reference import to_int8
from sdykit.sparsecore.specs import Dtype
from sdykit.sparsecore.tile.build import arguments_of, build_tile
from sdykit.sparsecore.tile.compile import compile_tile, lay_out, parse_tile
from sdykit.sparsecore.tile.spec import Layout, LookupSpec, Reading, TileSpec, UpdateSpec
from support.tile.id_cases import check_lookup, check_update, make_case
from support.tile.lookup_cases import QUANTIZATION, check, table_of
from support.tile.tile_cases import CHIPS, MINIBATCHINGS, make_buffers
from support.tile.update_cases import check as check_update_of_buffers

LOOKUP = LookupSpec(dim=16, samples_per_core=64, reading="chip")


def placed(spec: TileSpec) -> str:
    module = parse_tile(build_tile(spec).text)
    lay_out(module, spec.reading)
    return str(module)


def phases_in(module: ir.Module | str) -> int:
    return len(re.findall("^    scf.parallel", str(module), re.MULTILINE))


def spmem_bytes(spec: TileSpec) -> list[int]:
    return [int(size) for size in re.findall(r"sparsecore.spmem_bytes = (\d+)", placed(spec))]


@pytest.mark.parametrize("spec", [LOOKUP, UpdateSpec(dim=16, samples_per_core=64, reading="chip")])
@pytest.mark.parametrize("name", ["max_ids_per_partition", "max_unique_ids_per_partition"])
def test_limits_decide_what_the_chip_reading_takes_of_spmem(spec: TileSpec, name: str) -> None:
    low, high = (spmem_bytes(dataclasses.replace(spec, **{name: limit})) for limit in (8, 200))
    assert sum(low) < sum(high)


def test_a_chip_program_that_does_not_fit_in_spmem_is_an_error() -> None:
    spec = dataclasses.replace(LOOKUP, tile_memory_bytes=4096, max_ids_per_partition=4096)
    with pytest.raises(SparseCoreError, match=r"^Fixed size allocations \(\d+ bytes\) do not fit"):
        compile_tile(spec, cache=None)


@pytest.mark.parametrize(
    ("reading", "names"),
    [
        ("cpu", ["splits", "sample_rows", "sample_gains", "observed", "table"]),
        ("chip", ["row_pointers", "embedding_ids", "sample_ids", "gains", "table"]),
    ],
)
def test_a_chip_reads_the_buffers_and_not_their_index(reading: Reading, names: list[str]) -> None:
    spec = dataclasses.replace(LOOKUP, reading=reading)
    assert [each.name for each in arguments_of(spec) if each.role == "input"] == names


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int8"])
def test_gathered_rows_are_quantized_before_use(dtype: Dtype) -> None:
    rng = np.random.default_rng(3)
    buffers = make_buffers(rng, "v5p")
    table = table_of(rng, buffers, "v5p", 21)
    if dtype == "int8":
        table = to_int8(table, QUANTIZATION)
    else:
        table = table.astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    spec = LookupSpec(
        dim=21, samples_per_core=5, dtype=dtype, quantization=QUANTIZATION, reading="chip"
    )
    assert np.any(check(buffers, spec, table))


@pytest.mark.parametrize(("cores", "tiles"), [(4, 16), (4, 1), (1, 16), (1, 1)])
@pytest.mark.parametrize("layout", ["jax_tpu_embedding", "ids"])
def test_no_step_disappears_on_a_chip_with_few_cores_and_tiles(
    cores: int, tiles: int, layout: Layout, tmp_path: Path
) -> None:
    chip = tmp_path / "few.toml"
    chip.write_text(
        f'base = "v5p"\nsparse_cores_per_device = {cores}\ntiles_per_sparse_core = {tiles}\n'
    )
    spec = dataclasses.replace(LOOKUP, chip=str(chip), layout=layout)
    module = parse_tile(build_tile(spec).text)
    phases = phases_in(module)
    built = [step.name for step in steps_in(module.operation)]
    lay_out(module, "chip")
    assert [step.name for step in steps_in(module.operation)] == built
    assert phases_in(module) == phases > 0
    run_pipeline(module, "sparsecore-verify-steps")


@pytest.mark.parametrize("layout", get_args(Layout))
@pytest.mark.parametrize("kind", [LookupSpec, UpdateSpec])
def test_a_program_for_a_cpu_keeps_the_phases_of_a_chip_with_one_core_and_tile(
    kind: type[LookupSpec | UpdateSpec], layout: Layout, tmp_path: Path
) -> None:
    texts = []
    for cores in (1, 4):
        chip = tmp_path / f"{cores}.toml"
        chip.write_text(
            f'base = "v5p"\nsparse_cores_per_device = {cores}\ntiles_per_sparse_core = 1\n'
        )
        spec = kind(dim=8, samples_per_core=16, chip=str(chip), layout=layout)
        texts.append(placed(spec))
        compile_tile(spec, cache=None)
    one, four = (phases_in(text) for text in texts)
    assert one == four > 0


@pytest.mark.parametrize(("cores", "tiles"), [(1, 16), (2, 1), (1, 1), (4, 1)])
def test_a_chip_with_few_cores_and_tiles_computes_the_same(
    cores: int, tiles: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, rng = tmp_path / "few.toml", np.random.default_rng(cores)
    file.write_text(
        f'base = "v5p"\nsparse_cores_per_device = {cores}\ntiles_per_sparse_core = {tiles}\n'
    )
    chip = str(file)
    monkeypatch.setitem(CHIPS, chip, cores)
    lookup = LookupSpec(dim=9, samples_per_core=5, chip=chip)
    update = UpdateSpec(dim=9, samples_per_core=5, chip=chip, optimizer=SGD(0.1))
    # Each runs in both readings.
    for minibatching in MINIBATCHINGS:
        buffers = make_buffers(rng, chip, minibatching=minibatching, limit=40, dropping=True)
        has_minibatches = minibatching != "off"
        spec = dataclasses.replace(lookup, minibatches=has_minibatches)
        check(buffers, spec, table_of(rng, buffers, chip, 9))
        check_update_of_buffers(
            rng, buffers, dataclasses.replace(update, minibatches=has_minibatches)
        )
    of_ids = dataclasses.replace(lookup, layout="ids")
    case = make_case(rng, of_ids, valency=4, rows=30)
    check_lookup(of_ids, case)
    check_update(rng, dataclasses.replace(update, layout="ids"), case)


def test_the_former_name_of_the_cpu_pipeline_runs_it() -> None:
    text = build_tile(dataclasses.replace(LOOKUP, reading="cpu")).text
    former, present = parse_tile(text), parse_tile(text)
    run_pipeline(former, "sparsecore-spmem-pipeline")
    run_pipeline(present, "sparsecore-cpu-pipeline")
    assert str(former) == str(present) != text
