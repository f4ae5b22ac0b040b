"""Tables and features as a user describes them, in a JSON or TOML file.

    [tables.user]
    vocabulary_size = 1_000_000
    embedding_dim = 64
    optimizer = { name = "adagrad", learning_rate = 0.01 }
    features = ["clicked_user", "owner"]

    [ids.owner]
    ids_per_sample = 1.5
    zipf = 1.1

The tables `ids` are for `sdykit whatif`, see `sdykit.sparsecore.whatif.drawn`. A field that is left out has the default of `TableSpec`; a table without `features` has one of its
name.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from typing import Any, Final

from sdykit.sparsecore.errors import SparseCoreError, shown, suggestion
from sdykit.sparsecore.files.key_values import read_key_values
from sdykit.sparsecore.optimizers import make_optimizer
from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.specs import FeatureSpec, TableSpec

IDS: Final = "ids"
"""The key of statistics of ids, by feature."""
_FIELDS: Final = [field.name for field in dataclasses.fields(TableSpec) if field.name != "name"]


def read_tables(path: str | os.PathLike[str], batch_size: int) -> list[FeatureSpec]:
    """Read the features of all tables, in the order of the file.

    Args:
        path: the file.
        batch_size: the number of samples of each feature in a step, over all devices.

    Raises:
        SparseCoreError: the file cannot be read, is not JSON or TOML, has an unknown key, lacks
            one, or has a value that a table cannot have.
    """
    values = read_key_values(path)
    try:
        check_keys("", values, ["tables", IDS], ["tables"])
        tables = mapping_of("tables", values["tables"])
        if not tables:
            raise SparseCoreError("tables is empty; expected at least one table")
        return [
            feature
            for name, given in tables.items()
            for feature in _features(name, given, batch_size)
        ]
    except SparseCoreError as error:
        raise SparseCoreError(f"{os.fspath(path)}: error: {error}") from None


def _features(name: str, given: object, batch_size: int) -> list[FeatureSpec]:
    where = f"tables.{name}"
    values = dict(mapping_of(where, given))
    check_keys(where, values, [*_FIELDS, "features"], ["vocabulary_size", "embedding_dim"])
    features = values.pop("features", [name])
    if not isinstance(features, list) or not features:
        raise SparseCoreError(f"{where}.features is {shown(features)}; expected names in [...]")
    if "optimizer" in values:
        optimizer = dict(mapping_of(f"{where}.optimizer", values["optimizer"]))
        if any(not isinstance(key, str) for key in optimizer) or "name" not in optimizer:
            raise SparseCoreError(f"{where}.optimizer: the key 'name' is missing")
        values["optimizer"] = make_optimizer(**optimizer)
    if "quantization" in values:
        keys = [field.name for field in dataclasses.fields(Quantization)]
        quantization = dict(mapping_of(f"{where}.quantization", values["quantization"]))
        check_keys(f"{where}.quantization", quantization, keys, ["low", "high"])
        values["quantization"] = Quantization(**quantization)
    table = TableSpec(name=name, **values)
    return [FeatureSpec(feature, table, batch_size) for feature in features]


def mapping_of(where: str, value: object) -> Mapping[str, Any]:
    """Return a value that has keys.

    Raises:
        SparseCoreError: it has none.
    """
    if not isinstance(value, dict):
        raise SparseCoreError(f"{where} is {shown(value)}; expected keys with values")
    return value


def check_keys(where: str, values: Mapping[str, Any], keys: list[str], required: list[str]) -> None:
    """Check the keys of a value.

    Raises:
        SparseCoreError: one is unknown, or a required one is missing.
    """
    within = f"{where}: " if where else ""
    for key in values:
        if key not in keys:
            raise SparseCoreError(f"{within}unknown key {key!r}; {suggestion(key, keys)}")
    for key in required:
        if key not in values:
            raise SparseCoreError(f"{within}the key {key!r} is missing")
