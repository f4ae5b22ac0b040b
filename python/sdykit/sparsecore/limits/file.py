"""The file that `xla_sparse_core_max_ids_file` names: limits as JSON.

`docs/limits.md` describes every key. Reading checks the file itself; `Limits.applied` checks that
the limits are those of a program.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.files.json_lines import line_of
from sdykit.sparsecore.files.key_values import read_key_values, read_text
from sdykit.sparsecore.files.whole import write_whole
from sdykit.sparsecore.limits.figures import StackFigures, TableFigures
from sdykit.sparsecore.limits.keys import FORMAT, SYSTEM_KEYS, VERSION, BadKey, limits_of_keys
from sdykit.sparsecore.limits.program import Limits

SUFFIX: Final = ".json"

_LIST: Final = re.compile(r"\[\n([\s\d,]+)\]")
"""A list of numbers on several lines. A string in JSON has no line break."""


def write_limits(path: str | os.PathLike[str], limits: Limits) -> None:
    """Write limits to a file, whole or not at all.

    Raises:
        SparseCoreError: the name does not end in `.json`, or the file cannot be written.
    """
    check_suffix(path)
    write_whole(path, limits_text(limits).encode())


def check_suffix(path: str | os.PathLike[str]) -> None:
    """Check the name of a limits file.

    Raises:
        SparseCoreError: it does not end in `.json`.
    """
    name = os.fspath(path)
    if not name.lower().endswith(SUFFIX):
        raise SparseCoreError(f"{name!r}: expected a limits file, which ends in {SUFFIX}")


def limits_text(limits: Limits) -> str:
    """Return the text of a limits file."""
    values = {
        "format": FORMAT,
        "version": VERSION,
        "system": {key: getattr(limits.system, key) for key in SYSTEM_KEYS},
        "max_ids_per_chip_per_sample": limits.max_ids_per_chip_per_sample,
        "stacks": {stack.name: _stack_values(stack) for stack in limits.stacks},
    }
    text = json.dumps(_without_none(values), indent=2)
    return _LIST.sub(lambda numbers: f"[{' '.join(numbers[1].split())}]", text) + "\n"


def _stack_values(stack: StackFigures) -> dict[str, Any]:
    return {**_known(stack), "tables": {table.name: _known(table) for table in stack.tables}}


def _known(figures: StackFigures | TableFigures) -> dict[str, Any]:
    """Return the figures that are not None, by their keys."""
    names = [field.name for field in dataclasses.fields(figures)]
    return _without_none(
        {name: getattr(figures, name) for name in names if name not in ("name", "tables")}
    )


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def read_limits(path: str | os.PathLike[str]) -> Limits:
    """Read a limits file.

    Raises:
        SparseCoreError: the file cannot be read, is not JSON, has another format or version, or a
            key is missing or unknown, or has a wrong value. The text has the line.

    Warns:
        UserWarning: the file has version 1; the text says what to do.
    """
    check_suffix(path)
    values = read_key_values(path)
    try:
        limits = limits_of_keys(values)
    except BadKey as error:
        raise located(path, error.keys, str(error)) from None
    if values["version"] == 1:
        cores = limits.system.num_sparse_cores
        warnings.warn(
            f"{os.fspath(path)}:{_line(path, ('version',))}: warning: version is 1, without limits "
            "of single partitions and of whole tables: all partitions of a stack get its limit, "
            f"and a table {cores} times its limit of one SparseCore. Write the file anew with "
            "`sdykit limits`, or `write_limits`, for the limits of the data",
            stacklevel=2,
        )
    return limits


def located(path: str | os.PathLike[str], keys: Sequence[str], text: str) -> SparseCoreError:
    """Return an error about a key of a limits file, with the key's line.

    Args:
        path: the file.
        keys: the key, after those of the objects that it is in.
        text: what is wrong, and what was expected.
    """
    return SparseCoreError(f"{os.fspath(path)}:{_line(path, keys)}: error: {text}")


def _line(path: str | os.PathLike[str], keys: Sequence[str]) -> int:
    return line_of(read_text(os.fspath(path)), keys)
