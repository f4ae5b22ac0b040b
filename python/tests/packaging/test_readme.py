"""The commands and the code in the README give what it shows."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from support import ROOT
from support.pages import check_commands

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_commands_print_what_the_readme_shows(tmp_path: Path) -> None:
    assert check_commands(README, tmp_path) == 4


def test_the_code_looks_up_and_updates_the_rows_that_it_names(capsys) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {}
    exec(code, names)
    before = np.arange(40.0).reshape(10, 4)
    assert capsys.readouterr().out.strip() == str(np.stack([before[1] + before[3], before[2]]))
    before[1:4] -= 0.5
    np.testing.assert_array_equal(np.asarray(names["table"]), before)


def test_all_links_lead_to_files() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", README)
    assert len(links) > 40
    assert [each for each in links if not (ROOT / each).exists()] == []


def test_all_pages_are_linked() -> None:
    pages = {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")} - {"docs/index.md"}
    assert sorted(page for page in pages if f"({page})" not in README) == []
