"""`sdykit limits` as a user runs it: files, tables, and what is said about bad input."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sdykit.sparsecore.limits.file import read_limits
from sdykit.sparsecore.specs import System
from support.sparsecore.limits_data import write_csv, write_npz

USER = [[number] for number in range(10)]
CLICKED = [[0, 1, 1], [], [2]] * 3 + [[5, 5]]
FEATURES = {"user": USER, "clicked": CLICKED, "bought": USER}
TABLES = ("--table", "user=100x8", "--table", "item=50x8:clicked,bought")
BASIC = (*TABLES, "--batch-size", "4", "--sparse-cores", "2")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    write_npz(tmp_path / "data.npz", FEATURES, dense=["user"])
    return tmp_path


def test_limits_are_written_to_a_file(sdykit: Callable, data: Path) -> None:
    result = sdykit("limits", "data.npz", *BASIC, "-o", "limits.json")
    assert result.code == 0
    assert result.err == "note: stack 'user_item' has 2 tables; 5 to 100 are advised\n"
    limits = read_limits(data / "limits.json")
    assert limits.system == System(1, 2)
    assert limits.max_ids_per_chip_per_sample == 5
    (figures,) = limits.stacks
    assert (figures.name, figures.batch_size) == ("user_item", 12)
    # SparseCore 0 of the first step: samples 0 and 1. Partition 0 gets users 0, items 0 0 from
    # sample 0; partition 1 gets users 1, items 1 1.
    assert (figures.max_ids_per_partition, figures.max_unique_ids_per_partition) == (4, 3)
    assert sorted(path.name for path in data.iterdir()) == ["data.npz", "limits.json"]
    rows = [line.split() for line in result.out.splitlines()]
    assert ["user", "all", "1", "1", "4", "4", "10", "1.00"] in rows
    assert rows[-1][:9] == ["10", "samples,", "3", "steps;", "the", "last", "has", "2,", "filled"]


def test_csv_and_npz_have_equal_limits(sdykit: Callable, data: Path) -> None:
    write_csv(data / "data.csv", FEATURES, gains=True)
    write_npz(data / "part1.npz", {name: each[:5] for name, each in FEATURES.items()})
    write_csv(data / "part2.csv", {name: each[5:] for name, each in FEATURES.items()}, first=70)
    outputs = []
    for files in (["data.npz"], ["data.csv"], ["part1.npz", "part2.csv"]):
        result = sdykit("limits", *files, *BASIC, "-o", "limits.json")
        assert result.code == 0
        outputs.append((result.out, (data / "limits.json").read_text()))
    assert outputs[0] == outputs[1] == outputs[2]


def test_options_reach_the_limits(sdykit: Callable, data: Path) -> None:
    (data / "tables.toml").write_text(
        "[tables.user]\nvocabulary_size = 100\nembedding_dim = 8\n"
        "[tables.item]\nvocabulary_size = 50\nembedding_dim = 8\n"
        'features = ["clicked", "bought"]\n'
    )
    described = ("--tables", "tables.toml", "--batch-size", "8", "--devices", "2", "--chip", "v6e")

    def limits(*options: str) -> Any:
        result = sdykit("limits", "data.npz", *described, "-o", "limits.json", *options)
        assert result.code == 0
        return json.loads((data / "limits.json").read_text())

    plain = limits()
    assert plain["system"] == {"num_devices": 2, "sparse_cores_per_device": 2}
    assert plain["stacks"]["user_item"]["tables"]["item"]["col_shift"] == 2
    assert limits("--rotation", "1")["stacks"]["user_item"]["tables"]["item"]["col_shift"] == 1
    assert sorted(limits("--no-stacking")["stacks"]) == ["item", "user"]
    doubled = limits("--headroom", "2")["stacks"]["user_item"]
    single = plain["stacks"]["user_item"]
    assert doubled["buffer_size_per_device"] == 2 * single["buffer_size_per_device"]
    for key in ("max_ids_of_partitions", "max_unique_ids_of_partitions"):
        assert len(single[key]) == 4
        assert doubled[key] == [2 * limit for limit in single[key]]


def test_tables_are_stacked_as_on_the_chip(sdykit: Callable, data: Path) -> None:
    """Rows of 1 and 5 floats are both padded to 8 floats, unless the chip does not pad them."""
    (data / "narrow.toml").write_text('base = "v5p"\nrow_alignment_bytes = 4\n')
    tables = ("--table", "user=100x1", "--table", "item=50x5:clicked,bought")

    def stacks(chip: str) -> list[str]:
        options = (*tables, "--batch-size", "8", "--chip", chip, "-o", "limits.json")
        assert sdykit("limits", "data.npz", *options).code == 0
        return sorted(json.loads((data / "limits.json").read_text())["stacks"])

    assert stacks("v5p") == ["user_item"]
    assert stacks("narrow.toml") == ["item", "user"]


def test_only_the_fullest_partitions_are_shown(sdykit: Callable, data: Path) -> None:
    wide = (*TABLES, "--batch-size", "16", "--sparse-cores", "16")

    def shown(*options: str) -> list[str]:
        result = sdykit("limits", "data.npz", *wide, *options)
        lines = result.out.partition("Limits")[0].splitlines()
        return [line.split()[0] for line in lines if line.startswith("  ") and line.split()]

    assert len(shown()) == 2 * 9
    assert shown().count("8") >= 2  # "8 more", twice.
    assert len(shown("--partitions", "16")) == 2 * 16
    assert shown("--partitions", "0") == []


def test_picture_writes_a_page_alone(sdykit: Callable, data: Path) -> None:
    result = sdykit("limits", "data.npz", *BASIC, "--picture", "limits.html")
    assert result.code == 0
    assert not (data / "limits.json").exists()
    page = (data / "limits.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "Limits from data.npz" in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("data.npz", *BASIC, "-o", "limits.txt"),
            "'limits.txt': expected a limits file, which ends in .json",
        ),
        (
            ("data.npz", *BASIC, "-o", "no/limits.json"),
            "cannot open output file 'no/limits.json': No such file or directory",
        ),
        (
            ("data.npz", *BASIC, "--picture", "-"),
            "--picture is '-'; expected a file, as tables go to stdout",
        ),
        (
            ("data.npz", *BASIC, "--picture", "data.npz"),
            "the picture 'data.npz' would replace the input 'data.npz'; name another file",
        ),
        (
            ("data.npz", *BASIC, "--picture", "./x.json", "-o", "x.json"),
            "the picture './x.json' would replace the output 'x.json'; name another file",
        ),
        (
            ("data.npz", *BASIC, "--headroom", "0.5"),
            "limits: headroom is 0.5; expected a factor from 1 to 1000",
        ),
        (
            ("data.npz", *BASIC, "--table", "buyer=5x8"),
            "data.npz: error: there is no array for feature 'buyer'; did you mean 'user'?",
        ),
        (
            ("data.npz", *BASIC, "--table", "user=5x16"),
            "feature 'user' is there twice; names are unique",
        ),
        (
            ("data.npz", "--table", "user=9x8", "--batch-size", "4"),
            "step 2, from sample 8 of the data on: feature 'user', sample 1: id is 9; "
            "expected one in [0, 9), the vocabulary of table 'user'",
        ),
        (
            ("data.npz", *TABLES, "--batch-size", "6"),
            "feature 'user': batch_size is 6; expected a multiple of the 4 SparseCores",
        ),
        (
            ("data.npz", *TABLES, "--batch-size", "12", "--devices", "3"),
            "system: 3 devices of 4 SparseCores are 12 SparseCores; expected a power of two",
        ),
        (
            ("data.npz", *TABLES, "--batch-size", "4", "--chip", "v5x"),
            "there is no chip 'v5x', and it is not a file that ends in .json or .toml; "
            "did you mean 'v5p'?",
        ),
        (
            ("data.npz", "--tables", "no.toml", "--batch-size", "4"),
            "cannot read 'no.toml': No such file or directory",
        ),
        (("no.npz", *BASIC), "cannot read 'no.npz': No such file or directory"),
        (
            ("data.txt", *BASIC),
            "'data.txt': expected a file that ends in .npz, .parquet, .csv",
        ),
    ],
)
def test_bad_input_is_an_error(
    sdykit: Callable, data: Path, arguments: tuple[str, ...], message: str
) -> None:
    before = (data / "data.npz").read_bytes()
    result = sdykit("limits", *arguments)
    assert (result.code, result.out) == (1, "")
    assert result.err == f"sdykit limits: error: {message}\n"
    assert (data / "data.npz").read_bytes() == before
    assert [path.name for path in data.iterdir()] == ["data.npz"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--batch-size", "4"), "one of the arguments --tables --table is required"),
        (TABLES, "the following arguments are required: --batch-size"),
        (
            ("--table", "user", "--batch-size", "4"),
            "argument --table: found 'user'; expected a table as item=50000x64 or "
            "item=50000x64:clicked,bought",
        ),
        (
            (*TABLES, "--batch-size", "0"),
            "argument --batch-size: found '0'; expected an integer from 1 to 2147483647",
        ),
        (
            (*BASIC, "--chip", "v5p"),
            "argument --chip: not allowed with argument --sparse-cores",
        ),
    ],
)
def test_wrong_command_lines_are_errors(
    sdykit: Callable, data: Path, arguments: tuple[str, ...], message: str
) -> None:
    result = sdykit("limits", "data.npz", *arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err.endswith(f"\nsdykit limits: error: {message}\n")


def test_a_failed_run_leaves_the_old_files(sdykit: Callable, data: Path) -> None:
    for name in ("limits.json", "limits.html"):
        (data / name).write_text("before")
    outputs = ("-o", "limits.json", "--picture", "limits.html")
    result = sdykit("limits", "data.npz", "--table", "user=9x8", "--batch-size", "4", *outputs)
    assert result.code == 1
    assert (data / "limits.json").read_text() == (data / "limits.html").read_text() == "before"


def test_help_lists_formats_and_flags(sdykit: Callable) -> None:
    result = sdykit("limits", "--help")
    assert (result.code, result.err) == (0, "")
    assert "\n  sdykit limits day1.npz day2.npz --tables tables.toml" in result.out
    for word in (".npz", ".parquet", ".csv", "--headroom", "--picture", "--rotation"):
        assert word in result.out
