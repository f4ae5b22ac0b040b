"""Reading JSON and TOML files that a user wrote, with errors that name the line and column."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sdykit.sparsecore.errors import SparseCoreError, shown
from sdykit.sparsecore.files.json_lines import first_repeat

SUFFIXES = (".json", ".toml")
"""The endings that the names of the files can have."""


def read_key_values(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a file whose top level is keys with values.

    Raises:
        SparseCoreError: the file cannot be read, is not JSON or TOML, or has another top level.
    """
    name = os.fspath(path)
    if not name.lower().endswith(SUFFIXES):
        raise SparseCoreError(f"{name!r}: expected a file that ends in {' or '.join(SUFFIXES)}")
    text = read_text(name)
    try:
        return _from_json(name, text) if name.lower().endswith(".json") else _from_toml(name, text)
    except RecursionError:
        raise SparseCoreError(f"{name}: error: values are nested too deeply") from None


def read_text(name: str) -> str:
    """Return the text of a file.

    Raises:
        SparseCoreError: the file cannot be read, or is not UTF-8 (with line and column).
    """
    try:
        data = Path(name).read_bytes()
    except OSError as error:
        raise SparseCoreError(f"cannot read '{name}': {error.strerror}") from None
    except ValueError as error:  # A null character in the name.
        raise SparseCoreError(f"cannot read {name!r}: {error}") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, start = before.count(b"\n") + 1, before.rfind(b"\n") + 1
        raise SparseCoreError(
            f"{name}:{line}:{error.start - start + 1}: error: found the byte"
            f" 0x{data[error.start]:02x}; expected text in UTF-8"
        ) from None


def without_repeats(where: str) -> Callable[[list[tuple[str, Any]]], dict[str, Any]]:
    """Return an `object_pairs_hook` for `json.loads` that refuses repeated keys.

    Args:
        where: the file or text that the error begins with.
    """

    def make_dictionary(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key, value in pairs:
            if key in values:
                raise SparseCoreError(f"{where}: the key {key!r} is given twice")
            values[key] = value
        return values

    return make_dictionary


def _from_json(name: str, text: str) -> dict[str, Any]:
    try:
        values = json.loads(text, object_pairs_hook=without_repeats(name))
    except json.JSONDecodeError as error:
        raise SparseCoreError(f"{name}:{error.lineno}:{error.colno}: error: {error.msg}") from None
    except SparseCoreError:
        key, line = first_repeat(text)
        raise SparseCoreError(f"{name}:{line}: error: the key {key!r} is given twice") from None
    except ValueError as error:  # A number of thousands of digits.
        raise SparseCoreError(f"{name}: error: {error}") from None
    if not isinstance(values, dict):
        raise SparseCoreError(f"{name}:1:1: error: found {shown(values)}; expected {{...}}")
    return values


_TOML_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def _from_toml(name: str, text: str) -> dict[str, Any]:
    import tomllib  # Only needed here; start-up counts.

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        # Until Python 3.14 only the message has the line and column.
        place = _TOML_PLACE.search(str(error))
        line, column = (place[1], place[2]) if place and place[1] else _end_of(text)
        message = _TOML_PLACE.sub("", str(error))
        raise SparseCoreError(f"{name}:{line}:{column}: error: {message}") from None
    except ValueError as error:  # A number of thousands of digits.
        raise SparseCoreError(f"{name}: error: {error}") from None


def _end_of(text: str) -> tuple[int, int]:
    return text.count("\n") + 1, len(text) - text.rfind("\n")
