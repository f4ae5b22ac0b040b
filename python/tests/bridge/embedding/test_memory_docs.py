"""The programs on the page about memory print what it shows."""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

import sdykit.sparsecore as sc
from sdykit.cli.main import main

PAGE = (Path(__file__).parents[4] / "docs" / "memory.md").read_text()
BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    sc.configure()
    yield
    sc.configure()


def test_the_programs_print_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {}
    shown = 0
    blocks = [match.groups() for match in BLOCK.finditer(PAGE)]
    for (language, program), (_, text) in itertools.pairwise(blocks):
        if language == "toml":
            Path("tables.toml").write_text(program)
        if language == "sh":
            assert main(shlex.split(program)[1:]) == 0
            assert capfd.readouterr().out.startswith(text)
            assert Path("memory.html").exists()
            shown += 1
        if language == "python":
            exec(program, scope)
            assert capfd.readouterr().out == text
            shown += 1
    assert shown == 6
