"""The programs on the page about memory print what it shows."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import sdykit.sparsecore as sc

PAGE = (Path(__file__).parents[4] / "docs" / "memory.md").read_text()
BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    sc.configure()
    yield
    sc.configure()


def test_the_programs_print_what_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    scope: dict[str, object] = {}
    shown = 0
    blocks = [match.groups() for match in BLOCK.finditer(PAGE)]
    for (language, program), (_, text) in itertools.pairwise(blocks):
        if language == "python":
            exec(program, scope)
            assert capsys.readouterr().out == text
            shown += 1
    assert shown == 3
