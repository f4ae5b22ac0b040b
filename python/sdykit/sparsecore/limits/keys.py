"""The keys of a limits file, checked and converted to limits.

In version 1 a stack had one limit for all its partitions, and a table those of one SparseCore.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from sdykit.sparsecore.errors import SparseCoreError, shown, suggestion
from sdykit.sparsecore.limits.figures import StackFigures, TableFigures
from sdykit.sparsecore.limits.program import Limits
from sdykit.sparsecore.specs import INT32_MAX, System

FORMAT: Final = "sdykit-sparsecore-limits"
"""The value of the key `format`."""

VERSION: Final = 2
"""The value of the key `version` in files that are written."""

SYSTEM_KEYS: Final = ("num_devices", "sparse_cores_per_device")
"""The keys of `system`."""

_TOP_KEYS: Final = ("format", "version", "system", "max_ids_per_chip_per_sample", "stacks")
_OF_STACK: Final = ("max_ids_of_partitions", "max_unique_ids_of_partitions")
_OF_PARTITION: Final = ("max_ids_per_partition", "max_unique_ids_per_partition")
_OF_TABLE: Final = ("max_ids_per_table", "max_unique_ids_per_table")
_OF_CORE: Final = ("max_ids", "max_unique_ids")
"""The keys of version 1 for `_OF_TABLE`: limits of one SparseCore."""
_OF_SAMPLE: Final = "max_ids_per_partition_per_sample"

Path = tuple[str, ...]
"""A key, after those of the objects that it is in."""


class BadKey(SparseCoreError):
    """A key of a limits file is missing or unknown, or has a wrong value."""

    def __init__(self, keys: Path, text: str) -> None:
        super().__init__(text)
        self.keys = keys
        """The key; if it is missing, the object that should have it."""


def limits_of_keys(values: dict[str, Any]) -> Limits:
    """Return the limits that a file has.

    Raises:
        BadKey: the file has another format or version, or a key is missing or unknown, or has a
            wrong value.
    """
    if values.get("format") != FORMAT:
        raise BadKey(
            ("format",),
            f"format is {shown(values.get('format'))}; expected {FORMAT!r}, in a file that "
            "`sdykit limits` writes",
        )
    version = values.get("version")
    if isinstance(version, bool) or version not in (1, VERSION):
        raise BadKey(("version",), f"version is {shown(version)}; expected 1 or {VERSION}")
    _check_keys((), values, _TOP_KEYS, optional=("max_ids_per_chip_per_sample",))
    system = _system(values["system"])
    stacks = _object(("stacks",), values["stacks"])
    of_sample = values.get("max_ids_per_chip_per_sample")
    if of_sample is not None:
        of_sample = _integer(("max_ids_per_chip_per_sample",), of_sample)
    reader = _Reader(version, system.num_sparse_cores)
    read = tuple(reader.stack(name, each) for name, each in stacks.items())
    limits = Limits(system, read, of_sample)
    _check_unique(limits)
    return limits


def _system(given: object) -> System:
    values = _object(("system",), given)
    _check_keys(("system",), values, SYSTEM_KEYS)
    numbers = {key: _integer(("system", key), values[key]) for key in SYSTEM_KEYS}
    try:
        return System(**numbers)
    except SparseCoreError as error:
        raise BadKey(("system",), str(error)) from None


class _Reader:
    """Reads the stacks of a file of a version, for a number of partitions."""

    def __init__(self, version: int, partitions: int) -> None:
        self._is_first, self._partitions = version == 1, partitions

    def stack(self, name: str, given: object) -> StackFigures:
        path = ("stacks", name)
        values = _object(path, given)
        limits = _OF_PARTITION if self._is_first else _OF_STACK
        keys = ("batch_size", *limits, "buffer_size_per_device", _OF_SAMPLE, "tables")
        _check_keys(path, values, keys, optional=(_OF_SAMPLE,))
        tables = _object((*path, "tables"), values["tables"])
        if not tables:
            raise BadKey(
                (*path, "tables"), f"{_text(*path, 'tables')} is empty; expected at least one table"
            )
        ids, unique_ids = (self._of_partitions((*path, key), values[key]) for key in limits)
        return StackFigures(
            name=name,
            max_ids_of_partitions=ids,
            max_unique_ids_of_partitions=unique_ids,
            tables=tuple(self._table((*path, "tables", key), each) for key, each in tables.items()),
            **_integers(path, values, ("batch_size", "buffer_size_per_device", _OF_SAMPLE)),
        )

    def _of_partitions(self, path: Path, given: object) -> tuple[int, ...]:
        if self._is_first:
            return (_integer(path, given),) * self._partitions
        if not isinstance(given, list) or len(given) != self._partitions:
            raise BadKey(
                path,
                f"{_text(*path)} is {shown(given)}; expected a list of {self._partitions} integers, "
                "one for each partition of the system",
            )
        return tuple(_integer(path, each, f"{_text(*path)}[{at}]") for at, each in enumerate(given))

    def _table(self, path: Path, given: object) -> TableFigures:
        values = _object(path, given)
        of_table = _OF_CORE if self._is_first else _OF_TABLE
        optional = (*_OF_PARTITION, _OF_SAMPLE, *of_table)
        _check_keys(path, values, ("vocabulary_size", "col_shift", *optional), optional)
        found = _integers(path, values, ("vocabulary_size", *optional))
        if self._is_first:
            for old, new in zip(_OF_CORE, _OF_TABLE, strict=True):
                if old in found:
                    # As many SparseCores send ids as there are partitions.
                    found[new] = min(found.pop(old) * self._partitions, INT32_MAX)
        shift = _integer((*path, "col_shift"), values["col_shift"], low=0)
        return TableFigures(name=path[-1], col_shift=shift, **found)


def _integers(path: Path, values: dict[str, Any], keys: Iterable[str]) -> dict[str, int]:
    return {key: _integer((*path, key), values[key]) for key in keys if key in values}


def _check_keys(
    path: Path, values: dict[str, Any], keys: Iterable[str], optional: Iterable[str] = ()
) -> None:
    keys, within = list(keys), f"{_text(*path)}: " if path else ""
    for key in values:
        if key not in keys:
            raise BadKey((*path, key), f"{within}unknown key {key!r}; {suggestion(key, keys)}")
    for key in keys:
        if key not in values and key not in optional:
            raise BadKey(path, f"{within}the key {key!r} is missing")


def _object(path: Path, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadKey(path, f"{_text(*path)} is {shown(value)}; expected {{...}}")
    return value


def _integer(path: Path, value: object, name: str = "", low: int = 1) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= INT32_MAX:
        raise BadKey(
            path,
            f"{name or _text(*path)} is {shown(value)}; "
            f"expected an integer from {low} to {INT32_MAX}",
        )
    return value


def _text(*keys: str) -> str:
    return ".".join(keys)


def _check_unique(limits: Limits) -> None:
    """Check that no table is in two stacks."""
    seen: dict[str, str] = {}
    for stack in limits.stacks:
        for table in stack.tables:
            if table.name in seen:
                raise BadKey(
                    ("stacks", stack.name, "tables", table.name),
                    f"table {table.name!r} is in the stacks {seen[table.name]!r} and "
                    f"{stack.name!r}; expected it in one",
                )
            seen[table.name] = stack.name
