"""Completion in real shells."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from sdykit.cli.completion import script
from sdykit.core import Registry
from sdykit.opt.cpp.passes import EXTRA_PASSES
from sdykit.opt.tools import TOOLS

BASH, ZSH = shutil.which("bash"), shutil.which("zsh")
COMPLETE = """
. "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_sdykit_bash "$1"
for word in "${COMPREPLY[@]}"; do echo "$word"; done
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("completion") / "completion.sh"
    path.write_text("\n".join(script()) + "\n")
    return path


def complete(path: Path, *words: str) -> list[str]:
    """Complete the last word, the words being those that bash cuts a line into."""
    assert BASH is not None
    done = subprocess.run(
        [BASH, "--norc", "-c", COMPLETE, "-", str(path), *words],
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    # Within quotes, a second way to go on keeps readline from closing them.
    return [word for word in done.stdout.splitlines() if not word.endswith("...")]


@pytest.mark.skipif(BASH is None, reason="needs bash")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["sdy-opt", "--split-inp"], ["--split-input-file"]),
        (["sdy_opt", "-mlir-t"], ["-mlir-timing", "-mlir-timing-display="]),
        (["mpmd-opt", "--mlir-timing-display", "="], ["tree", "list"]),
        (["sdy-opt", "--mlir-timing-display", "l"], ["list"]),
        (["sdy-opt", "--sdy-lift"], ["--sdy-lift-inlined-meshes"]),
        (["sdy-opt", "--cpp-sdy-propagation"], ["--cpp-sdy-propagation-pipeline"]),
        (["sdy-opt", "--canonicalize", "=", "max"], ["max-iterations=", "max-num-rewrites="]),
        (
            ["sdy-opt", "--canonicalize", "=", "'max-iterations=3 top"],
            ["max-iterations=3 top-down="],
        ),
        (["sdy-opt", "--mlir-print-ir-after", "=", "cse,symbol-d"], ["cse,symbol-dce"]),
        (["sdy-opt", "--pass-pipeline", "=", "'builtin.m"], ["builtin.module("]),
        (
            ["sdy-opt", "--pass-pipeline", "=", "'builtin.module(func.func(cse,canon"],
            ["builtin.module(func.func(cse,canonicalize"],
        ),
        (
            ["sdy-opt", "--pass-pipeline", "=", "'builtin.module(canonicalize{top-down=true max-n"],
            ["builtin.module(canonicalize{top-down=true max-num-rewrites="],
        ),
        (
            ["sdy-opt", "--pass-pipeline", "=", "'builtin.module(canonicalize{top-down=true},snap"],
            ["builtin.module(canonicalize{top-down=true},snapshot-op-locations"],
        ),
        (
            ["sdykit", "reduce", "--pass-pipeline", "=", "'builtin.module(symbol-d"],
            ["builtin.module(symbol-dce"],
        ),
        (["hlo-opt", "--sdy-"], []),
        (["hlo-opt", "--async-wrap", "=", "op"], ["ops="]),
        (["sdykit", "comp"], ["compile", "completion"]),
        (["sdykit", "completion", ""], ["bash", "zsh"]),
        (["sdykit", "compile", "--em"], ["--emit="]),
        (["/usr/bin/sdykit", "compile", "--emit", "=", "a"], ["asm"]),
        # Files are completed by bash itself.
        (["sdy-opt", "mod"], []),
        (["sdy-opt", "-o", ""], []),
    ],
)
def test_bash_completes_words(path: Path, words: list[str], expected: list[str]):
    assert complete(path, *words) == expected


@pytest.mark.skipif(BASH is None, reason="needs bash")
@pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)
def test_all_flags_and_passes_are_completed(path: Path, tool):
    words = {word.rstrip("=").removeprefix("--") for word in complete(path, tool.name, "--")}
    flags = {flag.name for flag in tool.flags.flags if len(flag.name) > 1}
    assert flags <= words
    if not tool.hlo:
        mlir = {name for name in Registry().names() if f" {name} " in _listed(tool.name)}
        assert words - flags >= mlir | set(EXTRA_PASSES)


def _listed(tool: str) -> str:
    from sdykit.opt.flags.help import requested

    return " ".join(
        requested(TOOLS[tool].parse(["--list-passes"]), Registry(), TOOLS[tool]).split()
    )


@pytest.mark.skipif(BASH is None, reason="needs bash")
@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (b"sdy-opt --sdy-lift-inl\t--cse", b"--sdy-lift-inlined-meshes --cse"),
        (b"sdy-opt --mlir-timing-disp\tli\t-x", b"--mlir-timing-display=list -x"),
        (b"sdy-opt --pass-pipeline='builtin.module(canonic\t)'", b"builtin.module(canonicalize)'"),
        (b"sdy-opt comple\t --cse", b"completion.sh  --cse"),
        (b"sdykit reduce --output=comple\t --test", b"--output=completion.sh  --test"),
    ],
)
def test_bash_inserts_completions_into_the_line(path: Path, typed: bytes, expected: bytes):
    """A terminal shows what bash makes of the keys."""
    assert BASH is not None
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(path.parent)
        os.execve(BASH, ["bash", "--norc", "-i"], {"PATH": os.environ["PATH"], "TERM": "dumb"})
    try:
        os.write(terminal, b"PS1='READY'; . ./completion.sh; stty cols 200; echo LOADED''!\n")
        _read_until(terminal, b"LOADED!\r\nREADY")
        os.write(terminal, typed)
        _read_until(terminal, expected)
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
        os.close(terminal)


def _read_until(terminal: int, expected: bytes, seconds: float = 30) -> None:
    seen, deadline = b"", time.monotonic() + seconds
    while expected not in seen:
        left = deadline - time.monotonic()
        assert left > 0, seen
        if select.select([terminal], [], [], left)[0]:
            seen += os.read(terminal, 4096).replace(b"\a", b"")


@pytest.mark.skipif(ZSH is None, reason="needs zsh")
@pytest.mark.parametrize(
    ("program", "previous", "word", "expected"),
    [
        ("sdy-opt", "sdy-opt", "--sdy-lift", ["--sdy-lift-inlined-meshes"]),
        ("sdy-opt", "", "--canonicalize=top", ["--canonicalize=top-down="]),
        ("sdykit compile", "--emit", "as", ["asm"]),
        ("sdy-opt", "", "--pass-pipeline='builtin.module(canoni", ["'builtin.module(canonicalize"]),
    ],
)
def test_zsh_completes_words(
    path: Path, program: str, previous: str, word: str, expected: list[str]
):
    assert ZSH is not None
    text = 'autoload -U compinit; compinit -u -D; . "$1"; emulate sh; _sdykit_candidates "$2" "$3" "$4"'
    done = subprocess.run(
        [ZSH, "-f", "-c", text, "-", str(path), program, previous, word],
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    found = [line for line in done.stdout.splitlines() if line.startswith(word)]
    assert [line.removeprefix("--pass-pipeline=") for line in found] == expected


def test_the_command_prints_the_script(sdykit, path: Path):
    for shell in ("bash", "zsh"):
        result = sdykit("completion", shell)
        assert (result.code, result.err) == (0, "")
        assert result.out == path.read_text()
    assert sdykit("completion", "csh").code == 2
