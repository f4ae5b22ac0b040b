"""Files that describe tables, and the errors about bad ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.files.tables import read_tables
from sdykit.sparsecore.optimizers import Adagrad
from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.specs import FeatureSpec, TableSpec

TOML = """\
[tables.user]
vocabulary_size = 1_000_000
embedding_dim = 64

[tables.item]
vocabulary_size = 50
embedding_dim = 8
combiner = "mean"
dtype = "float32"
max_ids_per_partition = 10
optimizer = { name = "adagrad", learning_rate = 0.5, initial_accumulator_value = 0.2 }
quantization = { low = -1.0, high = 1.0 }
features = ["clicked", "bought"]
"""
ITEM = TableSpec(
    "item",
    50,
    8,
    optimizer=Adagrad(0.5, initial_accumulator_value=0.2),
    combiner="mean",
    max_ids_per_partition=10,
    quantization=Quantization(-1.0, 1.0),
)
FEATURES = [
    FeatureSpec("user", TableSpec("user", 1_000_000, 64), 32),
    FeatureSpec("clicked", ITEM, 32),
    FeatureSpec("bought", ITEM, 32),
]


def test_tables_are_read_from_toml_and_json(tmp_path: Path) -> None:
    import tomllib

    (tmp_path / "tables.toml").write_text(TOML)
    (tmp_path / "tables.json").write_text(json.dumps(tomllib.loads(TOML)))
    assert read_tables(tmp_path / "tables.toml", 32) == FEATURES
    assert read_tables(tmp_path / "tables.json", 32) == FEATURES


SMALL = {"vocabulary_size": 5, "embedding_dim": 8}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "P: error: the key 'tables' is missing"),
        ({"table": {}}, "P: error: unknown key 'table'; did you mean 'tables'?"),
        ({"tables": {}}, "P: error: tables is empty; expected at least one table"),
        ({"tables": [1]}, "P: error: tables is [1]; expected keys with values"),
        ({"tables": {"a": 3}}, "P: error: tables.a is 3; expected keys with values"),
        (
            {"tables": {"a": {"vocabulary_size": 5}}},
            "P: error: tables.a: the key 'embedding_dim' is missing",
        ),
        (
            {"tables": {"a": SMALL | {"vocabulary": 5}}},
            "P: error: tables.a: unknown key 'vocabulary'; did you mean 'vocabulary_size'?",
        ),
        (
            {"tables": {"a": SMALL | {"vocabulary_size": 0}}},
            "P: error: table 'a': vocabulary_size is 0; expected an integer from 1 to 2147483647",
        ),
        (
            {"tables": {"a": SMALL | {"combiner": "max"}}},
            "P: error: table 'a': combiner is 'max'; expected one of sum, mean, sqrtn",
        ),
        (
            {"tables": {"a": SMALL | {"features": "a"}}},
            "P: error: tables.a.features is 'a'; expected names in [...]",
        ),
        (
            {"tables": {"a": SMALL | {"features": [""]}}},
            "P: error: feature: name is ''; expected a string that is not empty",
        ),
        (
            {"tables": {"a": SMALL | {"optimizer": "sgd"}}},
            "P: error: tables.a.optimizer is 'sgd'; expected keys with values",
        ),
        (
            {"tables": {"a": SMALL | {"optimizer": {"learning_rate": 1}}}},
            "P: error: tables.a.optimizer: the key 'name' is missing",
        ),
        (
            {"tables": {"a": SMALL | {"quantization": {"low": 0, "hi": 1}}}},
            "P: error: tables.a.quantization: unknown key 'hi'; did you mean 'high'?",
        ),
    ],
)
def test_a_bad_description_is_an_error_with_its_key(
    tmp_path: Path, values: Any, message: str
) -> None:
    path = tmp_path / "tables.json"
    path.write_text(json.dumps(values))
    with pytest.raises(SparseCoreError) as raised:
        read_tables(path, 32)
    assert str(raised.value).replace(str(path), "P") == message


def test_an_unknown_optimizer_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "tables.json"
    path.write_text(json.dumps({"tables": {"a": SMALL | {"optimizer": {"name": "sdg"}}}}))
    with pytest.raises(SparseCoreError, match=r"error: optimizer: the name is 'sdg'; .*'sgd'"):
        read_tables(path, 32)


def test_malformed_toml_is_an_error_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "tables.toml"
    path.write_text("[tables.user]\nvocabulary_size = = 3\n")
    with pytest.raises(SparseCoreError, match=r"tables\.toml:2:19: error: "):
        read_tables(path, 32)
