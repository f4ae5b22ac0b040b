"""Updates of flat tables, `[rows]`, equal those of tables `[rows, 1]`."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.optimizers import Adam
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, TileSpec, UpdateSpec, spec_from_json
from support.tile.tile_cases import Arrays, make_buffers, run_tile, same_bits

ADAM = Adam(0.1)
SUBTRACT = """
func.func @main(%g: tensor<1x1xf32>, %w: tensor<1x1xf32>, %m: tensor<1x1xf32>,
                %v: tensor<1x1xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>) {
  %0 = stablehlo.subtract %w, %g : tensor<1x1xf32>
  return %0, %v, %m : tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>
}
"""
SPECS: dict[str, UpdateSpec | CustomUpdateSpec] = {
    "built in": UpdateSpec(dim=1, samples_per_core=5, optimizer=ADAM),
    "a user's": CustomUpdateSpec(
        dim=1, samples_per_core=5, stablehlo=SUBTRACT, slots=tuple(ADAM.slots), scalars=()
    ),
    "of ids": UpdateSpec(dim=1, samples_per_core=5, optimizer=ADAM, layout="ids", gains=False),
}
TABLES = ("table", "slot_momentum", "slot_velocity")


def given_to(spec: UpdateSpec | CustomUpdateSpec) -> Arrays:
    rng = np.random.default_rng(7)
    buffers = make_buffers(rng, "v5p", vocabulary=300)
    rows, samples = buffers.rows_per_core * 4, spec.samples
    arrays: Arrays = dict(buffers.arrays)
    if spec.layout == "ids":
        arrays = {"ids": rng.integers(-1, rows, (samples, 3)).astype(np.int32)}
    arrays["gradients"] = rng.standard_normal((samples, 1)).astype(np.float32)
    arrays |= {name: rng.uniform(0.1, 2, (rows, 1)).astype(np.float32) for name in TABLES}
    values = ADAM.hyperparameters(3)
    return arrays | {name: np.array(values[name], np.float32) for name in spec.scalars}


@pytest.mark.parametrize("name", SPECS)
def test_a_flat_table_is_updated_like_rows_of_one_element(name: str) -> None:
    spec = SPECS[name]
    given = given_to(spec)
    expected, _ = run_tile(spec, given)
    flat: TileSpec = dataclasses.replace(spec, flat=True)
    found, kept = run_tile(flat, {**given, **{each: given[each].ravel() for each in TABLES}})
    assert kept
    for each in TABLES:
        assert same_bits(found[each], expected[each].ravel())
        assert not same_bits(expected[each], given[each])


def test_a_flat_spec_differs_from_one_with_rows() -> None:
    flat = dataclasses.replace(SPECS["built in"], flat=True)
    assert spec_from_json(flat.to_json()) == flat != SPECS["built in"]


def test_a_flat_table_of_wider_rows_is_an_error() -> None:
    with pytest.raises(SparseCoreError) as raised:
        UpdateSpec(dim=2, samples_per_core=5, optimizer=ADAM, flat=True)
    assert str(raised.value) == (
        "update: flat is True and dim is 2; expected dim 1, as a flat table has rows of one element"
    )
