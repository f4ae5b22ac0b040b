"""Malformed files of ids: the error names the file, the place, and what was expected."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.files.batches import read_batches
from support.sparsecore.limits_data import write_npz


def error_of(path: Path, *names: str) -> str:
    with pytest.raises(SparseCoreError) as raised:
        list(read_batches([path], names or ["user", "item"], 2))
    return str(raised.value).replace(str(path), "P")


HEAD = "sample,feature,id\n0,user,1\n0,item,1\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "P:1: error: found []; expected sample,feature,id or with ,gain"),
        (
            "feature,sample,id\n",
            "P:1: error: found ['feature', 'sample', 'id']; expected sample,feature,id or with ,gain",
        ),
        (HEAD + "1,user\n", "P:4: error: found 2 fields; expected 3"),
        (HEAD + "1,user,1,0.5\n", "P:4: error: found 4 fields; expected 3"),
        (
            HEAD + "1,user,-1\n",
            "P:4: error: id is '-1'; expected an integer from 0 to 2147483647",
        ),
        (
            HEAD + "1,user,2147483648\n",
            "P:4: error: id is '2147483648'; expected an integer from 0 to 2147483647",
        ),
        (
            HEAD + "1,user,1_0\n",
            "P:4: error: id is '1_0'; expected an integer from 0 to 2147483647",
        ),
        (
            HEAD + "1,user,\n",
            "P:4: error: id is ''; expected an integer from 0 to 2147483647",
        ),
        (
            HEAD + "x,user,1\n",
            "P:4: error: sample is 'x'; expected an integer from 0 to 2147483647",
        ),
        (
            HEAD + "5,user,1\n4,user,1\n",
            "P:5: error: sample 4 follows 5; expected samples in their order",
        ),
        (
            HEAD + "1000001,user,1\n",
            "P:4: error: sample 1000001 follows 0; expected samples numbered one by one, "
            "of which no more than 1000000 are without ids",
        ),
        (HEAD + '1,"user,1\n', "P:4: error: unexpected end of data"),
        (
            "sample,feature,id\n0,user,1\n0,items,1\n",
            "P: error: there is no line for feature 'item'; did you mean 'items'?",
        ),
        (
            "sample,feature,id\n",
            "P: error: there is no line for feature 'user'; it has none at all",
        ),
    ],
)
def test_a_malformed_csv_is_an_error_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "data.csv").write_text(text)
    assert error_of(tmp_path / "data.csv") == message


def test_a_csv_that_is_not_utf8_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_bytes(b"sample,feature,id\n0,\xff,1\n")
    assert error_of(tmp_path / "data.csv") == ("P: error: it is not UTF-8 text: invalid start byte")


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (
            {"users": np.zeros(2, int)},
            "P: error: there is no array for feature 'user'; did you mean 'users'?",
        ),
        (
            {"user.values": np.zeros(2, int)},
            "P: error: there is an array user.values, but no user.row_splits",
        ),
        (
            {"user": np.zeros(2)},
            "P: error: user is float64[2]; expected integers [n] or [samples, valency]",
        ),
        (
            {"user": np.zeros((2, 2, 2), int)},
            "P: error: user is int64[2, 2, 2]; expected integers [n] or [samples, valency]",
        ),
        (
            {"user": np.array([2**64 - 1], np.uint64)},
            "P: error: user has 18446744073709551615; expected at most 2**63 - 1",
        ),
        (
            {"user.values": np.zeros((2, 2), int), "user.row_splits": np.array([0, 2])},
            "P: error: user.values is int64[2, 2]; expected integers [n]",
        ),
        (
            {"user.values": np.zeros(2, int), "user.row_splits": np.array([0, 3])},
            "P: error: user.row_splits go from [0] to [3]; expected them to rise from 0 to 2, "
            "the number of values",
        ),
        (
            {"user.values": np.zeros(2, int), "user.row_splits": np.array([0, 2, 1, 2])},
            "P: error: user.row_splits go from [0] to [2]; expected them to rise from 0 to 2, "
            "the number of values",
        ),
        (
            {"user.values": np.zeros(0, int), "user.row_splits": np.zeros(0, int)},
            "P: error: user.row_splits go from [] to []; expected them to rise from 0 to 0, "
            "the number of values",
        ),
        (
            {"user": np.zeros(2, int), "item": np.zeros(3, int)},
            "P: error: the features have different numbers of samples (user 2, item 3); "
            "expected one number",
        ),
        (
            {"user": np.array([None, 1], object)},
            "P: error: array user cannot be read: Object arrays cannot be loaded when "
            "allow_pickle=False",
        ),
    ],
)
def test_npz_arrays_that_are_no_ids_are_an_error(
    tmp_path: Path, arrays: dict[str, Any], message: str
) -> None:
    np.savez(tmp_path / "data.npz", **arrays)
    assert error_of(tmp_path / "data.npz") == message


def test_an_empty_npz_is_an_error(tmp_path: Path) -> None:
    np.savez(tmp_path / "data.npz")
    assert error_of(tmp_path / "data.npz") == (
        "P: error: there is no array for feature 'user'; it has none at all"
    )


def test_a_damaged_npz_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "data.npz"
    write_npz(path, {"user": [[1, 2, 3]] * 100, "item": [[1]] * 100})
    data = bytearray(path.read_bytes())
    data[300:400] = bytes(100)
    path.write_bytes(data)
    assert error_of(path).startswith("P: error: array user.values cannot be read: ")


@pytest.mark.parametrize("data", [b"", b"sample,feature,id\n", b"\x93NUMPY", b"PK\x03\x04 or so"])
def test_a_file_that_is_no_npz_is_an_error(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "data.npz").write_bytes(data)
    assert error_of(tmp_path / "data.npz") == "P: error: it is not an npz file"


@pytest.mark.parametrize("ending", ["npz", "csv", "parquet"])
def test_a_missing_file_is_an_error(tmp_path: Path, ending: str) -> None:
    assert error_of(tmp_path / f"no.{ending}") == "cannot read 'P': No such file or directory"


@pytest.mark.parametrize("ending", ["npz", "csv"])
def test_a_directory_is_an_error(tmp_path: Path, ending: str) -> None:
    (tmp_path / f"data.{ending}").mkdir()
    assert error_of(tmp_path / f"data.{ending}") == "cannot read 'P': Is a directory"


def test_a_file_with_another_ending_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text(HEAD)
    assert error_of(tmp_path / "data.txt") == (
        "'P': expected a file that ends in .npz, .parquet, .csv"
    )


def test_parquet_without_pyarrow_is_an_error_that_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data.parquet").write_bytes(b"PAR1")
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    assert error_of(tmp_path / "data.parquet") == (
        "P: error: parquet is read with pyarrow, which is not installed; install sdykit[parquet]"
    )


def test_a_malformed_parquet_is_an_error(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    path = tmp_path / "data.parquet"
    table = pa.table({"user": ["x"], "holes": pa.array([[1, None]], pa.list_(pa.int64()))})
    parquet.write_table(table, path)
    assert error_of(path, "item") == (
        "P: error: there is no column for feature 'item'; expected one of user, holes"
    )
    assert error_of(path, "user") == (
        "P: error: column user is string; expected integers or lists of them"
    )
    assert error_of(path, "holes") == "P: error: column holes has a list with a null in it"
    parquet.write_table(pa.Table.from_arrays([[1], [2]], names=["user", "user"]), path)
    assert error_of(path, "user") == "P: error: there are 2 columns user; expected one"
    path.write_bytes(b"no parquet at all")
    assert error_of(path).startswith("P: error: ")
