"""Each setting, on and off. `tools/generate_flags_doc.py` lists these tests."""

from __future__ import annotations

import numpy as np
import pytest

from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.errors import LimitExceeded, SparseCoreError
from sdykit.sparsecore.preprocess import Preprocessed, preprocess
from sdykit.sparsecore.specs import FeatureSpec, System, TableSpec
from sdykit.sparsecore.stacking import stack

SYSTEM = System(num_devices=1, sparse_cores_per_device=2)


def table(name: str, ids: int = 256) -> TableSpec:
    return TableSpec(name, vocabulary_size=64, embedding_dim=8, max_ids_per_partition=ids)


def looked_up(
    ids: object, config: SparsecoreConfig, limit: int = 256, layout: str = "sdykit"
) -> Preprocessed:
    """Look up ids of the table `items`; the first half of the samples is SparseCore 0's."""
    batch = np.asarray(ids)
    stacks = stack([FeatureSpec("clicks", table("items", limit), len(batch))], SYSTEM)
    return preprocess(
        {"clicks": batch},
        stacks,
        SYSTEM,
        config=config,
        layout="sdykit" if layout == "sdykit" else "jax_tpu_embedding",
    )


def packed(found: Preprocessed) -> int:
    """Count the entries of the buffers that are no pads."""
    return int(np.count_nonzero(~np.isnan(found.buffers["items"].gains)))


def test_disable_table_stacking() -> None:
    features = [FeatureSpec(name, table(f"table_{name}"), 2) for name in "ab"]

    def tables(config: SparsecoreConfig) -> list[list[str]]:
        stacks = stack(features, SYSTEM, config.disable_table_stacking)
        return [[each.spec.name for each in found.tables] for found in stacks]

    assert tables(SparsecoreConfig(disable_table_stacking=True)) == [["table_a"], ["table_b"]]
    assert tables(SparsecoreConfig(disable_table_stacking=False)) == [["table_a", "table_b"]]


def test_max_ids_per_chip_per_sample() -> None:
    ids = [[1, 3, 5], [2, 4, 6]]
    found = looked_up(ids, SparsecoreConfig(max_ids_per_chip_per_sample=3))
    assert found.statistics["items"].ids.sum() == 6
    with pytest.raises(LimitExceeded) as raised:
        looked_up(ids, SparsecoreConfig(max_ids_per_chip_per_sample=2))
    assert "have 3 ids" in str(raised.value)
    assert "compiled for 2 (max_ids_per_chip_per_sample)" in str(raised.value)
    dropping = SparsecoreConfig(max_ids_per_chip_per_sample=2, allow_id_dropping=True)
    found = looked_up(ids, dropping)
    assert found.statistics["items"].dropped == 2
    assert found.statistics["items"].ids.sum() == 4


def test_max_ids_per_table() -> None:
    ids = [[1, 2, 3], [5, 6, 7]]
    for limits in (None, {}, {"items": 6}):
        found = looked_up(ids, SparsecoreConfig(max_ids_per_table=limits))
        assert found.statistics["items"].ids.sum() == 6
    with pytest.raises(LimitExceeded) as raised:
        looked_up(ids, SparsecoreConfig(max_ids_per_table={"items": 4}))
    assert "a step has 6 ids, over all SparseCores and partitions" in str(raised.value)
    assert "compiled for 4 (max_ids_per_table)" in str(raised.value)
    dropping = SparsecoreConfig(max_ids_per_table={"items": 4}, allow_id_dropping=True)
    found = looked_up(ids, dropping)
    assert found.statistics["items"].dropped == 2
    assert packed(found) == 4


def test_max_unique_ids_per_table() -> None:
    ids = [[1, 2], [1, 2], [3, 4], [3, 4]]
    for limits in (None, {"items": 4}):
        found = looked_up(ids, SparsecoreConfig(max_unique_ids_per_table=limits))
        assert packed(found) == 8
    with pytest.raises(LimitExceeded) as raised:
        looked_up(ids, SparsecoreConfig(max_unique_ids_per_table={"items": 3}))
    assert "a step has 4 unique ids, over all SparseCores and partitions" in str(raised.value)
    assert "compiled for 3 (max_unique_ids_per_table)" in str(raised.value)
    dropping = SparsecoreConfig(max_unique_ids_per_table={"items": 3}, allow_id_dropping=True)
    found = looked_up(ids, dropping)
    assert found.statistics["items"].dropped == 2
    assert packed(found) == 6


def test_allow_id_dropping() -> None:
    ids = [[1, 3, 5], [2, 4, 6]]  # All of a sample are in one partition.
    with pytest.raises(LimitExceeded) as raised:
        looked_up(ids, SparsecoreConfig(allow_id_dropping=False), limit=2)
    assert "compiled for 2 (max_ids_per_partition)" in str(raised.value)
    found = looked_up(ids, SparsecoreConfig(allow_id_dropping=True), limit=2)
    assert found.statistics["items"].dropped == 2
    assert packed(found) == 4


def test_xla_sparse_core_enable_id_bound_check() -> None:
    ids = [[1], [64]]

    def result(check: bool) -> Preprocessed:
        config = SparsecoreConfig(xla_sparse_core_enable_id_bound_check=check)
        return looked_up(ids, config, layout="jax_tpu_embedding")

    with pytest.raises(SparseCoreError) as raised:
        result(True)
    assert "clicks" in str(raised.value)
    assert "sample 1" in str(raised.value)
    assert "64" in str(raised.value)
    # Without the check the id is packed as it is: at row 32 of partition 0, which is after the
    # table.
    assert 32 in result(False).buffers["items"].embedding_ids[0]
