"""The numbers of the chips, compared with those of JAX and jax-tpu-embedding."""

from __future__ import annotations

import dataclasses
import pickle

import pytest
from jax._src.pallas.mosaic.tpu_info import ChipVersion, get_tpu_info_for_chip

from sdykit.sparsecore.chip import CHIPS, RANGES, Chip, chip
from sdykit.sparsecore.errors import SparseCoreError

GIB = 2**30
COLUMNS = (
    "sparse_cores_per_chip",
    "sparse_cores_per_device",
    "tiles_per_sparse_core",
    "float32_lanes",
    "bfloat16_lanes",
    "hbm_bytes",
    "hbm_bytes_per_second",
    "ici_bytes_per_second",
    "tile_memory_bytes",
    "dma_granule_bytes",
    "row_alignment_bytes",
)


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("v4", (4, 4, 16, 8, 8, 32 * GIB, 1230e9, 600e9, 160 * 1024, 32, 32)),
        ("v5p", (4, 4, 16, 8, 8, 96 * GIB, 2460e9, 1200e9, 512 * 1024, 32, 32)),
        ("v6e", (2, 2, 16, 8, 16, 32 * GIB, 1640e9, 800e9, 256 * 1024, 32, 32)),
        ("7x", (4, 2, 16, 16, 32, 192 * GIB, 7400e9, 1200e9, 512 * 1024, 32, 32)),
    ],
)
def test_each_chip_has_its_documented_numbers(name: str, numbers: tuple[float, ...]) -> None:
    found = chip(name)
    assert found.name == name
    assert tuple(getattr(found, column) for column in COLUMNS) == numbers


def test_the_known_chips_have_all_fields() -> None:
    assert list(CHIPS) == ["v4", "v5p", "v6e", "7x"]
    assert sorted(RANGES) == sorted(COLUMNS)


@pytest.mark.parametrize("name", CHIPS)
def test_numbers_equal_those_of_jax(name: str) -> None:
    ours, version = chip(name), ChipVersion(name)
    split = version.num_physical_tensor_cores_per_chip > 1 and not version.supports_megacore
    devices = version.num_physical_tensor_cores_per_chip if split else 1
    theirs = get_tpu_info_for_chip(version, 2 if version.supports_megacore else 1)
    # Numbers of JAX are those of one TensorCore.
    cores = version.num_physical_tensor_cores_per_chip
    assert ours.hbm_bytes_per_second == theirs.mem_bw_bytes_per_second * cores
    assert ours.hbm_bytes == pytest.approx(theirs.hbm_capacity_bytes * cores, rel=2e-3)
    assert ours.devices_per_chip == devices
    if theirs.sparse_core is not None:
        assert ours.sparse_cores_per_device == theirs.sparse_core.num_cores
        assert ours.tiles_per_sparse_core == theirs.sparse_core.num_subcores
        assert ours.float32_lanes == theirs.sparse_core.num_lanes
        assert ours.tile_memory_bytes == theirs.sparse_core.vmem_capacity_bytes
        assert ours.dma_granule_bytes == theirs.sparse_core.dma_granule_size_bytes


@pytest.mark.parametrize(
    ("kind", "name"), [("TPU v5", "v5p"), ("TPU v6 lite", "v6e"), ("TPU7x", "7x")]
)
def test_sparse_cores_per_device_equal_those_of_the_library(kind: str, name: str) -> None:
    utils = pytest.importorskip("jax_tpu_embedding.sparsecore.utils.utils")
    assert chip(name).sparse_cores_per_device == utils.NUM_SC_PER_DEVICE_MAP[kind]


def test_only_a_7x_has_two_devices() -> None:
    assert {name: each.devices_per_chip for name, each in CHIPS.items()} == {
        "v4": 1,
        "v5p": 1,
        "v6e": 1,
        "7x": 2,
    }


