"""Files of statistics, which jax-tpu-embedding and this package read from each other."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.limits.statistics import RunningStatistics
from sdykit.sparsecore.limits.statistics_files import Form, load_statistics, save_statistics
from sdykit.sparsecore.preprocess.results import StackStatistics
from sdykit.sparsecore.specs import System

SYSTEM = System(num_devices=2, sparse_cores_per_device=2)
FORMS: list[Form] = ["npz", "csv"]
LIBRARY = "jax_tpu_embedding.sparsecore.lib"


def statistics(seed: int, devices: int = 2) -> RunningStatistics:
    rng = np.random.default_rng(seed)
    found = RunningStatistics(SYSTEM)
    for _ in range(3):
        found = found.folded(
            {name: step(rng, devices) for name in ("words", "places_max_ids", "empty")}
        )
    return found


def step(rng: np.random.Generator, devices: int) -> StackStatistics:
    ids = rng.integers(0, 1000, (devices * 2, 4)).astype(np.int32)
    return StackStatistics(ids, ids // 2, int(rng.integers(0, 9)))


def assert_same(found: RunningStatistics, expected: RunningStatistics) -> None:
    assert found.system == expected.system
    assert sorted(found.stacks) == sorted(expected.stacks)
    for name, totals in found.stacks.items():
        other = expected.stacks[name]
        for field in ("max_ids", "max_unique_ids", "required_buffer_size"):
            np.testing.assert_array_equal(getattr(totals, field), getattr(other, field))
        assert totals.dropped == other.dropped


@pytest.mark.parametrize("form", FORMS)
def test_saved_statistics_are_loaded_back(tmp_path: Path, form: Form) -> None:
    path = save_statistics(tmp_path, statistics(0), process=3, form=form)
    assert path.parent == tmp_path
    assert path.name.startswith("fdo_stats_3_")
    assert path.suffix == f".{form}"
    assert_same(load_statistics(tmp_path, SYSTEM), statistics(0))


def test_the_latest_file_of_each_process_counts(tmp_path: Path) -> None:
    save_statistics(tmp_path, statistics(9), process=0, form="csv")
    save_statistics(tmp_path, statistics(0), process=0)
    save_statistics(tmp_path, statistics(8), process=10)
    save_statistics(tmp_path, statistics(1, devices=1), process=10, form="csv")
    (tmp_path / "notes.txt").write_text("not one of them")
    expected = statistics(0).merged(statistics(1, devices=1))
    assert_same(load_statistics(tmp_path, SYSTEM), expected)


def library_client(form: Form, directory: Path) -> Any:
    pytest.importorskip("jax_tpu_embedding", reason="jax-tpu-embedding is not installed")
    if form == "npz":
        return importlib.import_module(f"{LIBRARY}.fdo.file_fdo_client").NPZFileFDOClient(
            str(directory)
        )
    return importlib.import_module(f"{LIBRARY}.fdo.csv_file_fdo_client").CSVFileFDOClient(
        str(directory)
    )


def library_stats(*arrays: Any) -> Any:
    nn = importlib.import_module(f"{LIBRARY}.nn.embedding")
    return nn.SparseDenseMatmulInputStats(*arrays)


@pytest.mark.parametrize("form", FORMS)
def test_the_library_reads_our_files(tmp_path: Path, form: Form) -> None:
    client = library_client(form, tmp_path)
    for process in range(2):
        save_statistics(tmp_path, statistics(process), process, form)
    found = client.load()
    expected = statistics(0).merged(statistics(1))
    for name, totals in expected.stacks.items():
        np.testing.assert_array_equal(found.max_ids_per_partition[name], totals.max_ids.reshape(-1))
        np.testing.assert_array_equal(
            found.max_unique_ids_per_partition[name], totals.max_unique_ids.reshape(-1)
        )
        np.testing.assert_array_equal(
            found.required_buffer_size_per_sc[name], totals.required_buffer_size
        )
        # The library takes the maximum over the processes, not their sum.
        dropped = [statistics(process).stacks[name].dropped for process in range(2)]
        assert found.id_drop_counters[name] == max(dropped)
        buffer = found.get_required_buffer_size_per_device(name, 2)
        assert buffer == totals.required_buffer_size.max() * 2


# The library cannot write a counter as csv that was recorded once.
@pytest.mark.parametrize(("form", "steps"), [("npz", 1), ("npz", 3), ("csv", 3)])
def test_files_of_the_library_are_read(tmp_path: Path, form: Form, steps: int) -> None:
    client = library_client(form, tmp_path)
    rng = np.random.default_rng(0)
    expected = RunningStatistics(SYSTEM)
    for _ in range(steps):
        one = {"words": step(rng, 2)}
        expected = expected.folded(one)
        single = RunningStatistics(SYSTEM).folded(one).stacks["words"]
        client.record(
            library_stats(
                {"words": single.max_ids.reshape(-1)},
                {"words": single.max_unique_ids.reshape(-1)},
                {"words": single.required_buffer_size},
                {"words": single.dropped},
            )
        )
    client.publish()
    assert_same(load_statistics(tmp_path, SYSTEM), expected)


def test_no_files_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(SparseCoreError) as raised:
        load_statistics(tmp_path, SYSTEM)
    assert str(raised.value) == (
        f"{tmp_path}: error: there are no statistics; expected files as "
        "fdo_stats_<process>_<nanoseconds>.npz or .csv"
    )
    with pytest.raises(SparseCoreError) as raised:
        load_statistics(tmp_path / "no", SYSTEM)
    assert str(raised.value) == f"cannot read '{tmp_path / 'no'}': No such file or directory"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, "parquet"), "statistics: form is 'parquet'; expected one of npz, csv"),
        ((-1, "npz"), "statistics: process is -1; expected 0 or more"),
    ],
)
def test_a_bad_argument_is_an_error(tmp_path: Path, arguments: Any, message: str) -> None:
    with pytest.raises(SparseCoreError) as raised:
        save_statistics(tmp_path, statistics(0), *arguments)
    assert str(raised.value) == message
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,values\n", "P:1: error: found ['name', 'values']; expected key,values"),
        (
            "key,values\nwords_max_ids,1 2 x 4\n",
            "P:2: error: found ['words_max_ids', '1 2 x 4']; "
            "expected a name and numbers separated by blanks",
        ),
        (
            "key,values\nwords_max_ids,-1 2 3 4\n",
            "P:2: error: found ['words_max_ids', '-1 2 3 4']; "
            "expected a name and numbers separated by blanks",
        ),
        (
            "key,values\n\nwords_max_ids\n",
            "P:3: error: found ['words_max_ids']; expected a name and numbers separated by blanks",
        ),
        (
            "key,values\nwords_max_ids,1 2 3 4\nwords_max_ids,1 2 3\n",
            "P: error: lines of words_max_ids have 3 and 4 numbers; expected as many in each",
        ),
        (
            "key,values\nwords_max_id,1 2 3 4\n",
            "P: error: unknown array 'words_max_id'; expected names that end in _max_ids, "
            "_max_unique_ids, _required_buffer_size, _id_drop_counters",
        ),
        (
            "key,values\nwords_max_ids,1 2 3 4\n",
            "P: error: there is no array words_max_unique_ids",
        ),
        (
            "key,values\nwords_max_ids,1 2 3\nwords_max_unique_ids,1 2 3\n",
            "P: error: words_max_ids has 3 elements; expected a multiple of 4, "
            "for 2 devices of 2 SparseCores",
        ),
    ],
)
def test_a_malformed_csv_is_an_error(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "fdo_stats_0_1.csv"
    path.write_text(text)
    with pytest.raises(SparseCoreError) as raised:
        load_statistics(tmp_path, SYSTEM)
    assert str(raised.value).replace(str(path), "P") == message


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (
            np.ones(4),
            "P: error: words_max_ids is float64[4]; expected integers of one row or several",
        ),
        (
            np.ones((0, 4), int),
            "P: error: words_max_ids is int64[0, 4]; expected integers of one row or several",
        ),
        (np.array([1, -2, 3, 4]), "P: error: words_max_ids has -2; expected 0 or more"),
    ],
)
def test_arrays_that_are_no_counts_are_an_error(tmp_path: Path, array: Any, message: str) -> None:
    path = tmp_path / "fdo_stats_0_1.npz"
    np.savez(path, words_max_ids=array)
    with pytest.raises(SparseCoreError) as raised:
        load_statistics(tmp_path, SYSTEM)
    assert str(raised.value).replace(str(path), "P") == message


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 and so on", b"\x93NUMPY"])
def test_a_file_that_is_no_npz_is_an_error(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "fdo_stats_0_1.npz"
    path.write_bytes(data)
    with pytest.raises(SparseCoreError, match=f"^{path}: error: it is not an npz file"):
        load_statistics(tmp_path, SYSTEM)
