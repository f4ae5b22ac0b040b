"""Models of whatif: from batches, runs, files and statistics, and what is said about bad ones."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from sdykit.sparsecore.cost import Estimate
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.files.tables import read_tables
from sdykit.sparsecore.optimizers import SGD
from sdykit.sparsecore.run import write_run
from sdykit.sparsecore.specs import FeatureSpec, TableSpec
from sdykit.sparsecore.whatif import (
    Choice,
    IdStatistics,
    compare,
    drawn_model,
    model_of,
    model_of_run,
    read_id_statistics,
)
from sdykit.sparsecore.whatif.model import MEASURED, model_of_files
from support.runs import make_run, with_fields
from support.whatif_cases import make_batch, make_features

TABLES = """
[tables.user]
vocabulary_size = 1000
embedding_dim = 16
features = ["user", "owner"]
"""
IDS = """
[ids.user]
ids_per_sample = 3
zipf = 1.2
[ids.owner]
ids_per_sample = 1.5
frequencies = [[10, 0.5], [500, 0.5]]
"""


def test_a_run_has_ids_and_times(tmp_path: Path) -> None:
    write_run(tmp_path / "run", make_run())
    model = model_of_run(tmp_path / "run")
    assert (model.name, model.batch, model.samples) == ("run", 64, 64)
    assert [each.table.optimizer for each in model.pool.features] == [SGD(0.01)] * 2
    # TensorCore: 2 ms on one device for 64 samples; preprocessing 1 ms, before the steps.
    assert model.tensor_core.samples == 64
    assert model.tensor_core.time.seconds == pytest.approx(2e-3)
    assert model.host.time.seconds == pytest.approx(1e-3)
    (result,) = compare(model, [Choice(batch=64)]).results
    assert result.can_run
    assert not result.is_estimated
    assert result.times is not None
    assert result.times.tensor_core.seconds == pytest.approx(2e-3)
    counted = sum(len(values) for values, _ in make_run().ids[0].ids.values())
    assert counted >= sum(each.distinct.value for each in result.stacks) > 0.5 * counted


def test_a_run_without_ids_or_tables_is_an_error() -> None:
    with pytest.raises(
        SparseCoreError, match="the run 'run' has no whole batches of ids; expected"
    ):
        model_of_run(with_fields(make_run(), ids=()))
    with pytest.raises(SparseCoreError, match="the run 'run' has no tables; expected a run of an"):
        model_of_run(with_fields(make_run(), tables=()))
    with pytest.raises(SparseCoreError, match="'none' is not a run: there is no such folder"):
        model_of_run("none")


def test_optimizers_of_others_are_known_by_their_class() -> None:
    def model(optimizer: Mapping[str, object]) -> tuple[list[str], tuple[str, ...]]:
        run = make_run(tables=1)
        table = dataclasses.replace(run.tables[0], optimizer=optimizer)
        found = model_of_run(with_fields(run, tables=(table,)))
        assert found.notes[0] == MEASURED
        return [each.table.optimizer.name for each in found.pool.features], found.notes[1:]

    assert model({"name": "AdagradMomentum"}) == (["adagrad_momentum"], ())
    assert model({"name": "adam", "learning_rate": 0.5, "beta_2": 0.9}) == (["adam"], ())
    unknown = "Optimizers that are not known are taken for SGD: of table_0."
    for optimizer in ({"name": "custom"}, {"name": "Mine"}, {}):
        assert model(optimizer) == (["sgd"], (unknown,))


def test_a_model_needs_all_ids() -> None:
    features = make_features(64)
    batch = dict(make_batch(features))
    with pytest.raises(
        SparseCoreError, match="there are 0 features and 1 batches; expected at least"
    ):
        model_of([], [batch])
    del batch["feature1"]
    with pytest.raises(
        SparseCoreError, match="batch 0 has no ids of feature 'feature1'; it has feature0, feature2"
    ):
        model_of(features, [batch])


def test_an_id_outside_of_its_vocabulary_is_an_error() -> None:
    feature = FeatureSpec("f", TableSpec("t", 10, 8), 4)
    model = model_of([feature], [{"f": np.array([[1], [2], [10], [3]])}])
    with pytest.raises(
        SparseCoreError, match=r"feature 'f', sample 2: id is 10; expected one in \[0"
    ):
        compare(model, [Choice(batch=4)])


def test_files_may_have_fewer_samples_than_a_batch(tmp_path: Path) -> None:
    np.savez(tmp_path / "ids.npz", f=np.arange(96))
    table = TableSpec("t", 100, 8)
    model = model_of_files([FeatureSpec("f", table, 128)], [tmp_path / "ids.npz"])
    assert (model.batch, model.samples) == (128, 96)
    small, large = compare(model, [Choice(batch=64), Choice(batch=128)]).results
    assert not small.is_estimated
    assert large.is_estimated
    assert large.stacks[0].distinct.high >= 100
    np.savez(tmp_path / "none.npz", f=np.arange(0))
    with pytest.raises(
        SparseCoreError, match=r"there are no samples in .*none\.npz; expected some"
    ):
        model_of_files([FeatureSpec("f", table, 128)], [tmp_path / "none.npz"])


def test_ids_are_drawn_from_statistics(tmp_path: Path) -> None:
    path = tmp_path / "tables.toml"
    path.write_text(TABLES + IDS)
    features = read_tables(path, 4096)
    statistics = read_id_statistics(path, features)
    assert statistics["user"] == IdStatistics(3, zipf=1.2)
    model = drawn_model(features, statistics)
    user, owner = (model.pool.ids[name] for name in ("user", "owner"))
    assert len(user.values) == 3 * 4096
    assert len(owner.values) == pytest.approx(1.5 * 4096, rel=0.05)
    counts = np.sort(np.bincount(owner.values, minlength=1000))[::-1]
    assert counts[:10].sum() == pytest.approx(len(owner.values) / 2, rel=0.1)
    assert (counts > 0).sum() <= 510
    of_user = np.sort(np.bincount(user.values, minlength=1000))[::-1]
    assert of_user[0] / of_user[9] == pytest.approx(10**1.2, rel=0.4)
    found = compare(model, [Choice(batch=4096), Choice(batch=8192, devices=4)])
    assert found.is_drawn
    assert all(each.is_estimated and each.can_run for each in found.results)
    again = drawn_model(features, statistics)
    assert (again.pool.ids["user"].values == user.values).all()


def test_many_drawn_samples_stand_for_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sdykit.sparsecore.whatif.drawn._DRAWN", 2**18)
    feature = FeatureSpec("f", TableSpec("t", 10**6, 8), 2**20)
    model = drawn_model([feature], {"f": IdStatistics(100.0)})
    assert len(model.pool.ids["f"].values) <= 2**18
    assert model.pool.steps < 1
    (result,) = compare(model, [Choice(batch=2**20, devices=64)]).results
    ids = 100 * 2**20 / 256**2
    assert result.stacks[0].ids.value == pytest.approx(ids, rel=0.2)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[ids.user]\nids_per_sample = 1\nzipf = 1", "ids: there is nothing about feature 'owner'"),
        ("[ids.item]\nids_per_sample = 1\nzipf = 1", "ids.item: there is no such feature"),
        ("[ids.user]\nzipf = 1", "ids.user: the key 'ids_per_sample' is missing"),
        ("[ids.user]\nids_per_sample = 1", "ids.user: expected zipf or frequencies, and not both"),
        (
            "[ids.user]\nids_per_sample = -1\nzipf = 1",
            "ids_per_sample is -1; expected a number from",
        ),
        ("[ids.user]\nids_per_sample = 1\nzipf = 11", "zipf is 11; expected a number from 0 to 10"),
        ("[ids.user]\nids_per_sample = 1\nzip = 11", "unknown key 'zip'; did you mean 'zipf'?"),
        ("[ids.user]\nids_per_sample = 1\nfrequencies = []", r"expected [[ids, share], ...]"),
        (
            "[ids.user]\nids_per_sample = 1\nfrequencies = [[1]]",
            "frequencies[0] is [1]; expected [ids",
        ),
        (
            "[ids.user]\nids_per_sample = 1\nfrequencies = [[2000, 1.0]]",
            "frequencies has 2000 ids, whose shares sum to 1; expected at most the 1000 of the voc",
        ),
        (
            "[ids.user]\nids_per_sample = 1\nfrequencies = [[20, 0.5]]",
            "frequencies has 20 ids, whose shares sum to 0.5; expected",
        ),
    ],
)
def test_wrong_statistics_are_errors(tmp_path: Path, text: str, error: str) -> None:
    path = tmp_path / "tables.toml"
    path.write_text(f"{TABLES}\n{text}\n")
    with pytest.raises(SparseCoreError) as caught:
        read_id_statistics(path, read_tables(path, 64))
    assert str(caught.value).startswith(f"{path}: error: ids")
    assert error in str(caught.value)


def test_no_times_are_no_times() -> None:
    run = make_run()
    calls = run.calls.where(run.calls.program < 2)  # Lookups only.
    model = model_of_run(with_fields(run, calls=calls))
    assert model.tensor_core.time == Estimate(0, 0, 0)
