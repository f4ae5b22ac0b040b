"""The page on the cost model has the programs, tables and numbers of the package."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sdykit.sparsecore.cost import numbers_of
from sdykit.sparsecore.cost.calibration import table

PAGE = (Path(__file__).parents[4] / "docs" / "cost-model.md").read_text()


def test_the_programs_print_what_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    programs = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    printed = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(programs) == len(printed) == 3
    scope: dict[str, object] = {}
    for program, text in zip(programs, printed, strict=True):
        exec(program, scope)
        assert capsys.readouterr().out == text


def test_the_tables_are_those_of_the_package() -> None:
    assert f"\n\n{numbers_of('v5p')}\n\n" in PAGE
    assert f"\n\n{table()}\n\n" in PAGE


def test_the_file_on_the_page_is_read(tmp_path: Path) -> None:
    (text,) = re.findall(r'^```toml title="mine.toml"\n(.*?)^```$', PAGE, re.MULTILINE | re.DOTALL)
    path = tmp_path / "mine.toml"
    path.write_text(text)
    numbers = numbers_of(str(path))
    assert numbers["overlap"].source == "my traces"
    assert numbers["call_seconds"].value == 4e-6
