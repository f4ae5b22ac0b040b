"""The page on chips has the numbers, programs and errors of the package."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sdykit.sparsecore.chip import CHIPS, RANGES, chip
from sdykit.sparsecore.errors import SparseCoreError

PAGE = (Path(__file__).parents[3] / "docs" / "sparsecore-chip.md").read_text()
UNITS = {"": 1, "B": 1, "KiB": 2**10, "GiB": 2**30, "GB/s": 10**9}
FILE = re.findall(r'^```toml title="wide.toml"\n(.*?)^```$', PAGE, re.MULTILINE | re.DOTALL)


def rows() -> list[list[str]]:
    numbers = PAGE.partition("## A chip of your own")[0]
    lines = [
        line.strip("| ").split(" | ") for line in numbers.splitlines() if line.startswith("| ")
    ]
    return [row for row in lines if row[0].startswith("`")]


def test_the_table_has_the_numbers_and_assumptions_of_all_chips() -> None:
    assert "| | v4 | v5p | v6e | 7x |\n" in PAGE
    assert list(CHIPS) == ["v4", "v5p", "v6e", "7x"]
    assert [row[0].strip("`") for row in rows()] == list(RANGES)
    for row in rows():
        number = row[0].strip("`")
        for each, cell in zip(CHIPS.values(), row[1:], strict=True):
            match = re.fullmatch(r"(\d+) ?(B|KiB|GiB|GB/s|)( \(a\))?", cell.strip())
            assert match, cell
            assert getattr(each, number) == int(match[1]) * UNITS[match[2]]
            assert each.source(number).startswith("assumption") == bool(match[3])


def test_the_programs_print_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wide.toml").write_text(*FILE)
    programs = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(programs) == 4
    exec("\n".join(programs), {})
    *_, ledger, stack = re.split("^(?=HBM of |520000)", capsys.readouterr().out, flags=re.MULTILINE)
    for printed in (ledger, stack):
        assert f"```text\n{printed}```" in PAGE


@pytest.mark.parametrize(
    ("old", "new"),
    [("16", ""), ("tile_memory_bytes", "tile_memory"), ("= 16", "= 12")],
)
def test_the_errors_are_those_on_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (text,) = FILE
    Path("wide.toml").write_text(text.replace(old, new, 1))
    with pytest.raises(SparseCoreError) as raised:
        chip("wide.toml")
    assert f"\n{raised.value}\n" in PAGE
