"""Specs: their JSON, and errors of wrong fields."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.optimizers import F2A, Adagrad, Custom
from sdykit.sparsecore.quantization import Quantization
from sdykit.sparsecore.tile.spec import (
    CustomUpdateSpec,
    Layout,
    LookupSpec,
    TileSpec,
    UpdateSpec,
    spec_from_json,
)
from sdykit.sparsecore.tile.update.build import update_arguments

EXPECTED = (
    'expected {"version": 1, "kind": "lookup", "dim": 32, "samples_per_core": 1024}, for example'
)
SPECS: list[TileSpec] = [
    LookupSpec(dim=3, samples_per_core=8),
    LookupSpec(
        dim=300,
        samples_per_core=1,
        max_ids_per_partition=7,
        max_unique_ids_per_partition=5,
        minibatches=True,
        chip="v6e",
        tile_memory_bytes=2**20,
        dtype="int8",
        quantization=Quantization(-1, 1, 16),
        layout="jax_tpu_embedding",
        staging="hbm",
        check_bounds=True,
    ),
    UpdateSpec(dim=3, samples_per_core=8),
    UpdateSpec(
        dim=3, samples_per_core=8, max_ids_per_partition=7, max_ids_of_partitions=(7, 2, 7, 1)
    ),
    LookupSpec(
        dim=3,
        samples_per_core=8,
        layout="ids",
        num_devices=8,
        gains=False,
        counters=True,
        label="t",
    ),
    CustomUpdateSpec(dim=3, samples_per_core=8, stablehlo="module {}", slots=("a", "b")),
    UpdateSpec(dim=3, samples_per_core=8, optimizer=F2A(0.1, rho=0.25, max_value=3.0)),
]


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_a_spec_read_from_its_json_is_equal(spec: TileSpec) -> None:
    text = spec.to_json()
    assert "\n" not in text
    assert spec_from_json(text) == spec
    assert hash(spec_from_json(text)) == hash(spec)


def test_fields_with_defaults_may_be_missing() -> None:
    text = '{"version": 1, "kind": "lookup", "dim": 3, "samples_per_core": 8}'
    assert spec_from_json(text) == LookupSpec(dim=3, samples_per_core=8)


def test_the_chip_decides_the_number_of_sparse_cores() -> None:
    assert UpdateSpec(dim=3, samples_per_core=8, chip="v6e").sparse_cores == 2
    assert (
        UpdateSpec(dim=3, samples_per_core=8, tile_memory_bytes=5000).hardware.spmem_bytes == 80000
    )


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"dim": 0}, "lookup: dim is 0; expected an integer from 1 to 65536"),
        ({"dim": True}, "lookup: dim is True; expected an integer from 1 to 65536"),
        (
            {"samples_per_core": 2.0},
            "lookup: samples_per_core is 2.0; expected an integer from 1 to 2147483647",
        ),
        (
            {"max_ids_per_partition": -1},
            "lookup: max_ids_per_partition is -1; expected an integer from 1 to 2147483647",
        ),
        (
            {"max_unique_ids_per_partition": 0},
            "lookup: max_unique_ids_per_partition is 0; expected an integer from 1 to 2147483647",
        ),
        (
            {"max_ids_per_partition": 9, "max_ids_of_partitions": [9, 3, 1]},
            "lookup: max_ids_of_partitions is (9, 3, 1); expected 4 integers from 1 to 9, one for each "
            "partition, the largest 9",
        ),
        (
            {"max_unique_ids_per_partition": 9, "max_unique_ids_of_partitions": [8, 3, 1, 1]},
            "lookup: max_unique_ids_of_partitions is (8, 3, 1, 1); expected 4 integers from 1 to 9, "
            "one for each partition, the largest 9",
        ),
        (
            {"max_ids_per_partition": 9, "max_ids_of_partitions": [9, 0, 1, 1]},
            "lookup: max_ids_of_partitions is (9, 0, 1, 1); expected 4 integers from 1 to 9, one for "
            "each partition, the largest 9",
        ),
        (
            {"max_ids_per_partition": 9, "max_ids_of_partitions": [9, 1.5, 1, 1]},
            "lookup: max_ids_of_partitions is (9, 1.5, 1, 1); expected 4 integers from 1 to 9, one for "
            "each partition, the largest 9",
        ),
        (
            {"layout": "ids", "max_ids_of_partitions": [9, 1, 1, 1]},
            "lookup: max_ids_of_partitions is given in layout ids, which has no limits; expected None",
        ),
        ({"minibatches": 1}, "lookup: minibatches is 1; expected true or false"),
        ({"check_bounds": "no"}, "lookup: check_bounds is 'no'; expected true or false"),
        ({"chip": 5}, "lookup: chip is 5; expected the name of a chip or of a file"),
        (
            {"dtype": "float16"},
            "lookup: dtype is 'float16'; expected one of float32, bfloat16, int8, int32",
        ),
        (
            {"layout": "csr"},
            "lookup: layout is 'csr'; expected one of sdykit, jax_tpu_embedding, ids",
        ),
        ({"reading": "gpu"}, "lookup: reading is 'gpu'; expected one of cpu, chip"),
        ({"num_devices": 0}, "lookup: num_devices is 0; expected an integer from 1 to 65536"),
        ({"num_devices": 6}, "lookup: num_devices is 6; expected a power of two"),
        (
            {"layout": "ids", "minibatches": True},
            "lookup: minibatches is True in layout ids, which has none; expected False",
        ),
        (
            {"gains": False},
            "lookup: gains is False in layout sdykit, which has gains; expected True",
        ),
        ({"counters": 1}, "lookup: counters is 1; expected true or false"),
        ({"label": 1}, "lookup: label is 1; expected a string"),
        ({"staging": None}, "lookup: staging is None; expected one of auto, spmem, hbm"),
        ({"quantization": 8}, "lookup: quantization is 8; expected a Quantization or None"),
        (
            {"quantization": {"low": 0, "high": 1, "bits": 8}},
            "quantization: its fields are low, high, bits; expected low, high, num_buckets",
        ),
        (
            {"dtype": "int32", "quantization": {"low": 0, "high": 1}},
            "lookup: the table is int32 and quantized; expected float32, bfloat16 or int8",
        ),
        (
            {"optimizer": {"name": "sgd"}},
            "lookup: there is no field 'optimizer'; expected one of dim, samples_per_core, "
            "minibatches, chip, num_devices, layout, reading, tile_memory_bytes, gains, check_bounds, "
            "check_nan, sanitize, verify_launch, counters, label, transport, max_ids_of_partitions, "
            "max_unique_ids_of_partitions, max_ids_per_partition, max_unique_ids_per_partition, dtype, quantization, staging",
        ),
    ],
)
def test_a_wrong_field_is_an_error_with_its_name_and_value(
    fields: dict[str, Any], message: str
) -> None:
    good = {"version": 1, "kind": "lookup", "dim": 3, "samples_per_core": 8}
    with pytest.raises(SparseCoreError) as error:
        spec_from_json(json.dumps(good | fields))
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "{",
            "spec: it is not JSON: Expecting property name enclosed in double quotes: "
            f"line 1 column 2 (char 1); {EXPECTED}",
        ),
        (
            None,
            "spec: it is not JSON: the JSON object must be str, bytes or bytearray, not NoneType; "
            f"{EXPECTED}",
        ),
        ("[]", "spec: it is a list; expected a JSON object"),
        ('{"version": 1, "dim": 3, "dim": 4}', "spec: the key 'dim' is given twice"),
        ("{}", "spec: version is None; expected 1"),
        (
            '{"version": 1, "kind": "look"}',
            "spec: kind is 'look'; expected one of lookup, update, custom_update",
        ),
        (
            '{"version": 1, "kind": "update", "dim": 3}',
            "update: samples_per_core is missing; it has no default",
        ),
        (
            '{"version": 1, "kind": "update", "dim": 3, "samples_per_core": 8, "optimizer": "sgd"}',
            "update: optimizer is 'sgd'; expected one of sdykit.sparsecore.optimizers other "
            "than Custom",
        ),
        (
            '{"version": 1, "kind": "update", "dim": 3, "samples_per_core": 8, '
            '"optimizer": {"name": "adagrad"}}',
            "optimizer adagrad: learning_rate is missing",
        ),
    ],
)
def test_a_text_that_is_not_a_spec_is_an_error(text: Any, message: str) -> None:
    with pytest.raises(SparseCoreError) as error:
        spec_from_json(text)
    assert str(error.value) == message


def test_an_update_by_a_python_function_needs_a_custom_spec() -> None:
    custom = Custom(0.1, update=lambda g, w, lr: (w - lr * g,))
    with pytest.raises(SparseCoreError, match="other than Custom"):
        UpdateSpec(dim=3, samples_per_core=8, optimizer=custom)
    assert UpdateSpec(dim=3, samples_per_core=8, optimizer=Adagrad(0.1)).optimizer.slots


@pytest.mark.parametrize(
    "name", ["table", "ids", "status", "slot_momentum", "rows_of_slots", "gathered_table"]
)
def test_a_hyperparameter_named_like_another_buffer_is_an_error(name: str) -> None:
    with pytest.raises(SparseCoreError) as error:
        CustomUpdateSpec(dim=3, samples_per_core=8, stablehlo="", scalars=("learning_rate", name))
    assert str(error.value) == (
        f"custom_update: scalars has '{name}', which is another buffer of the program; "
        "expected another name"
    )


@pytest.mark.parametrize("layout", ["sdykit", "jax_tpu_embedding", "ids"])
def test_every_other_argument_of_updates_is_a_reserved_name(layout: Layout) -> None:
    fields: dict[str, Any] = {"dim": 3, "samples_per_core": 8, "num_devices": 2, "layout": layout}
    spec = UpdateSpec(**fields, optimizer=Adagrad(0.1), minibatches=layout != "ids")
    for argument in update_arguments(spec):
        if argument.name in spec.scalars or argument.name.startswith("slot_"):
            continue
        with pytest.raises(SparseCoreError, match="another buffer of the program"):
            CustomUpdateSpec(**fields, stablehlo="", scalars=(argument.name,))
