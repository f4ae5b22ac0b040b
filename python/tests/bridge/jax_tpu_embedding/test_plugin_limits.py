"""The flags about limits, for tables of the library."""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jax
import numpy as np
import pytest

from sdykit.bridge.jax_tpu_embedding import warn
from sdykit.bridge.jax_tpu_embedding.tables import limits as table_limits
from sdykit.sparsecore import SparsecoreConfig, SparseCoreError, System
from sdykit.sparsecore.limits import Limits, StackFigures, TableFigures, compute_limits
from sdykit.sparsecore.limits.file import write_limits
from sdykit.sparsecore.specs import FeatureSpec, TableSpec
from sdykit.sparsecore.stacking import stack

pytest.importorskip("jax_tpu_embedding")

from jax_tpu_embedding.sparsecore.lib.nn import embedding, embedding_spec, table_stacking
from jax_tpu_embedding.sparsecore.utils import utils

CORES, SAMPLES, VOCABULARY = 4, 64, 1000
IDS = np.random.default_rng(0).integers(0, VOCABULARY, (SAMPLES, 4), np.int32)


def make_features() -> list[Any]:
    """Two features of one table, and one of another."""
    tables = [
        embedding_spec.TableSpec(
            name=name,
            vocabulary_size=VOCABULARY,
            embedding_dim=8,
            initializer=jax.nn.initializers.zeros,
            optimizer=embedding_spec.SGDOptimizerSpec(0.1),
            combiner="sum",
        )
        for name in ("words", "items")
    ]
    return [
        embedding_spec.FeatureSpec(
            name=name, table_spec=table, input_shape=(SAMPLES, 4), output_shape=(SAMPLES, 8)
        )
        for name, table in zip("abc", (tables[0], tables[0], tables[1]), strict=True)
    ]


def write_file(path: Path, devices: int) -> tuple[int, ...]:
    """Write a file of limits for the same features; return those of `words`, then `items`."""
    words, items = (TableSpec(name, VOCABULARY, 8) for name in ("words", "items"))
    system = System(devices, CORES)
    features = [FeatureSpec(*each, SAMPLES) for each in (("a", words), ("b", words), ("c", items))]
    stacks = stack(features, system, disable_table_stacking=True)
    limits = compute_limits([dict.fromkeys("abc", IDS)], stacks, system)
    write_limits(path, limits)
    by_name = {each.name: each for each in limits.stacks}
    return tuple(by_name[name].max_ids_per_partition for name in ("words", "items"))