def test_spmem_is_the_memory_of_all_tiles() -> None:
    assert chip("v4").spmem_bytes == 5 * 2**20 // 2
    assert chip("v5p").spmem_bytes == 8 * 2**20


def test_every_number_has_a_source() -> None:
    for each in CHIPS.values():
        assert [name for name, _, _ in each.sources] == sorted(RANGES, key=list(RANGES).index)
        assert all(each.source(name) for name in RANGES)


def test_unpublished_numbers_are_marked_as_assumptions() -> None:
    assumed = {
        name: {number for number in RANGES if each.source(number).startswith("assumption")}
        for name, each in CHIPS.items()
    }
    assert assumed == {
        "v4": {"sparse_cores_per_device", "ici_bytes_per_second", "dma_granule_bytes"},
        "v5p": {"ici_bytes_per_second"},
        "v6e": {"ici_bytes_per_second"},
        "7x": {"bfloat16_lanes", "ici_bytes_per_second"},
    }


def test_a_replaced_number_has_no_published_source() -> None:
    wide = dataclasses.replace(chip("v5p"), name="wide", float32_lanes=16)
    assert wide.source("float32_lanes") == "assumption: given in a program"
    assert wide.source("hbm_bytes") == chip("v5p").source("hbm_bytes")


def test_chips_are_hashed_and_compared_by_their_numbers() -> None:
    assert pickle.loads(pickle.dumps(chip("v4"))) == chip("v4")
    assert len(set(CHIPS.values())) == 4
    # Sources are not compared.
    assert dataclasses.replace(chip("v4"), sources=()) == chip("v4")


def refused(found: object) -> str:
    with pytest.raises(SparseCoreError) as raised:
        chip(found)  # pyright: ignore[reportArgumentType]
    return str(raised.value)


def test_an_unknown_chip_is_an_error_that_suggests_one() -> None:
    start = "and it is not a file that ends in .json or .toml"
    assert refused("v5") == f"there is no chip 'v5', {start}; did you mean 'v5p'?"
    assert refused("V6E") == f"there is no chip 'V6E', {start}; did you mean 'v6e'?"
    assert refused("") == f"there is no chip '', {start}; expected one of v4, v5p, v6e, 7x"
    assert refused(5) == "found 5; expected a chip's name or a file"


def test_an_unknown_number_is_an_error_that_suggests_one() -> None:
    with pytest.raises(SparseCoreError) as raised:
        chip("v4").source("hbm_byte")
    assert str(raised.value) == "a chip has no number 'hbm_byte'; did you mean 'hbm_bytes'?"


@pytest.mark.parametrize(
    ("number", "value", "message"),
    [
        ("sparse_cores_per_chip", 3, "is 3; expected a power of two from 1 to 1024"),
        ("tiles_per_sparse_core", 0, "is 0; expected an integer from 1 to 1024"),
        ("float32_lanes", True, "is True; expected a power of two from 1 to 1024"),
        (
            "hbm_bytes",
            1e12,
            "is 1000000000000.0; expected an integer from 1048576 to 1125899906842624",
        ),
        ("hbm_bytes_per_second", float("nan"), "is nan; expected a number from 1 to 10000000000"),
        ("ici_bytes_per_second", -1, "is -1; expected a number from 1 to 1000000000000000000"),
        ("sparse_cores_per_device", 8, "is 8; expected at most the 4 of sparse_cores_per_chip"),
    ],
)
def test_a_number_out_of_its_range_is_an_error(number: str, value: float, message: str) -> None:
    with pytest.raises(SparseCoreError) as raised:
        dataclasses.replace(chip("v5p"), **{number: value})
    assert str(raised.value).startswith(f"chip 'v5p': {number} {message}")


def test_rates_may_be_fractions() -> None:
    assert dataclasses.replace(chip("v5p"), ici_bytes_per_second=1.5).ici_bytes_per_second == 1.5
    assert Chip is type(chip("v5p"))
