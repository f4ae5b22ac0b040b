"""The page on hlo-opt does what it says."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from sdykit.opt.flags.hlo import HLO_FLAGS
from sdykit.opt.main import run

PAGE = (Path(__file__).parents[3] / "docs/hlo-opt.md").read_text()
BLOCKS = re.findall(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', PAGE, re.MULTILINE | re.DOTALL)
INTRODUCTION, EXAMPLES = PAGE.split("## An example")


def test_commands_of_the_page_print_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd
):
    monkeypatch.chdir(tmp_path)
    for _, title, text in BLOCKS:
        if title:
            Path(title).write_text(text)
    sessions = re.findall(r"^```console\n(.*?)^```$", EXAMPLES, re.MULTILINE | re.DOTALL)
    commands = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", "".join(sessions), re.MULTILINE)
    assert len(commands) >= 5
    for command, wanted in commands:
        program, *argv = shlex.split(command)
        if program == "cat":
            found = Path(argv[0]).read_text()
        else:
            assert program in ("hlo-opt", "sdy-opt")
            assert run(argv, program) == ("error:" in wanted)
            sys.stdout.flush()
            found = "".join(reversed(capfd.readouterr()))
        if wanted:
            assert found.strip() == wanted.strip(), command


def test_every_flag_is_in_the_table():
    table = PAGE.partition("## Flags")[2]
    documented = set(re.findall(r"`--?([a-z][\w-]*)", table))
    assert documented >= {flag.name for flag in HLO_FLAGS.flags} | HLO_FLAGS.ignored.keys()
