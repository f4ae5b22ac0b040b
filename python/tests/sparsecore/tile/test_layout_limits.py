"""SPMEM follows from the limits: what does not fit is an error with limits that do."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sdykit.sparsecore as sc
from sdykit.cli.main import main
from sdykit.core import ops_named
from sdykit.mlir import make_context
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.optimizers import Adagrad, Custom
from sdykit.sparsecore.tile.build import build_module
from sdykit.sparsecore.tile.compile import build_checked, check_chip, check_entries
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec, UpdateSpec
from sdykit.sparsecore.tile.update.held import ROWS_OF_A_BLOCK

WIDE = LookupSpec(
    dim=128,
    samples_per_core=1024,
    max_ids_per_partition=30_000,
    max_unique_ids_per_partition=30_000,
    layout="jax_tpu_embedding",
)


def error_of(spec: TileSpec) -> str | None:
    """Return the error of a layout, or None if all fits."""
    try:
        check_chip(spec)
    except SparseCoreError as error:
        return str(error)
    return None


def limits_in(error: str) -> dict[str, int]:
    """Return the limits that an error proposes."""
    _, _, rest = error.partition(". To fit: ")
    pairs = re.findall(r"(\w+) = (\d+)", rest.partition(";")[0])
    return {name: int(value) for name, value in pairs}


def random_specs() -> list[LookupSpec]:
    """Return programs that do not fit."""
    rng, found = np.random.default_rng(5), list[LookupSpec]()
    while len(found) < 12:
        ids = int(rng.integers(8, 400_000))
        unique = int(rng.integers(1, ids + 1))
        spec = LookupSpec(
            dim=int(rng.integers(1, 200)),
            samples_per_core=int(rng.integers(1, 4000)),
            max_ids_per_partition=ids,
            max_unique_ids_per_partition=unique,
            layout=rng.choice(["sdykit", "jax_tpu_embedding"]),
            chip=str(rng.choice(["v4", "v5p", "v6e"])),
            num_devices=int(2 ** rng.integers(0, 3)),
            staging=rng.choice(["auto", "spmem"]),
        )
        if error_of(spec) is not None:
            found.append(spec)
    return found


@pytest.mark.parametrize("spec", random_specs())
def test_the_nearest_limits_fit_and_higher_ones_do_not(spec: LookupSpec) -> None:
    error = error_of(spec)
    assert error is not None
    limits = limits_in(error)
    assert limits or "no lower limit alone is enough" in error
    for name, value in limits.items():
        changed = _with_limit(spec, name, value)
        assert error_of(changed) is None, changed
        if value + 1 < getattr(spec, name):
            assert error_of(_with_limit(spec, name, value + 1)) is not None


def _with_limit(spec: TileSpec, name: str, value: int) -> TileSpec:
    return dataclasses.replace(spec, **{name: value})


def test_the_layout_grows_with_the_unique_limit() -> None:
    """Gathered and received rows, and two lists of ids, of each of 16 tiles."""
    sizes = []
    for unique in (16, 1600):
        changed = dataclasses.replace(
            WIDE, max_unique_ids_per_partition=unique, staging="spmem", tile_memory_bytes=2**12
        )
        error = error_of(changed)
        assert error is not None
        (found,) = re.findall(r"gathered, received (\d+) each", error)
        sizes.append(int(found))
    assert sizes == [16 * 128 * 4 // 16, 1600 * 128 * 4 // 16]


def test_rows_of_more_than_spmem_are_staged_in_hbm() -> None:
    """30,000 rows of 512 bytes, of each of 4 SparseCores of 8 MiB; the HBM stack has room for two."""
    staged = check_chip(WIDE)
    assert {each.name: each.bytes for each in staged} == {
        "gathered, staged in HBM": 2 * 30_000 * 512,
        "received, staged in HBM": 4 * 30_000 * 512,
    }
    assert {(each.kind, each.phase) for each in staged} == {("temporary", "lookup")}


@pytest.mark.parametrize("reading", ["chip", "cpu"])
def test_rows_that_must_be_in_spmem_are_an_error_in_both_readings(reading: Any) -> None:
    error = error_of(dataclasses.replace(WIDE, staging="spmem", reading=reading))
    assert error is not None
    assert error.startswith(
        "Gather operand too large: 30000x128 floats (max_unique_ids_per_partition x dim) are "
        "960000 bytes of each tile, and 0 of the 524288 bytes of TileSpmem are left for it. In bytes: "
        "gathered, received 960000 each (max_unique_ids_per_partition x dim); sums 32768 "
    )
    assert set(limits_in(error)) == {"max_unique_ids_per_partition", "max_ids_per_partition"}


def test_entries_must_fit_in_spmem() -> None:
    error = error_of(dataclasses.replace(WIDE, max_ids_per_partition=300_000))
    assert error is not None
    assert error.startswith("Fixed size allocations (")
    assert "csr_gains 75000 each (max_ids_per_partition / lanes * lanes)" in error
    assert set(limits_in(error)) == {"max_ids_per_partition"}


def test_the_command_notes_what_is_staged(tmp_path: Path, capfd: Any) -> None:
    path = tmp_path / "lookup.json"
    path.write_text(WIDE.to_json())
    for reading in ("chip", "cpu"):
        assert main(["compile", str(path), "--emit=spmem", f"--reading={reading}"]) == 0
        first, second, *_ = (
            line for line in capfd.readouterr().out.splitlines() if line.startswith("// note: ")
        )
        assert first == (
            "// note: gathered, staged in HBM: 30720000 bytes (30000x128xf32 of each of 4 "
            "SparseCores: max_unique_ids_per_partition x dim, besides 30720000 bytes in the HBM stack)"
        )
        assert second.startswith("// note: received, staged in HBM: 61440000 bytes ")


def test_an_update_notes_what_is_staged_in_the_chip_reading(tmp_path: Path, capfd: Any) -> None:
    """Sums, rows and slots of 256 unique ids of each of 32 SparseCores, in blocks of a tile."""
    path = tmp_path / "update.json"
    spec = UpdateSpec(dim=512, samples_per_core=1024, num_devices=8, optimizer=Adagrad(0.1))
    path.write_text(spec.to_json())
    assert main(["compile", str(path), "--emit=spmem", "--reading=chip"]) == 0
    notes = [line for line in capfd.readouterr().out.splitlines() if line.startswith("// note: ")]
    assert [note.removeprefix("// note: ").split(",")[0] for note in notes] == [
        "gradient_sums",
        "gathered_table",
        "gathered_slot_accumulator",
    ]


def test_what_is_staged_is_in_the_ledger_of_a_layer() -> None:
    table = sc.TableSpec(
        *("users", 1000, 128), max_ids_per_partition=30_000, max_unique_ids_per_partition=30_000
    )
    layer = sc.Embedding([sc.FeatureSpec("watched", table, 4096)], chip="v5p")
    found = [each for each in layer.ledger().entries if each.kind == "temporary"]
    assert {each.owner for each in found} == {"users"}
    assert {each.name: each.bytes for each in found if each.phase == "lookup"} == {
        "gathered, staged in HBM": 61_440_000 - 2 * 30_000 * 512,
        "received, staged in HBM": 61_440_000,
    }
    # The rows of each of 64 tiles: 1/16 of the ids of 4 SparseCores. The HBM stack has room for some.
    assert {each.name: (each.bytes, each.note) for each in found if each.phase == "update"} == {
        "gradient_sums, staged in HBM": (
            64 * 7500 * 512 - 3 * 30_000 * 512,
            f"7500x128xf32 of each of 16 tiles of each of 4 SparseCores: {ROWS_OF_A_BLOCK} x dim, "
            "besides 46080000 bytes in the HBM stack",
        ),
        "gathered_table, staged in HBM": (
            64 * 7500 * 512,
            f"7500x128xf32 of each of 16 tiles of each of 4 SparseCores: {ROWS_OF_A_BLOCK} x dim",
        ),
    }


def test_the_ledger_of_a_layer_with_a_users_update_has_what_lookups_stage() -> None:
    table = sc.TableSpec(
        *("users", 1000, 128),
        optimizer=Custom(0.1, update=lambda g, w, lr: w - lr * g),
        max_ids_per_partition=30_000,
        max_unique_ids_per_partition=30_000,
    )
    layer = sc.Embedding([sc.FeatureSpec("watched", table, 4096)], chip="v5p")
    found = [each for each in layer.ledger().entries if each.kind == "temporary"]
    assert {each.phase for each in found} == {"lookup"}


def test_an_update_whose_rows_exceed_spmem_is_an_error() -> None:
    """Its list of unique rows must fit; 32 SparseCores send 65536 ids each."""
    spec = UpdateSpec(
        dim=16,
        samples_per_core=1024,
        num_devices=8,
        max_ids_per_partition=65_536,
        max_unique_ids_per_partition=65_536,
    )
    error = error_of(spec)
    assert error is not None
    assert error.startswith(
        "Fixed size allocations (1048576 bytes) do not fit in TileSpmem (524288"
    )
    assert "unique_rows 1048576 (min(max_ids_per_partition * sparse_cores" in error
    limits = limits_in(error)
    assert limits == {"max_unique_ids_per_partition": 2048, "max_ids_per_partition": 32_768}
    for name, value in limits.items():
        assert error_of(_with_limit(spec, name, value)) is None
        assert error_of(_with_limit(spec, name, value + 1)) is not None


def test_a_program_whose_staged_buffers_exceed_hbm_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(f'base = "v5p"\nhbm_bytes = {2**26}\n')
    error = error_of(dataclasses.replace(WIDE, chip=str(file)))
    assert error is not None
    assert error.startswith("lookup: Ran out of memory in HBM: ")
    assert "gathered, staged in HBM 30720000 (30000x128xf32 of each of 4 SparseCores: " in error


@pytest.mark.parametrize("staging", ["auto", "spmem"])
def test_buffers_follow_the_largest_limit_of_a_partition_which_errors_name(staging: Any) -> None:
    spec = dataclasses.replace(
        WIDE,
        max_ids_per_partition=300_000,
        max_ids_of_partitions=(7, 299_999, 300_000, 1),
        max_unique_ids_of_partitions=(30_000, 5, 30_000, 30_000),
        staging=staging,
    )
    error = error_of(spec)
    assert error is not None
    assert "max_ids_per_partition = 300000 (that of partition 2)" in error
    unique = "max_unique_ids_per_partition = 30000 (that of partition 0, and of 2 more)"
    assert unique in error
    (same,) = {error_of(dataclasses.replace(spec, max_ids_of_partitions=None))}
    assert same == error.replace(" (that of partition 2)", "")


def test_notes_tell_which_partition_has_the_limit_that_a_staged_buffer_follows() -> None:
    limits = (9, 30_000, 2, 1)
    staged = check_chip(dataclasses.replace(WIDE, max_unique_ids_of_partitions=limits))
    assert all(", max_unique_ids_per_partition of partition 1" in each.note for each in staged)


@pytest.mark.parametrize("kind", [LookupSpec, UpdateSpec])
@pytest.mark.parametrize("layout", ["sdykit", "jax_tpu_embedding", "ids"])
@pytest.mark.parametrize("devices", [1, 4])
@pytest.mark.parametrize("minibatches", [False, True])
def test_the_program_of_a_cpu_is_checked_as_that_of_the_chip(
    kind: Any, layout: Any, devices: int, minibatches: bool
) -> None:
    """Rows are staged in HBM; what is returned is not laid out."""
    if layout == "ids" and minibatches:
        pytest.skip("raw ids have no minibatches")
    optimizer = {} if kind is LookupSpec else {"optimizer": Adagrad(0.1)}
    fields: dict[str, Any] = {"dim": 512, "samples_per_core": 1024, "layout": layout, **optimizer}
    fields["max_ids_per_partition"] = 8192 if layout == "ids" else 30_000
    spec = kind(num_devices=devices, minibatches=minibatches, **fields)
    staged = check_chip(dataclasses.replace(spec, reading="chip"))
    context = make_context()
    module, found = build_checked(context, spec)
    assert found == staged
    assert staged
    assert str(module) == str(build_module(context, spec))
    allocations = ops_named(module.operation, "memref.alloc")
    assert allocations
    assert not any("sparsecore.offset" in each.attributes for each in allocations)


@pytest.mark.parametrize("limit", [1, 8, 100, 4681, 4682, 10**6])
def test_entries_that_do_not_fit_are_the_error_of_the_whole_layout(limit: int) -> None:
    """16 tiles of 8192 bytes hold 7 buffers of at most 4680 entries; the others take more."""
    spec = LookupSpec(
        dim=8,
        samples_per_core=16,
        max_ids_per_partition=limit,
        max_unique_ids_per_partition=1,
        tile_memory_bytes=8192,
    )
    if limit <= 4680:
        check_entries(spec)
        return
    with pytest.raises(SparseCoreError) as whole:
        check_chip(spec)
    with pytest.raises(SparseCoreError) as entries:
        check_entries(spec)
    assert str(entries.value) == str(whole.value)
