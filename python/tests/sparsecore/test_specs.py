"""Specifications check themselves."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from sdykit.errors import SdykitError
from sdykit.sparsecore.errors import LimitExceeded, SparseCoreError
from sdykit.sparsecore.optimizers import SGD, Adagrad
from sdykit.sparsecore.specs import FeatureSpec, System, TableSpec


def test_a_table_has_its_documented_defaults():
    table = TableSpec("t", 100, 16)
    assert (table.max_ids_per_partition, table.max_unique_ids_per_partition) == (256, 256)
    assert (table.combiner, table.dtype, table.optimizer) == ("sum", "float32", SGD(0.01))
    assert table.quantization is None
    assert table.buffer_size_per_device is None


def test_equal_specifications_have_equal_hashes():
    pair = [FeatureSpec("f", TableSpec("t", 100, 16, Adagrad(0.1)), 32) for _ in range(2)]
    assert len(set(pair)) == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        pair[0].batch_size = 64  # pyright: ignore[reportAttributeAccessIssue]


def test_errors_are_sdykit_errors_and_value_errors():
    assert issubclass(LimitExceeded, SparseCoreError)
    assert issubclass(SparseCoreError, SdykitError)
    assert issubclass(SparseCoreError, ValueError)


COUNT = "expected an integer from 1 to 2147483647"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": ""}, "table: name is ''; expected a string that is not empty"),
        ({"name": 3}, "table: name is 3; expected a string that is not empty"),
        ({"vocabulary_size": 0}, f"table 't': vocabulary_size is 0; {COUNT}"),
        ({"vocabulary_size": 2**31}, f"table 't': vocabulary_size is 2147483648; {COUNT}"),
        ({"embedding_dim": -8}, f"table 't': embedding_dim is -8; {COUNT}"),
        ({"embedding_dim": 8.0}, f"table 't': embedding_dim is 8.0; {COUNT}"),
        ({"embedding_dim": True}, f"table 't': embedding_dim is True; {COUNT}"),
        ({"max_ids_per_partition": 0}, f"table 't': max_ids_per_partition is 0; {COUNT}"),
        (
            {"max_unique_ids_per_partition": 0},
            f"table 't': max_unique_ids_per_partition is 0; {COUNT}",
        ),
        ({"buffer_size_per_device": 0}, f"table 't': buffer_size_per_device is 0; {COUNT}"),
        ({"combiner": "max"}, "table 't': combiner is 'max'; expected one of sum, mean, sqrtn"),
        (
            {"dtype": "float16"},
            "table 't': dtype is 'float16'; expected one of float32, bfloat16, int8, int32",
        ),
        (
            {"optimizer": "sgd"},
            "table 't': optimizer is 'sgd'; expected an optimizer of "
            "sdykit.sparsecore.optimizers, for instance SGD(0.01)",
        ),
        (
            {"quantization": (0, 1, 256)},
            "table 't': quantization is (0, 1, 256); expected None, or a Quantization",
        ),
    ],
)
def test_a_bad_field_of_a_table_is_an_error(changes: dict[str, Any], message: str):
    with pytest.raises(SparseCoreError) as caught:
        TableSpec(**({"name": "t", "vocabulary_size": 10, "embedding_dim": 8} | changes))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("name", "batch_size", "message"),
    [
        ("", 4, "feature: name is ''; expected a string that is not empty"),
        ("f", 0, f"feature 'f': batch_size is 0; {COUNT}"),
    ],
)
def test_a_bad_field_of_a_feature_is_an_error(name: str, batch_size: int, message: str):
    with pytest.raises(SparseCoreError) as caught:
        FeatureSpec(name, TableSpec("t", 10, 8), batch_size)
    assert str(caught.value) == message


def test_a_feature_without_a_table_is_an_error():
    with pytest.raises(SparseCoreError) as caught:
        FeatureSpec("f", "t", 4)  # pyright: ignore[reportArgumentType]
    assert str(caught.value) == "feature 'f': table is 't'; expected a TableSpec"


@pytest.mark.parametrize(
    ("devices", "cores", "message"),
    [
        (0, 4, f"system: num_devices is 0; {COUNT}"),
        (4, 0, f"system: sparse_cores_per_device is 0; {COUNT}"),
        (
            3,
            4,
            "system: 3 devices of 4 SparseCores are 12 SparseCores; expected a power of two",
        ),
    ],
)
def test_a_bad_system_is_an_error(devices: int, cores: int, message: str):
    with pytest.raises(SparseCoreError) as caught:
        System(devices, cores)
    assert str(caught.value) == message
