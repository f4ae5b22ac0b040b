"""The programs on the page about reports print what it shows, and its table has all bottlenecks."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from sdykit.cli.main import main
from sdykit.sparsecore.bottlenecks import KINDS, check_run
from sdykit.sparsecore.run import read_run

PAGE = (Path(__file__).parents[4] / "docs" / "report.md").read_text()
BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| ([^|]+) \| [^|]+ \| ([^|]+) \|", re.MULTILINE)


def test_the_programs_print_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {}
    blocks = [match.groups() for match in BLOCK.finditer(PAGE)]
    assert [kind for kind, _ in blocks] == ["python", "python", "sh", "python", "text", "python"]
    for kind, program in blocks[:-1]:  # The last one would change logging for other tests.
        if kind == "python":
            exec(program, scope)
        if kind == "sh":
            assert main(shlex.split(program)[1:]) == 0
            assert "bottlenecks found" in capfd.readouterr().out
            assert Path("report.html").exists()
        if kind == "text":
            assert capfd.readouterr().out == program
    rows = ROW.findall(PAGE)
    assert [name for name, _ in rows[1:]] == list(KINDS)
    for (_, threshold), found in zip(rows[1:], check_run(read_run("run")), strict=True):
        assert found.amount(found.threshold).startswith(threshold)
