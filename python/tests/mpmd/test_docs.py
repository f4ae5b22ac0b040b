"""The commands and scripts on the page about MPMD programs run as shown."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[3] / "docs" / "mpmd.md").read_text()
FILES = re.findall(r'^```\w+ title="([^"]+)"\n(.*?)^```$', PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = re.findall(
    r"^```console\n\$ ([^\n]*(?:\n\$ [^\n]*)*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    for name, text in FILES:
        (tmp_path / name).write_text(text)
    return tmp_path


def test_the_commands_of_the_page_print_what_it_shows(directory: Path) -> None:
    assert len(COMMANDS) >= 4
    for command, output in COMMANDS:
        for line in command.split("\n$ "):
            program, *arguments = shlex.split(line)
            script = Path(sysconfig.get_path("scripts"), program)
            done = subprocess.run(
                [script, *arguments], cwd=directory, capture_output=True, text=True, check=True
            )
            found = done.stderr + done.stdout
            assert found.rstrip("\n") == (output if line == command else "").rstrip("\n"), line
    assert "<title>exported.mlir</title>" in (directory / "exported.html").read_text()


def test_the_script_of_the_page_runs(directory: Path) -> None:
    command = [sys.executable, "compare.py"]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=True)
    assert done.stdout == ""


def test_the_table_lists_the_passes_of_the_pipeline_in_order() -> None:
    from sdykit.passes.mpmd.pipeline import ExportPipeline

    listed = re.findall(r"^\| \[`-(mpmd-[\w-]+)`\]", PAGE, re.MULTILINE)
    assert listed == [text.partition("{")[0] for text in ExportPipeline().passes()]


def test_the_quoted_pattern_of_the_page_is_accepted() -> None:
    quoted = "-mpmd-export-pipeline='fail-on-param-transfers param-transfer-pattern=\"params[\"'"
    assert quoted in PAGE
    (argument,) = shlex.split(quoted)
    script = Path(sysconfig.get_path("scripts"), "mpmd-opt")
    done = subprocess.run([script, argument], input="", capture_output=True, text=True, check=True)
    assert done.stdout == "module {\n}\n\n"
