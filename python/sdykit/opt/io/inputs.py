"""Reading the input: files and stdin, pieces, text and bytecode."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sdykit.core import Diagnostic, FileLocation, Severity
from sdykit.core.portable import BYTECODE_MAGIC
from sdykit.errors import SdykitError

STDIN = "<stdin>"
_MIN_NEAR_MISS = 4
"""The minimum bytes of a near miss: shorter texts are found everywhere."""
_ARTIFACT = re.compile(re.escape(BYTECODE_MAGIC) + rb".StableHLO_v", re.DOTALL)
_EXPORTED = (
    "the input is not a module, but holds one: it looks like what `exported.serialize()` of"
    " jax.export returns; write `exported.mlir_module_serialized` to the file instead"
)


class InputError(SdykitError):
    """The input cannot be read."""


@dataclass(frozen=True)
class Piece:
    """A part of the input that is processed by itself.

    Attributes:
        name: the name of the file, for locations.
        data: the text or bytecode. Text is padded with white space at its start, so that positions
            in it are those in the file.
    """

    name: str
    data: bytes

    @property
    def is_bytecode(self) -> bool:
        """Whether the piece is bytecode and not text."""
        return self.data.startswith(BYTECODE_MAGIC)


def read(path: str) -> tuple[str, bytes]:
    """Read the input; return the name for locations, and the content.

    Raises:
        InputError: the file cannot be read.
    """
    if path == "-":
        if sys.stdin.isatty():
            sys.stderr.write("(processing input from stdin now, hit ctrl-c/ctrl-d to interrupt)\n")
        return STDIN, sys.stdin.buffer.read()
    name = os.fsencode(path).decode(errors="replace")
    try:
        return name, Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot open input file '{name}': {error.strerror}") from None
    except ValueError as error:  # A NUL byte in the name.
        raise InputError(f"cannot open input file {path!r}: {error}") from None


def text_problem(name: str, data: bytes) -> Diagnostic | None:
    """Return an error at the first byte that is not UTF-8; None if the input is text or bytecode."""
    if data.startswith(BYTECODE_MAGIC):
        return None
    try:
        data.decode()
    except UnicodeDecodeError as error:
        if _ARTIFACT.search(data):
            return Diagnostic(Severity.ERROR, _EXPORTED, FileLocation(name, 0, 0))
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        found = f"found the byte 0x{data[error.start]:02x}"
        message = f"the input is not UTF-8: {found}; expected UTF-8 text or MLIR bytecode"
        return Diagnostic(Severity.ERROR, message, FileLocation(name, line, column))
    return None


def split(name: str, data: bytes, marker: str | None) -> list[Piece]:
    """Cut the content at the markers; without a marker there is one piece."""
    if marker and not data:
        return []  # As mlir-opt has it.
    if not marker or data.startswith(BYTECODE_MAGIC):
        return [Piece(name, data)]
    separator = os.fsencode(marker)
    pieces, start = [], 0
    for part in data.split(separator):
        column = start - (data.rfind(b"\n", 0, start) + 1)
        padding = b"\n" * data.count(b"\n", 0, start) + b" " * column
        pieces.append(Piece(name, padding + part))
        start += len(part) + len(separator)
    return pieces


def near_misses(name: str, data: bytes, marker: str | None) -> Iterator[Diagnostic]:
    """Yield a warning for each text that lacks a character or two of a split marker."""
    whole = os.fsencode(marker or "")
    almost = whole[:-2]
    if len(almost) < _MIN_NEAR_MISS or data.startswith(BYTECODE_MAGIC):
        return
    for match in re.finditer(re.escape(almost), data):
        if not data.startswith(whole, match.start()):
            line = data.count(b"\n", 0, match.start()) + 1
            column = match.end() - data.rfind(b"\n", 0, match.end())
            place = FileLocation(name, line, column)
            yield Diagnostic(Severity.WARNING, "near miss with file split marker", place)
