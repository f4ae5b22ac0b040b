"""Batches from files have the samples that were written, however pieces and batches are split."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.files import csv, npz
from sdykit.sparsecore.files.batches import Batch, read_batches
from support.amounts import examples
from support.sparsecore.limits_data import Samples, write_csv, write_npz

IDS = st.lists(st.integers(0, 2**31 - 1), max_size=3)


def samples_of(batch: Batch, name: str) -> list[list[int]]:
    feature = batch.features[name]
    values, splits = np.asarray(feature.values), np.asarray(feature.row_splits)
    return [each.tolist() for each in np.split(values, splits[1:-1])]


def read(paths: list[Path], names: list[str], size: int) -> dict[str, Samples]:
    """Read all batches, and check their numbers of samples and their progress."""
    found: dict[str, Any] = {name: [] for name in names}
    done, total = 0.0, 0
    batches = list(read_batches(paths, names, size))
    for number, batch in enumerate(batches):
        last = number == len(batches) - 1
        assert batch.first_sample == number * size
        assert batch.samples == size or last
        assert done <= batch.done <= 1
        done, total = batch.done, total + batch.samples
        for name in names:
            samples = samples_of(batch, name)
            assert len(samples) == size
            assert not any(samples[batch.samples :])
            found[name] += samples[: batch.samples]
    assert done == 1 or not total
    return found


@settings(derandomize=True, max_examples=examples(60), deadline=None)
@given(
    st.lists(st.lists(st.tuples(IDS, IDS), min_size=1, max_size=12), min_size=1, max_size=3),
    st.lists(st.sampled_from([".npz", ".csv"]), min_size=3, max_size=3),
    st.integers(1, 9),
    st.integers(1, 5),
)
def test_batches_continue_from_file_to_file(
    tmp_path_factory: pytest.TempPathFactory,
    files: list[list[tuple[list[int], list[int]]]],
    endings: list[str],
    size: int,
    lines: int,
) -> None:
    directory = tmp_path_factory.mktemp("data")
    paths: list[Path] = []
    expected: dict[str, Any] = {"a": [], "b": []}
    for number, (rows, ending) in enumerate(zip(files, endings, strict=False)):
        # A csv has no samples before its first line or after its last, and every file must have
        # every feature.
        filled = [([1], [2]), *rows, ([3], [4])]
        features = {"a": [row[0] for row in filled], "b": [row[1] for row in filled]}
        path = directory / f"{number}{ending}"
        (write_npz if ending == ".npz" else write_csv)(path, features)
        paths.append(path)
        for name, samples in features.items():
            expected[name] += samples
    with (
        mock.patch.object(csv, "_LINES", lines),
        mock.patch.object(npz, "_PIECES", lines),
    ):
        assert read(paths, ["a", "b"], size) == expected
        assert read(paths, ["b"], size) == {"b": expected["b"]}


def test_npz_arrays_of_all_shapes_are_read(tmp_path: Path) -> None:
    path = tmp_path / "data.npz"
    np.savez(
        path,
        vector=np.array([1, 2, 3], np.uint8),
        matrix=np.array([[1, 2], [3, 4], [5, 6]], np.int32),
        none=np.zeros((3, 0), np.int64),
        other=np.array(["not", "looked", "at"]),
        allow_pickle=False,
        **{"ragged.values": np.array([7, 8]), "ragged.row_splits": np.array([0, 2, 2, 2])},
    )
    assert read([path], ["vector", "matrix", "none", "ragged"], 2) == {
        "vector": [[1], [2], [3]],
        "matrix": [[1, 2], [3, 4], [5, 6]],
        "none": [[], [], []],
        "ragged": [[7, 8], [], []],
    }


def test_csv_pieces_are_small_where_samples_are_missing(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    jump = 900_000
    lines = [f"{number * jump},a,{number}\n" for number in range(6)]
    path.write_text("sample,feature,id\n" + "".join(lines))
    pieces = list(csv.read_csv(path, ["a"]))
    assert [each.samples for each in pieces] == [jump] * 5 + [1]
    assert [each.values["a"].tolist() for each in pieces] == [[n] for n in range(6)]


def test_csv_samples_count_from_the_first_line(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    write_csv(path, {"a": [[1], [], [2, 3]]}, first=1000, gains=True)
    assert read([path], ["a"], 2) == {"a": [[1], [], [2, 3]]}


def test_csv_as_spreadsheets_write_it(tmp_path: Path) -> None:
    """A byte order mark, line ends of two characters, quotes, and lines with nothing."""
    path = tmp_path / "data.csv"
    text = 'sample,feature,id\r\n0,"a ""b"", c",1\r\n\r\n1,"a ""b"", c",2\r\n'
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert read([path], ['a "b", c'], 4) == {'a "b", c': [[1], [2]]}


def test_ids_are_not_compared_with_the_vocabulary(tmp_path: Path) -> None:
    """Whether they are in the vocabulary is checked where they are counted."""
    path = tmp_path / "data.npz"
    np.savez(path, a=np.array([[-1], [2**40]]))
    assert read([path], ["a"], 2) == {"a": [[-1], [2**40]]}


def test_parquet_columns_of_ids_and_of_lists(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    ragged, plain = [[1, 2], [], None, [3]] * 3, [5, None, 7, 8] * 3
    table = pa.table(
        {
            "ragged": pa.array(ragged, pa.list_(pa.int64())),
            "large": pa.array(ragged, pa.large_list(pa.int32())),
            "fixed": pa.array([[1, 2], [3, 4], [5, 6], None] * 3, pa.list_(pa.uint8(), 2)),
            "plain": pa.array(plain, pa.int32()),
            "text": pa.array(["x"] * 12),
        }
    )
    parquet.write_table(table, tmp_path / "data.parquet", row_group_size=5)
    found = read([tmp_path / "data.parquet"], ["ragged", "large", "fixed", "plain"], 5)
    lists = [each or [] for each in ragged]
    assert found == {
        "ragged": lists,
        "large": lists,
        "fixed": [[1, 2], [3, 4], [5, 6], []] * 3,
        "plain": [[] if each is None else [each] for each in plain],
    }
