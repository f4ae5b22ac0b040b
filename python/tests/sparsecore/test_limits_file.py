"""The limits file: limits are written and read back, and a malformed file is an error."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.limits import Limits, StackFigures, TableFigures
from sdykit.sparsecore.limits.file import limits_text, read_limits, write_limits
from sdykit.sparsecore.specs import System
from support.amounts import examples

LIMITS = Limits(
    System(2, 4),
    (
        StackFigures(
            "user_item",
            8192,
            (500, 1, 2, 3, 4, 5, 6, 7),
            (200, 8, 7, 6, 5, 4, 3, 2),
            16000,
            (
                TableFigures("user", 1000, 0, 300, 150, 2, 2000, 900),
                TableFigures("item", 50, 4, 250, 50, 3, 1500, 50),
            ),
            3,
        ),
        StackFigures("city", 4096, (100,) * 8, (10,) * 8, 800, (TableFigures("city", 10, 0),)),
    ),
    max_ids_per_chip_per_sample=70,
)

TEXT = """\
{
  "format": "sdykit-sparsecore-limits",
  "version": 2,
  "system": {
    "num_devices": 1,
    "sparse_cores_per_device": 2
  },
  "max_ids_per_chip_per_sample": 9,
  "stacks": {
    "words": {
      "batch_size": 4,
      "max_ids_of_partitions": [2, 3],
      "max_unique_ids_of_partitions": [2, 2],
      "buffer_size_per_device": 32,
      "max_ids_per_partition_per_sample": 2,
      "tables": {
        "words": {
          "vocabulary_size": 32,
          "col_shift": 0,
          "max_ids_per_partition": 3,
          "max_unique_ids_per_partition": 2,
          "max_ids_per_partition_per_sample": 2,
          "max_ids_per_table": 6,
          "max_unique_ids_per_table": 5
        }
      }
    }
  }
}
"""

FIRST = """\
{
  "format": "sdykit-sparsecore-limits",
  "version": 1,
  "system": { "num_devices": 1, "sparse_cores_per_device": 2 },
  "stacks": {
    "words": {
      "batch_size": 4,
      "max_ids_per_partition": 3,
      "max_unique_ids_per_partition": 2,
      "buffer_size_per_device": 32,
      "tables": {
        "words": { "vocabulary_size": 32, "col_shift": 0, "max_ids": 4 }
      }
    }
  }
}
"""
"""A file of version 1."""


def test_a_file_of_limits_has_this_text() -> None:
    words = TableFigures("words", 32, 0, 3, 2, 2, 6, 5)
    figures = StackFigures("words", 4, (2, 3), (2, 2), 32, (words,), 2)
    assert limits_text(Limits(System(1, 2), (figures,), 9)) == TEXT


def test_version_1_is_read_with_a_warning(tmp_path: Path) -> None:
    """A partition gets the limit of the stack, a table that of each of two SparseCores."""
    path = tmp_path / "limits.json"
    path.write_text(FIRST)
    with pytest.warns(UserWarning, match="version is 1") as caught:
        limits = read_limits(path)
    words = TableFigures("words", 32, 0, max_ids_per_table=8)
    assert limits == Limits(System(1, 2), (StackFigures("words", 4, (3, 3), (2, 2), 32, (words,)),))
    (warning,) = caught
    assert str(warning.message) == (
        f"{path}:3: warning: version is 1, without limits of single partitions and of whole "
        "tables: all partitions of a stack get its limit, and a table 2 times its limit of one "
        "SparseCore. Write the file anew with `sdykit limits`, or `write_limits`, for the limits "
        "of the data"
    )
    assert warning.filename == __file__


def test_version_2_is_read_without_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "limits.json"
    path.write_text(TEXT)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_limits(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            FIRST.replace('"max_ids": 4', '"max_ids_per_table": 4'),
            "P:12: error: stacks.words.tables.words: unknown key 'max_ids_per_table'; "
            "did you mean 'max_ids_per_partition'?",
        ),
        (
            FIRST.replace('"max_ids_per_partition": 3', '"max_ids_per_partition": [3, 3]'),
            "P:8: error: stacks.words.max_ids_per_partition is [3, 3]; "
            "expected an integer from 1 to 2147483647",
        ),
    ],
)
def test_version_1_has_its_own_keys(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "limits.json"
    path.write_text(text)
    with pytest.raises(SparseCoreError) as raised:
        read_limits(path)
    assert str(raised.value).replace(str(path), "P") == message


def test_the_page_shows_that_text() -> None:
    page = Path(__file__).parents[3] / "docs" / "limits.md"
    assert f"```json\n{TEXT}```" in page.read_text()


def test_unknown_figures_are_left_out() -> None:
    city = json.loads(limits_text(LIMITS))["stacks"]["city"]
    assert "max_ids_per_partition_per_sample" not in city
    assert city["tables"] == {"city": {"vocabulary_size": 10, "col_shift": 0}}
    without = Limits(LIMITS.system, LIMITS.stacks)
    assert "max_ids_per_chip_per_sample" not in json.loads(limits_text(without))


def test_written_limits_are_read_back(tmp_path: Path) -> None:
    write_limits(tmp_path / "limits.json", LIMITS)
    assert read_limits(tmp_path / "limits.json") == LIMITS
    assert [path.name for path in tmp_path.iterdir()] == ["limits.json"]


COUNT = st.integers(1, 2**31 - 1)
MAYBE = st.none() | COUNT
NAME = st.text(st.characters(codec="utf-8", exclude_characters="\n"), min_size=1)


FIGURES = ["max_ids_per_partition", "max_unique_ids_per_partition"]
OF_SAMPLE = "max_ids_per_partition_per_sample"


def table_figures(name: str) -> st.SearchStrategy[TableFigures]:
    figures = [*FIGURES, OF_SAMPLE, "max_ids_per_table", "max_unique_ids_per_table"]
    shift = st.integers(0, 2**31 - 1)
    return st.builds(TableFigures, st.just(name), COUNT, shift, **dict.fromkeys(figures, MAYBE))


@st.composite
def any_limits(draw: st.DrawFn) -> Limits:
    names = draw(st.lists(NAME, unique=True, min_size=1, max_size=5))
    parts = draw(st.integers(1, len(names)))
    system = System(2 ** draw(st.integers(0, 3)), 2 ** draw(st.integers(0, 3)))
    of_partitions = st.tuples(*[COUNT] * system.num_sparse_cores)
    stacks = [
        st.builds(
            StackFigures,
            # No two stacks have the same name: no table's name has a line break.
            st.just("\n".join(names[at::parts])),
            batch_size=COUNT,
            buffer_size_per_device=COUNT,
            tables=st.tuples(*map(table_figures, names[at::parts])),
            max_ids_of_partitions=of_partitions,
            max_unique_ids_of_partitions=of_partitions,
            **{OF_SAMPLE: MAYBE},
        )
        for at in range(parts)
    ]
    return Limits(system, tuple(map(draw, stacks)), draw(MAYBE))


@settings(derandomize=True, max_examples=examples(100), deadline=None)
@given(any_limits())
def test_any_limits_round_trip(tmp_path_factory: pytest.TempPathFactory, limits: Limits) -> None:
    path = tmp_path_factory.mktemp("limits") / "l.json"
    write_limits(path, limits)
    assert read_limits(path) == limits


def changed(*keys: str, value: Any = None) -> str:
    """Return `TEXT` with another value for a key, or without the key if the value is None."""
    values = json.loads(TEXT)
    inner = values
    for key in keys[:-1]:
        inner = inner[key]
    if value is None:
        del inner[keys[-1]]
    else:
        inner[keys[-1]] = value
    # Every number of a list is on a line of its own.
    return json.dumps(values, indent=2)


STACK = ("stacks", "words")
TABLE = (*STACK, "tables", "words")
EXPECTED = "expected an integer from 1 to 2147483647"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{\n  "format": 1x\n}', "P:2:14: error: Expecting ',' delimiter"),
        (TEXT[:-20], "P:26:1: error: Expecting ',' delimiter"),
        ("", "P:1:1: error: Expecting value"),
        ("[1]", "P:1:1: error: found [1]; expected {...}"),
        ('{"b": {"a": 1},\n"a": 1,\n"a": 2}', "P:3: error: the key 'a' is given twice"),
        ('{"b": [{"a": 1}, {"a": 1,\n"a": 2}]}', "P:2: error: the key 'a' is given twice"),
        (
            "{}",
            "P:1: error: format is None; expected 'sdykit-sparsecore-limits', in a file that "
            "`sdykit limits` writes",
        ),
        (changed("version", value=3), "P:3: error: version is 3; expected 1 or 2"),
        (changed("version", value=True), "P:3: error: version is True; expected 1 or 2"),
        (changed("version"), "P:1: error: version is None; expected 1 or 2"),
        (changed("system"), "P:1: error: the key 'system' is missing"),
        (changed("stack", value={}), "P:35: error: unknown key 'stack'; did you mean 'stacks'?"),
        (
            changed("system", "num_devices", value=3),
            "P:4: error: system: 3 devices of 2 SparseCores are 6 SparseCores; expected a power "
            "of two",
        ),
        (changed("system", value=4), "P:4: error: system is 4; expected {...}"),
        (
            changed("system", "num_devices", value="1"),
            f"P:5: error: system.num_devices is '1'; {EXPECTED}",
        ),
        (
            changed("system", "sparse_cores_per_device", value=4),
            "P:12: error: stacks.words.max_ids_of_partitions is [2, 3]; expected a list of 4 "
            "integers, one for each partition of the system",
        ),
        (
            changed("max_ids_per_chip_per_sample", value=0),
            f"P:8: error: max_ids_per_chip_per_sample is 0; {EXPECTED}",
        ),
        (
            changed(*STACK, "max_ids_of_partitions", value=3),
            "P:12: error: stacks.words.max_ids_of_partitions is 3; expected a list of 2 integers, "
            "one for each partition of the system",
        ),
        (
            changed(*STACK, "max_unique_ids_of_partitions", value=[1, 0]),
            f"P:16: error: stacks.words.max_unique_ids_of_partitions[1] is 0; {EXPECTED}",
        ),
        (
            changed(*STACK, "max_unique_ids_of_partitions"),
            "P:10: error: stacks.words: the key 'max_unique_ids_of_partitions' is missing",
        ),
        (
            changed(*STACK, "max_id_of_partitions", value=1),
            "P:33: error: stacks.words: unknown key 'max_id_of_partitions'; "
            "did you mean 'max_ids_of_partitions'?",
        ),
        (changed(*STACK, value=[]), "P:10: error: stacks.words is []; expected {...}"),
        (
            changed(*STACK, "tables", value={}),
            "P:22: error: stacks.words.tables is empty; expected at least one table",
        ),
        (changed(*TABLE, value=7), "P:23: error: stacks.words.tables.words is 7; expected {...}"),
        (
            changed(*TABLE, "col_shift", value=-1),
            "P:25: error: stacks.words.tables.words.col_shift is -1; expected an integer from 0 to "
            "2147483647",
        ),
        (
            changed(*TABLE, "max_ids_per_table", value=2**31),
            f"P:29: error: stacks.words.tables.words.max_ids_per_table is 2147483648; {EXPECTED}",
        ),
        (
            changed(*TABLE, "vocabulary_size"),
            "P:23: error: stacks.words.tables.words: the key 'vocabulary_size' is missing",
        ),
        (
            changed("stacks", value={name: json.loads(TEXT)["stacks"]["words"] for name in "ab"}),
            "P:47: error: table 'words' is in the stacks 'a' and 'b'; expected it in one",
        ),
    ],
)
def test_a_malformed_file_is_an_error_with_its_place(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "limits.json"
    path.write_text(text)
    with pytest.raises(SparseCoreError) as raised:
        read_limits(path)
    assert str(raised.value).replace(str(path), "P") == message


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "limits.json"
    with pytest.raises(SparseCoreError) as raised:
        read_limits(path)
    assert str(raised.value) == f"cannot read '{path}': No such file or directory"


@pytest.mark.parametrize("use", [read_limits, lambda path: write_limits(path, LIMITS)])
def test_a_file_with_another_ending_is_an_error(use: Callable[[str], Any]) -> None:
    with pytest.raises(SparseCoreError) as raised:
        use("limits.toml")
    assert str(raised.value) == "'limits.toml': expected a limits file, which ends in .json"


def test_a_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "limits.json"
    path.write_text("before")

    def fail(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(SparseCoreError) as raised:
        write_limits(path, LIMITS)
    assert str(raised.value) == f"cannot write '{path}': No space left on device"
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_writing_to_a_missing_directory_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "no" / "limits.json"
    with pytest.raises(SparseCoreError) as raised:
        write_limits(path, LIMITS)
    assert str(raised.value) == f"cannot write '{path}': No such file or directory"


def test_writing_to_a_link_replaces_its_target(tmp_path: Path) -> None:
    target, link = tmp_path / "real.json", tmp_path / "limits.json"
    target.write_text("before")
    target.chmod(0o640)
    link.symlink_to(target)
    write_limits(link, LIMITS)
    assert link.is_symlink()
    assert read_limits(target) == LIMITS
    assert target.stat().st_mode & 0o777 == 0o640
