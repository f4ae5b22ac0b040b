"""The page about timelines does what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[4] / "docs"
PAGE = (DOCS / "timeline.md").read_text()
PROGRAMS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = re.findall(r"^```console\n\$ sdykit (.*?)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
(PRINTED,) = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def python(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        check=True,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder in which the programs of the page ran."""
    found = tmp_path_factory.mktemp("timeline")
    printed = python(found, "-c", "\n".join(PROGRAMS))
    assert printed == PRINTED
    return found


def test_the_programs_write_and_print_what_the_page_shows(folder: Path) -> None:
    assert (folder / "run" / "run.json").exists()
    assert list(folder.glob("logs/plugins/profile/*/*.xplane.pb"))


@pytest.mark.parametrize(("arguments", "expected"), COMMANDS)
def test_the_commands_print_what_the_page_shows(
    folder: Path, arguments: str, expected: str
) -> None:
    printed = python(folder, "-m", "sdykit.cli", *arguments.split())
    if expected:
        assert without_times(printed) == without_times(expected)


def without_times(text: str) -> str:
    """Return a summary without the figures that depend on the times that were measured."""
    return re.sub(r"[0-9,]+ (bytes|spans|tracks)", r"N \1", text)
