"""The code of docs/pallas-settings.md runs, and prints what the page shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sdykit.bridge.pallas import settings

PAGE = (Path(__file__).parents[4] / "docs" / "pallas-settings.md").read_text()
SCRIPT, COUNTERS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = [
    (line, following)
    for block in re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    for line, following in re.findall(r"^\$ (.*)\n(.*)$", block, re.MULTILINE)
]


@pytest.mark.parametrize(("command", "shown"), COMMANDS)
def test_commands_print_what_the_page_shows(tmp_path: Path, command: str, shown: str) -> None:
    (tmp_path / "double.py").write_text(SCRIPT)
    too_far = SCRIPT.replace("jnp.ones((rows, 16))", "jnp.ones((rows - 1, 16))")
    (tmp_path / "double_too_far.py").write_text(too_far)
    *variables, program, script = command.split()
    assert program == "python"
    own = dict(each.split("=") for each in variables)
    done = subprocess.run(
        [sys.executable, script],
        cwd=tmp_path,
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert shown in (done.stdout + done.stderr).splitlines()


def test_the_example_of_counters(tmp_path: Path) -> None:
    script = tmp_path / "count.py"
    script.write_text(COUNTERS)
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_page_has_all_settings() -> None:
    rows = re.findall(r"^\| `(SDYKIT_PALLAS\w*)` \|", PAGE, re.MULTILINE)
    assert rows == [settings.MODE, settings.RACES, settings.ORDER]
