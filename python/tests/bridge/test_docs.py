"""The code in docs/jax.md runs, in order, and prints what the page shows."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from support.pages import check_commands

PAGE = Path(__file__).parents[3] / "docs" / "jax.md"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_python(source: str, line: int, names: dict[str, object]) -> str:
    """Run a block, so that a traceback names the page; return its output."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile("\n" * line + source, str(PAGE), "exec"), names)
    return printed.getvalue()


def run_console(commands: str) -> None:
    for line in commands.splitlines():
        command = shlex.split(line.removeprefix("$ "))
        assert command[0] == "sdy-opt"
        subprocess.run([sys.executable, "-m", "sdykit.opt", *command[1:]], check=True)


def test_the_code_of_the_page_prints_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = PAGE.read_text(encoding="utf-8")
    names: dict[str, object] = {}
    printed, compared = "", 0
    for match in _BLOCK.finditer(page):
        language, content = match.groups()
        if language == "python":
            printed = run_python(content, page.count("\n", 0, match.start()) + 1, names)
        elif content.startswith("$ python "):
            continue  # It runs on devices, in the next test.
        elif language == "console":
            run_console(content)
        else:
            assert content.strip() == printed.strip(), f"output below line {match.start()}"
            compared += 1
    assert compared >= 6
    assert "sdy.mesh @mesh" in Path("imported.mlir").read_text()
    assert "my model" in Path("report.html").read_text()


def test_the_program_on_eight_devices_prints_what_the_page_shows(tmp_path: Path) -> None:
    assert check_commands(PAGE.read_text(encoding="utf-8"), tmp_path, "python ") == 1
