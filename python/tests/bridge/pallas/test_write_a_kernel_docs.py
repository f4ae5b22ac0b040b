"""docs/write-a-kernel.md runs as it is printed, errors included; docs/pallas.md names errors that exist."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import jax
import pytest

import sdykit.sparsecore as sc
from sdykit.cli.main import main

DOCS = Path(__file__).parents[4] / "docs"
PAGE = (DOCS / "write-a-kernel.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r'^```(\w+)(?: title="([\w.]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    # A process that is forked once JAX has threads may wait for ever.
    monkeypatch.setattr("sdykit.cli.main.guarded", lambda work, _: work(lambda _: None))
    yield tmp_path
    sys.modules.pop("data", None)
    monkeypatch.undo()
    sc.configure()
    jax.clear_caches()


def patched(old: str, change: str) -> str:
    """Return a text with a change in the format of `diff -u`, which must fit one place."""
    lines = change.splitlines(keepends=True)
    before = "".join(line[1:] or "\n" for line in lines if line[0] in " -\n")
    after = "".join(line[1:] or "\n" for line in lines if line[0] in " +\n")
    assert old.count(before) == 1, f"cannot find in the file:\n{before}"
    return old.replace(before, after)


def run_file(name: str) -> str:
    """Return what a file prints, and the error that it ends with, as Python shows it."""
    printed = io.StringIO()
    source = Path(name).read_text()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(source, name, "exec"), {"__name__": "__main__"})
        except jax.errors.JaxRuntimeError as error:
            print(f"jax.errors.JaxRuntimeError: {error}")
    return printed.getvalue()


def run_sdykit(arguments: list[str]) -> str:
    printed = io.TextIOWrapper(io.BytesIO())
    with contextlib.redirect_stdout(printed):
        assert main(arguments) == 0
        printed.flush()
        return printed.buffer.getvalue().decode()  # type: ignore[attr-defined]


def run_command(command: str, monkeypatch: pytest.MonkeyPatch) -> str:
    words = shlex.split(command)
    with monkeypatch.context() as settings:
        settings.setenv("SDYKIT_CHIP", "7x")
        while "=" in words[0]:
            settings.setenv(*words.pop(0).split("=", 1))
        sc.configure()
        jax.clear_caches()
        if words[0] == "python":
            return run_file(words[1])
        if words[0] == "sdykit":
            return run_sdykit(words[1:])
    assert words[0] in ("pip", "export"), command
    return ""


def test_the_page_prints_what_it_shows(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0
    for language, title, content in _BLOCK.findall(PAGE):
        if language == "python":
            (folder / title).write_text(content)
        elif language == "diff":
            (folder / title).write_text(patched((folder / title).read_text(), content))
        else:
            for command in content.split("$ ")[1:]:
                line, _, shown = command.partition("\n")
                found = run_command(line, monkeypatch)
                assert found.strip() == shown.strip(), line
                compared += bool(shown.strip())
    assert compared == 9


def test_errors_of_the_other_page_exist() -> None:
    page = (DOCS / "pallas.md").read_text(encoding="utf-8")
    package = Path(sc.__file__).parents[1]
    files = [
        *(package / "bridge/pallas").glob("*.py"),
        *(package / "sparsecore/mosaic").rglob("*.py"),
    ]
    sources = re.sub(r'"\s*f?"', "", "".join(file.read_text() for file in files))
    for text in (
        "is not in [0, ",
        "deadlock: no subcore can go on:",
        "was never waited for",
        "the kernel's mesh has ",
        "check failed at ",
        "while a DMA",
        ", and nothing orders the two",
        "depend on each other: ",
        "is not a multiple of ",
        "the VMEM of a subcore would take ",
        "TensorCore kernels beside SparseCore kernels cannot run on a CPU yet",
        "DMAs and signals to other devices cannot run on a CPU yet",
        "cannot run on a SparseCore",
        "Please wrap the call in a shard_map.",
        "make the mesh after the chip is set",
    ):
        assert text in page, text
        assert text in sources, text


def test_examples_of_the_page_are_all() -> None:
    examples = {each.name for each in (DOCS.parent / "examples/kernels").glob("[a-z]*.py")}
    table = PAGE.partition("| File | Shows |")[2]
    assert set(re.findall(r"`(\w+\.py)`", table)) == examples
