"""The sizes of exchanges, and their bytes beside those of the chip."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from sdykit.sparsecore.cost import Pairs, lookup_figures, sent_bytes, update_figures
from sdykit.sparsecore.exchange import Exchange
from sdykit.sparsecore.tile.spec import LookupSpec, UpdateSpec

CORES = 4
"""The SparseCores of a v5p."""


@pytest.mark.parametrize(("devices", "samples", "valency"), [(2, 512, 1), (8, 64, 8), (64, 64, 16)])
def test_there_is_room_for_evenly_spread_ids(devices: int, samples: int, valency: int) -> None:
    sizes = Exchange(devices, samples, valency, 8, 1 << 20)
    rng = np.random.default_rng(0)
    largest = 0
    for _ in range(200):
        owners = rng.integers(0, devices, (devices, sizes.ids))
        pairs = owners + devices * np.arange(devices)[:, None]
        largest = max(largest, np.bincount(pairs.reshape(-1)).max())
    # There is room in all batches, and not for much more than that.
    assert largest <= sizes.capacity <= 1.5 * largest


def test_there_is_no_room_for_more_than_all_ids_or_rows() -> None:
    assert Exchange(2, 4, 1, 8, 1000).capacity == 8
    assert Exchange(2, 1000, 4, 8, 100).capacity == 104


def test_few_devices_and_many_ids_in_a_sample_send_sums() -> None:
    assert Exchange(4, 4096, 1, 64, 1 << 20).sends_rows
    assert not Exchange(4, 4096, 16, 64, 1 << 20).sends_rows
    assert Exchange(64, 4096, 16, 64, 1 << 20).sends_rows


def chip_bytes(devices: int, samples: int, valency: int, dim: int) -> dict[str, float]:
    """Return the bytes that each chip sends: ids are distinct, and as many for each device."""
    of_core = samples * valency // CORES
    lookup = LookupSpec(dim=dim, samples_per_core=samples // CORES, num_devices=devices)
    update = UpdateSpec(dim=dim, samples_per_core=samples // CORES, num_devices=devices)
    cores = np.arange(lookup.all_cores)
    # Bytes follow from the sums of ids for other chips, whichever these are.
    far = np.full(len(cores), of_core * (1 - 1 / devices))
    pairs = Pairs(cores, np.roll(cores, len(cores) // 2), far, far, far / 16)
    ids = np.full((1, len(cores)), of_core)
    of_tile = ids[..., None] / 16
    by_tile = {"rows": of_tile, "row_ids": of_tile, "device_rows": of_tile}
    figures = [lookup_figures(lookup, pairs), update_figures(update, ids, by_tile)]
    found = sent_bytes([lookup, update], figures)
    for each in found.values():
        assert each.shape == (devices,)
        np.testing.assert_allclose(each, each[0])
    return {kind: float(each[0]) for kind, each in found.items()}


@pytest.mark.parametrize("devices", [2, 64, 4096])
def test_the_chip_sends_each_id_once_and_its_row_back(devices: int) -> None:
    far = 4096 * 16 * (1 - 1 / devices)
    found = chip_bytes(devices, 4096, 16, 32)
    np.testing.assert_allclose(found["lookup"], far * (4 + 4 * 32))
    np.testing.assert_allclose(found["update"], far * 4 * 32)


def test_bytes_follow_the_ids_and_not_the_devices() -> None:
    chip = chip_bytes(4096, 4096, 16, 32)
    sizes = Exchange(4096, 4096, 16, 32, 1 << 20)
    assert chip["lookup"] < sizes.lookup_bytes < 4 * chip["lookup"]
    assert chip["update"] < sizes.update_bytes < 4 * chip["update"]
    # With more ids for each device, less of the room is spare.
    sizes = dataclasses.replace(sizes, samples=256 * sizes.samples)
    assert sizes.lookup_bytes < 1.2 * 256 * chip["lookup"]
    assert sizes.sums_lookup_bytes > 100 * sizes.lookup_bytes
