"""The flags about limits, with them and without."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.errors import LimitExceeded, SparseCoreError
from sdykit.sparsecore.limits import compute_limits
from sdykit.sparsecore.limits.file import write_limits
from sdykit.sparsecore.limits.setup import with_limits
from sdykit.sparsecore.preprocess import Preprocessed, preprocess
from sdykit.sparsecore.specs import FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import stack

SYSTEM = System(num_devices=1, sparse_cores_per_device=2)
TABLE = TableSpec("words", 64, 8, max_ids_per_partition=1, max_unique_ids_per_partition=1)
STACKS = stack([FeatureSpec("word", TABLE, 2)], SYSTEM)
BATCH = {"word": np.arange(140).reshape(2, 70) % 64}
"""More than 64 ids a sample, which is the default of the limit on those."""


def looked_up(config: SparsecoreConfig, batches: Any = ()) -> Preprocessed:
    config, stacks = with_limits(config, STACKS, SYSTEM, batches)
    return preprocess(BATCH, stacks, SYSTEM, config=config)


def assert_refused(config: SparsecoreConfig) -> None:
    with pytest.raises(LimitExceeded) as raised:
        looked_up(config, [BATCH])
    assert "compiled for 64 (max_ids_per_chip_per_sample)" in str(raised.value)


def test_xla_sparse_core_max_ids_file(tmp_path: Path) -> None:
    path = str(tmp_path / "limits.json")
    write_limits(path, compute_limits([BATCH], STACKS, SYSTEM))
    done = looked_up(SparsecoreConfig(xla_sparse_core_max_ids_file=path))
    assert done.statistics["words"].dropped == 0
    assert_refused(SparsecoreConfig(xla_sparse_core_max_ids_file=""))


def test_xla_sparse_core_estimate_max_ids() -> None:
    done = looked_up(SparsecoreConfig(xla_sparse_core_estimate_max_ids=True), [BATCH])
    assert done.statistics["words"].dropped == 0
    assert_refused(SparsecoreConfig(xla_sparse_core_estimate_max_ids=False))


def test_without_flags_nothing_changes() -> None:
    def batches() -> Any:
        raise AssertionError("the data are not needed")
        yield

    config = SparsecoreConfig()
    assert with_limits(config, STACKS, SYSTEM, batches()) == (config, STACKS)


def test_headroom_multiplies_estimates() -> None:
    config = SparsecoreConfig(xla_sparse_core_estimate_max_ids=True)
    _, (found,) = with_limits(
        config, STACKS, SYSTEM, [{"word": np.array([[0] * 4, [1, 2, 3, 5]])}], 2
    )
    assert found.max_ids_per_partition == 6


def test_a_file_for_another_program_is_an_error(tmp_path: Path) -> None:
    path = str(tmp_path / "limits.json")
    write_limits(path, compute_limits([BATCH], STACKS, SYSTEM))
    other = stack([FeatureSpec("word", TableSpec("wards", 64, 8), 2)], SYSTEM)
    with pytest.raises(SparseCoreError) as raised:
        with_limits(SparsecoreConfig(xla_sparse_core_max_ids_file=path), other, SYSTEM)
    assert str(raised.value) == (
        f"{path}:9: error: there are no limits for table 'wards'; did you mean 'words'?"
    )


def test_both_flags_are_an_error(tmp_path: Path) -> None:
    config = SparsecoreConfig(
        xla_sparse_core_max_ids_file="limits.json", xla_sparse_core_estimate_max_ids=True
    )
    with pytest.raises(SparseCoreError) as raised:
        with_limits(config, STACKS, SYSTEM, [BATCH])
    assert str(raised.value) == (
        "config: xla_sparse_core_max_ids_file is 'limits.json', and "
        "xla_sparse_core_estimate_max_ids is true; expected one of them"
    )


def test_no_batches_to_estimate_from_are_an_error() -> None:
    with pytest.raises(SparseCoreError) as raised:
        with_limits(SparsecoreConfig(xla_sparse_core_estimate_max_ids=True), STACKS, SYSTEM)
    assert str(raised.value) == "limits: no batch was counted; expected at least one"
