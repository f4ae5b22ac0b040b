"""Chips that a user describes in JSON and TOML files."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sdykit.sparsecore.chip import CHIPS, RANGES, chip
from sdykit.sparsecore.errors import SparseCoreError


def written(tmp_path: Path, name: str, text: str | bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mine.toml", 'base = "v6e"\nhbm_bytes = 51_539_607_552\nici_bytes_per_second = 9e11\n'),
        ("mine.json", '{"base": "v6e", "hbm_bytes": 51539607552, "ici_bytes_per_second": 9e11}'),
        ("mine.TOML", '\ufeffbase = "v6e"\nhbm_bytes = 0xC00000000\nici_bytes_per_second = 9e11'),
    ],
)
def test_a_file_with_a_base_replaces_only_the_numbers_that_it_has(
    tmp_path: Path, name: str, text: str
) -> None:
    path = written(tmp_path, name, text)
    mine, base = chip(path), CHIPS["v6e"]
    assert chip(str(path)) == mine
    assert mine.name == "mine"
    changed = {"hbm_bytes": 48 * 2**30, "ici_bytes_per_second": 9e11}
    for number in RANGES:
        assert getattr(mine, number) == changed.get(number, getattr(base, number))
        expected = f"file {path}" if number in changed else base.source(number)
        assert mine.source(number) == expected


def test_a_file_may_repeat_a_number_of_its_base(tmp_path: Path) -> None:
    path = written(tmp_path, "same.toml", 'base = "v5p"\nname = "v5p"\nhbm_bytes = 103079215104')
    assert chip(path) == CHIPS["v5p"]
    assert chip(path).source("hbm_bytes") == f"file {path}"


@pytest.mark.parametrize("name", CHIPS)
def test_a_file_can_have_every_number(tmp_path: Path, name: str) -> None:
    numbers = {number: getattr(CHIPS[name], number) for number in RANGES}
    path = written(tmp_path, "all.json", json.dumps({"name": name, **numbers}))
    assert chip(path) == CHIPS[name]
    for number, allowed in RANGES.items():
        if number != "sparse_cores_per_device":  # At most those of the chip.
            path = written(tmp_path, "one.json", json.dumps({"base": name, number: allowed.high}))
            assert getattr(chip(path), number) == allowed.high


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.toml", "hbm_bytes = \n", ":1:13: error: Invalid value"),
        ("a.toml", 'base = "v4"\nbase = "v4"\n', ":2:12: error: Cannot overwrite a value"),
        ("a.toml", "base", ":1:5: error: Expected '=' after a key in a key/value pair"),
        ("a.toml", 'name = """\nx', ":2:2: error: Unterminated string"),
        (
            "a.toml",
            b'base = "v4"\nname = "\xff"',
            ":2:9: error: found the byte 0xff; expected text in UTF-8",
        ),
        ("a.toml", "x = " + "[" * 9999, ": error: values are nested too deeply"),
        ("a.json", '{\n "base": v4}', ":2:10: error: Expecting value"),
        ("a.json", "", ":1:1: error: Expecting value"),
        ("a.json", "[1, 2]", ":1:1: error: found [1, 2]; expected {...}"),
        ("a.json", '{"name": "a", "name": "b"}', ":1: error: the key 'name' is given twice"),
        ("a.json", "[" * 99999, ": error: values are nested too deeply"),
        ("a.json", '{"hbm_bytes": ' + "9" * 5000 + "}", ": error: Exceeds the limit (4300"),
        ("a.toml", "hbm_bytes = " + "9" * 5000, ": error: Exceeds the limit (4300"),
        ("a.json", '{"bse": "v4"}', ": error: unknown key 'bse'; did you mean 'base'?"),
        ("a.toml", "[hbm_byte]\n", ": error: unknown key 'hbm_byte'; did you mean 'hbm_bytes'?"),
        ("a.toml", 'base = "v5"', ": error: base is 'v5'; did you mean 'v5p'?"),
        ("a.toml", "base = 4", ": error: base is 4; did you mean 'v4'?"),
        ("a.toml", "base = []", ": error: base is []; expected one of v4, v5p, v6e, 7x"),
        (
            "a.toml",
            'name = ""\nbase = "v4"',
            ": error: name is ''; expected a string that is not empty",
        ),
        (
            "a.json",
            '{"base": "v4", "name": null}',
            ": error: name is None; expected a string that is not empty",
        ),
        (
            "a.json",
            '{"base": "v4", "hbm_bytes": NaN}',
            ": error: chip 'a': hbm_bytes is nan; expected an integer from 1048576 to"
            " 1125899906842624",
        ),
        (
            "a.toml",
            'base = "v4"\nhbm_bytes = "32 GiB"',
            ": error: chip 'a': hbm_bytes is '32 GiB'; expected an integer from 1048576 to"
            " 1125899906842624",
        ),
        (
            "a.toml",
            'base = "v4"\nsparse_cores_per_chip = 6',
            ": error: chip 'a': sparse_cores_per_chip is 6; expected a power of two from 1 to 1024",
        ),
        (
            "a.toml",
            'base = "v4"\ndma_granule_bytes = 0x' + "f" * 6000,
            ": error: chip 'a': dma_granule_bytes is an integer of thousands of digits; expected a"
            " power of two from 4 to 65536",
        ),
    ],
)
def test_a_malformed_file_is_an_error_with_its_place(
    tmp_path: Path, name: str, text: str | bytes, message: str
) -> None:
    path = written(tmp_path, name, text)
    with pytest.raises(SparseCoreError) as raised:
        chip(path)
    assert str(raised.value).startswith(f"{path}{message}")


def test_an_error_names_all_missing_numbers(tmp_path: Path) -> None:
    numbers = {number: getattr(CHIPS["v4"], number) for number in RANGES if "bytes" not in number}
    path = written(tmp_path, "few.json", json.dumps(numbers))
    with pytest.raises(SparseCoreError) as raised:
        chip(path)
    assert str(raised.value) == (
        f"{path}: error: hbm_bytes, hbm_bytes_per_second, ici_bytes_per_second, tile_memory_bytes,"
        " dma_granule_bytes, row_alignment_bytes not given; expected every number, or a chip to"
        ' start from, as base = "v5p"'
    )


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("no/such.toml", "cannot read 'no/such.toml': No such file or directory"),
        ("a\0.toml", "cannot read 'a\\x00.toml': embedded null byte"),
        (Path("chip.yaml"), "'chip.yaml': expected a file that ends in .json or .toml"),
    ],
)
def test_an_unreadable_file_is_an_error(path: str | Path, message: str) -> None:
    with pytest.raises(SparseCoreError) as raised:
        chip(path)
    assert str(raised.value) == message


def test_a_directory_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "dir.json").mkdir()
    with pytest.raises(SparseCoreError) as raised:
        chip(os.fspath(tmp_path / "dir.json"))
    assert str(raised.value) == f"cannot read '{tmp_path}/dir.json': Is a directory"