@pytest.fixture
def prepare(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what prepares features with flags, whatever else watches the library."""
    monkeypatch.setattr(utils, "NUM_SC_PER_DEVICE_MAP", {"TPU v5p": CORES})
    monkeypatch.setattr(warn, "_warned", set())
    function = embedding.prepare_feature_specs_for_training
    module: Any = SimpleNamespace(
        prepare_feature_specs_for_training=getattr(function, "__wrapped__", function)
    )
    table_limits.take_limits(module)

    def run(features: list[Any], devices: int, **flags: Any) -> None:
        settings = replace(table_limits.current(), config=SparsecoreConfig(**flags))
        monkeypatch.setattr(table_limits, "current", lambda: settings)
        module.prepare_feature_specs_for_training(features, devices, num_sc_per_device=CORES)

    return run


@pytest.mark.parametrize("devices", [1, 4])
def test_limits_come_from_the_file_of_a_flag(tmp_path: Path, prepare: Any, devices: int) -> None:
    path = tmp_path / "limits.json"
    expected = write_file(path, devices)
    features = make_features()
    prepare(features, devices)
    assert features[0].table_spec.stacked_table_spec.max_ids_per_partition == 256
    features = make_features()
    prepare(features, devices, xla_sparse_core_max_ids_file=str(path))
    found = [each.table_spec.stacked_table_spec for each in features]
    assert tuple(found[place].max_ids_per_partition for place in (0, 2)) == expected
    assert expected[0] > expected[1] >= found[2].max_unique_ids_per_partition > 1
    # Enough for the batch that they were counted on.
    run = functools.partial(embedding.preprocess_sparse_dense_matmul_input, num_sc_per_device=CORES)
    _, counts = run([IDS, IDS, IDS], None, features, devices, devices)
    assert counts.max_ids_per_partition["words"].max() == expected[0]
    assert not any(counts.id_drop_counters.values())


def test_limits_of_another_program_are_an_error(tmp_path: Path, prepare: Any) -> None:
    path = tmp_path / "limits.json"
    write_file(path, 1)
    with pytest.raises(SparseCoreError) as error:
        prepare(make_features(), 4, xla_sparse_core_max_ids_file=str(path))
    assert str(error.value) == (
        f"{path}:4: error: the limits are for 1 device of 4 SparseCores; the program runs on "
        "4 devices of 4 SparseCores: count the limits of this program"
    )
    with pytest.raises(SparseCoreError, match="there are limits for table 'items', which the"):
        prepare(make_features()[:2], 1, xla_sparse_core_max_ids_file=str(path))


@pytest.fixture
def stacking(prepare: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what stacks all tables of features with flags, and does not prepare the features."""
    function = table_stacking.stack_tables
    module: Any = SimpleNamespace(stack_tables=getattr(function, "__wrapped__", function))
    table_limits.take_limits_of_stacks(module)
    monkeypatch.setattr(table_stacking, "stack_tables", module.stack_tables)

    def run(features: list[Any], **flags: Any) -> None:
        settings = replace(table_limits.current(), config=SparsecoreConfig(**flags))
        monkeypatch.setattr(table_limits, "current", lambda: settings)
        embedding.auto_stack_tables(features, 1, num_sc_per_device=CORES)

    return run


def test_limits_of_a_file_count_for_tables_that_are_only_stacked(
    tmp_path: Path, stacking: Any
) -> None:
    path = tmp_path / "limits.json"
    made = make_features()
    embedding.auto_stack_tables(made, 1, num_sc_per_device=CORES)
    system = System(1, CORES)
    stacks = table_limits._stacks(made, system)
    figures = StackFigures(
        stacks[0].name,
        stacks[0].batch_size,
        (11, 12, 13, 14),
        (5, 6, 7, 8),
        256,
        tuple(
            TableFigures(each.spec.name, each.spec.vocabulary_size, each.col_shift)
            for each in stacks[0].tables
        ),
    )
    write_limits(path, Limits(system, (figures,)))
    features = make_features()
    stacking(features, xla_sparse_core_max_ids_file=str(path))
    for each in features:
        found = each.table_spec.stacked_table_spec
        assert (found.max_ids_per_partition, found.max_unique_ids_per_partition) == (14, 8)
    lookup, counts = embedding.preprocess_sparse_dense_matmul_input(
        [IDS[:, :1]] * 3, None, features, 1, 1, num_sc_per_device=CORES, allow_id_dropping=True
    )
    assert counts.max_ids_per_partition[figures.name].max() > 14
    (entries,) = {array.size for array in jax.tree.leaves(lookup.lhs_embedding_ids)}
    assert entries == 16 * CORES * CORES


def test_limits_of_tables_bound_those_of_partitions(stacking: Any) -> None:
    features = make_features()
    with pytest.warns(UserWarning, match="bound the limits of partitions, but are not checked"):
        stacking(features, max_ids_per_table={"words": 60, "items": 40})
    found = features[0].table_spec.stacked_table_spec
    assert (found.max_ids_per_partition, found.max_unique_ids_per_partition) == (100, 256)


def test_a_limit_of_a_table_that_no_feature_has_is_a_warning(prepare: Any) -> None:
    with pytest.warns(UserWarning, match="which no stack has") as caught:
        prepare(make_features(), 1, max_ids_per_table={"wordz": 9})
    assert str(caught[-1].message) == (
        "sdykit: config: max_ids_per_table has a limit for table 'wordz', which no stack has; did "
        "you mean 'words'?"
    )


def test_a_program_that_ignores_the_file_is_noticed(
    tmp_path: Path, stacking: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        table_limits, "with_limits", lambda config, stacks, system: (config, stacks)
    )
    with pytest.raises(AssertionError):
        test_limits_of_a_file_count_for_tables_that_are_only_stacked(tmp_path, stacking)


def test_estimated_limits_are_a_warning(prepare: Any) -> None:
    with pytest.warns(UserWarning, match="estimate_max_ids is true, but has no effect on jax-tpu"):
        prepare(make_features(), 1, xla_sparse_core_estimate_max_ids=True)
