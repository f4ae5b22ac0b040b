"""Files that repeat a failure: the module as the first pass got it, and the pipeline.

The form is that of `mlir-opt`: a module, and after it, in the metadata of the file,

    {-# external_resources: { mlir_reproducer: { pipeline: "builtin.module(cse)", ... } } #-}

A crash ends the process without a warning. The file is therefore written under another
name before the passes run, and gets its own name when they have failed.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sdykit.files import write_whole
from sdykit.mlir import ir
from sdykit.opt.io.inputs import InputError
from sdykit.opt.io.outputs import OutputError
from sdykit.opt.process.guard import OWNER

_RECIPE = re.compile(r"mlir_reproducer\s*:\s*\{(?P<entries>(?:[^{}\"]|\"(?:[^\"\\]|\\.)*\")*)\}")
_PIPELINE = re.compile(r"\bpipeline\s*:\s*(?P<text>\"(?:[^\"\\]|\\.)*\")")
_VERIFY_EACH = re.compile(r"\bverify_each\s*:\s*true\b")


@dataclass(frozen=True)
class Recipe:
    """The part of a reproducer that describes the passes."""

    pipeline: str
    verify_each: bool


def recipe_in(name: str, data: bytes) -> Recipe:
    """Read the recipe in a file.

    Args:
        name: the name of the file, for messages.
        data: its content.

    Raises:
        InputError: the file holds none.
    """
    found = _RECIPE.search(data.decode(errors="replace"))
    pipeline = _PIPELINE.search(found["entries"]) if found else None
    if found is None or pipeline is None:
        raise InputError(
            f"'{name}' is not a reproducer: expected a module and the pipeline, as"
            ' {-# external_resources: { mlir_reproducer: { pipeline: "builtin.module(...)" } } #-}'
        )
    text = json.loads(pipeline["text"])
    return Recipe(text, _VERIFY_EACH.search(found["entries"]) is not None)


def reproducer(op: ir.Operation, recipe: Recipe, flags: Sequence[str]) -> bytes:
    """Return the content of a reproducer.

    Args:
        op: the top-level op before the passes.
        recipe: the pipeline and its settings.
        flags: further flags that the command needs, such as `--load-pass=mine.py`.
    """
    text = str(op.get_asm(assume_verified=True)).rstrip()
    entries = (
        "  external_resources: {\n    mlir_reproducer: {\n"
        f"      pipeline: {json.dumps(recipe.pipeline, ensure_ascii=False)},\n"
        "      disable_threading: true,\n"
        f"      verify_each: {str(recipe.verify_each).lower()}\n    }}\n  }}\n"
    )
    if text.endswith("#-}"):  # The metadata holds constants already.
        text = text.removesuffix("#-}").rstrip() + ",\n" + entries + "#-}\n"
    else:
        text += "\n\n{-#\n" + entries + "#-}\n"
    command = shlex.join(["sdy-opt", "--run-reproducer", *flags])
    return f"// To repeat it: {command} <this file>\n{text}".encode(errors="replace")


def _pending(path: Path) -> Path:
    """Return the name of a reproducer until the passes fail; both processes compute it."""
    path = path.resolve()  # The target of a link: the link stays.
    return path.with_name(f".{path.name}.{OWNER}.pending")


@contextmanager
def kept_on_failure(path: Path, content: bytes) -> Iterator[None]:
    """Write a reproducer before the block, and keep it only if the block fails or crashes.

    Raises:
        OutputError: it cannot be written.
    """
    pending = _pending(path)
    try:
        write_whole(pending, content)
    except OSError as error:
        raise OutputError(f"cannot write reproducer '{path}': {error.strerror}") from None
    try:
        yield
    except BaseException:
        keep(path)
        raise
    pending.unlink()


def keep(path: Path) -> None:
    """Rename a pending reproducer to its own name, and report it; do nothing if there is none."""
    with contextlib.suppress(FileNotFoundError):
        _pending(path).replace(path.resolve())
        sys.stderr.write(f"note: reproducer generated at '{path}'; --run-reproducer repeats it\n")


def is_ours(error: BaseException, loaded: Sequence[str]) -> bool:
    """Return whether no frame of an exception is in a pass file that the user loaded."""
    files = {os.path.abspath(frame.filename) for frame in traceback.extract_tb(error.__traceback__)}  # noqa: PTH100
    return not files & {os.path.abspath(file) for file in loaded}  # noqa: PTH100


def write_report(reproducer: bytes) -> None:
    """Write the reproducer of a bug to a temporary file, and report it on stderr."""
    note = "note: this is a bug of sdykit, please report it"
    try:
        descriptor, path = tempfile.mkstemp(prefix="sdykit-", suffix=".mlir")
        with os.fdopen(descriptor, "wb") as file:
            file.write(reproducer)
        note += f", with '{path}', which --run-reproducer repeats"
    except OSError:  # There is no place for the file; the error itself has been printed.
        note += ", with the input and the command line"
    sys.stderr.write(f"{note}; --traceback prints the whole traceback\n")
