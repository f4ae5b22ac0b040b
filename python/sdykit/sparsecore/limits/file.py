"""The file that `xla_sparse_core_max_ids_file` names: limits as JSON.

`docs/limits.md` describes every key. Reading checks the file itself; `Limits.applied` checks that
the limits are those of a program.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable, Mapping
from typing import Any, Final

from sdykit.sparsecore.errors import SparseCoreError, shown, suggestion
from sdykit.sparsecore.files.key_values import read_key_values
from sdykit.sparsecore.files.whole import write_whole
from sdykit.sparsecore.limits.figures import Limits, StackFigures, TableFigures
from sdykit.sparsecore.specs import INT32_MAX, System

FORMAT: Final = "sdykit-sparsecore-limits"
"""The value of the key `format`."""

VERSION: Final = 1
"""The value of the key `version`; it grows when older readers would misread the file."""

SUFFIX: Final = ".json"

_SYSTEM_KEYS: Final = ("num_devices", "sparse_cores_per_device")
_TOP_KEYS: Final = ("format", "version", "system", "max_ids_per_chip_per_sample", "stacks")


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
        "system": {key: getattr(limits.system, key) for key in _SYSTEM_KEYS},
        "max_ids_per_chip_per_sample": limits.max_ids_per_chip_per_sample,
        "stacks": {stack.name: _stack_values(stack) for stack in limits.stacks},
    }
    return json.dumps(_without_none(values), indent=2) + "\n"


def _stack_values(stack: StackFigures) -> dict[str, Any]:
    tables = {table.name: _known_figures(table) for table in stack.tables}
    return {**_known_figures(stack), "tables": tables}


def _known_figures(figures: StackFigures | TableFigures) -> dict[str, Any]:
    """Return the figures that are not None, by their keys."""
    return _without_none({key: getattr(figures, key) for key in _numbers(type(figures))})


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _numbers(kind: type[StackFigures] | type[TableFigures]) -> list[str]:
    """Return the names of the fields that are integers: all but the name and the tables."""
    names = [field.name for field in dataclasses.fields(kind)]
    return [name for name in names if name not in ("name", "tables")]


def read_limits(path: str | os.PathLike[str]) -> Limits:
    """Read a limits file.

    Raises:
        SparseCoreError: the file cannot be read, is not JSON (with line and column), has another
            format or version, or a key is missing or unknown, or has a wrong value.
    """
    check_suffix(path)
    values = read_key_values(path)
    try:
        return _limits(values)
    except SparseCoreError as error:
        raise SparseCoreError(f"{os.fspath(path)}: error: {error}") from None


def _limits(values: dict[str, Any]) -> Limits:
    if values.get("format") != FORMAT:
        raise SparseCoreError(
            f"format is {shown(values.get('format'))}; expected {FORMAT!r}, in a file that "
            "`sdykit limits` writes"
        )
    if values.get("version") != VERSION or isinstance(values.get("version"), bool):
        raise SparseCoreError(f"version is {shown(values.get('version'))}; expected {VERSION}")
    _check_keys("", values, _TOP_KEYS, optional=("max_ids_per_chip_per_sample",))
    system = _object("system", values["system"])
    _check_keys("system", system, _SYSTEM_KEYS)
    numbers = {key: _integer("system", key, system[key], 1) for key in _SYSTEM_KEYS}
    stacks = _object("stacks", values["stacks"])
    of_sample = values.get("max_ids_per_chip_per_sample")
    if of_sample is not None:
        of_sample = _integer("", "max_ids_per_chip_per_sample", of_sample, 1)
    limits = Limits(
        System(**numbers),
        tuple(_stack(name, each) for name, each in stacks.items()),
        of_sample,
    )
    _check_unique(limits)
    return limits


def _stack(name: str, given: object) -> StackFigures:
    where = f"stacks.{name}"
    values = _object(where, given)
    figures = _figures(where, values, StackFigures, ("max_ids_per_partition_per_sample",))
    tables = _object(f"{where}.tables", values["tables"])
    if not tables:
        raise SparseCoreError(f"{where}.tables is empty; expected at least one table")
    return StackFigures(
        name=name,
        tables=tuple(_table(f"{where}.tables.{key}", key, each) for key, each in tables.items()),
        **figures,
    )


def _table(where: str, name: str, given: object) -> TableFigures:
    optional = [key for key in _numbers(TableFigures) if "max" in key]
    figures = _figures(where, _object(where, given), TableFigures, optional)
    return TableFigures(name=name, **figures)


def _figures(
    where: str,
    values: dict[str, Any],
    kind: type[StackFigures] | type[TableFigures],
    optional: Iterable[str],
) -> dict[str, Any]:
    keys = _numbers(kind)
    more = ["tables"] if kind is StackFigures else []
    _check_keys(where, values, [*keys, *more], optional)
    return {
        key: _integer(where, key, values[key], 0 if key == "col_shift" else 1)
        for key in keys
        if key in values
    }


def _check_keys(
    where: str, values: dict[str, Any], keys: Iterable[str], optional: Iterable[str] = ()
) -> None:
    keys, within = list(keys), f"{where}: " if where else ""
    for key in values:
        if key not in keys:
            raise SparseCoreError(f"{within}unknown key {key!r}; {suggestion(key, keys)}")
    for key in keys:
        if key not in values and key not in optional:
            raise SparseCoreError(f"{within}the key {key!r} is missing")


def _object(where: str, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise SparseCoreError(f"{where} is {shown(value)}; expected {{...}}")
    return value


def _integer(where: str, key: str, value: object, low: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= INT32_MAX:
        place = f"{where}.{key}" if where else key
        raise SparseCoreError(
            f"{place} is {shown(value)}; expected an integer from {low} to {INT32_MAX}"
        )
    return value


def _check_unique(limits: Limits) -> None:
    """Check that no table is in two stacks."""
    seen: dict[str, str] = {}
    for stack in limits.stacks:
        for table in stack.tables:
            if table.name in seen:
                raise SparseCoreError(
                    f"table {table.name!r} is in the stacks {seen[table.name]!r} and "
                    f"{stack.name!r}; expected it in one"
                )
            seen[table.name] = stack.name
