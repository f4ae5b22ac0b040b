"""The pages on the driver and on writing passes do what they say."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sysconfig
from pathlib import Path

import pytest

import sdykit
from sdykit.opt.flags.mlir import FLAGS, IGNORED, UNAVAILABLE

DOCS = Path(__file__).parents[3] / "docs"
TUTORIAL = (DOCS / "write-a-pass.md").read_text()
RULES = (DOCS / "sharding-rules.md").read_text()
BLOCK = re.compile(r'^(````?)(\w+)(?: title="([^"]+)")?\n(.*?)^\1$', re.MULTILINE | re.DOTALL)
BLOCKS = [block[1:] for block in BLOCK.findall(TUTORIAL + RULES)]
COMMANDS = [
    (command, output)
    for kind, _, text in BLOCKS
    if kind == "console"
    for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE)
]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for _, title, text in BLOCKS:
        if title:
            (tmp_path / title).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_first_pass_has_five_lines():
    code = next(text for _, title, text in BLOCKS if title == "find.py")
    body = [line for line in code.splitlines() if line and not line.startswith("from")]
    assert len(body) == 5


DRIVEN = [pair for pair in COMMANDS if pair[0].startswith("sdy-opt")]


@pytest.mark.parametrize(("command", "output"), DRIVEN, ids=[command for command, _ in DRIVEN])
@pytest.mark.usefixtures("files")
def test_commands_of_the_tutorial_print_what_it_shows(driver, command: str, output: str):
    result = driver(*shlex.split(command)[1:])
    assert result.code == ("error:" in output)
    if output:
        assert (result.err + result.out).rstrip("\n") + "\n" == output


@pytest.mark.usefixtures("files")
def test_the_other_commands_of_the_tutorial_run():
    others = [pair for pair in COMMANDS if pair not in DRIVEN]
    assert [command for command, _ in others] == [
        "python run.py",
        "pip install lit filecheck",
        "lit -v .",
    ]
    programs = f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}"
    path = {"PYTHONPATH": str(Path(sdykit.__file__).parents[1]), "PATH": programs}
    for command, output in others:
        if command.startswith("pip"):
            continue  # the environment of the tests has both
        done = subprocess.run(
            shlex.split(command), capture_output=True, text=True, env=os.environ | path, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.rstrip("\n") == output.rstrip("\n") or command == "lit -v ."
        assert "Passed: 2" in done.stdout or command != "lit -v ."


def test_the_example_is_the_one_of_the_repository():
    (text,) = (text for _, title, text in BLOCKS if title == "count_constraints.py")
    assert text == (DOCS.parent / "examples" / "passes" / "count_constraints.py").read_text()


def test_the_test_of_the_tutorial_passes(driver, files: Path):
    flags = ("--split-input-file", "--verify-diagnostics", "--load-pass=limit.py")
    assert driver("limit_test.mlir", *flags, "--limit-ops=limit=0").code == 0
    assert driver("limit_test.mlir", *flags, "--limit-ops=limit=1").code == 1


def test_the_pipeline_of_the_tutorial_runs(driver, files: Path):
    result = driver("model.mlir", "--load-pass=tidy.py", "--tidy", "--dump-pass-pipeline")
    assert result.err == (
        "builtin.module(symbol-dce,func.func(cse,canonicalize{max-iterations=3}))\n"
    )


def test_every_flag_is_in_the_table():
    table = (DOCS / "sdy-opt.md").read_text().partition("## Flags")[2]
    documented = set(re.findall(r"`--?([a-z][\w-]*)", table))
    assert documented >= {flag.name for flag in FLAGS} | IGNORED.keys() | UNAVAILABLE.keys()
