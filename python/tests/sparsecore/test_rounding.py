"""Powers have the special values of IEEE 754's pow, in the reference and in programs."""

from __future__ import annotations

import itertools
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sdykit.sparsecore.optimizers import F2A, Custom, Optimizer
from sdykit.sparsecore.optimizers.rounding import power, row_sum
from sdykit.sparsecore.reference import update
from sdykit.sparsecore.tile.spec import CustomUpdateSpec, UpdateSpec
from support.tile.tile_cases import CHIPS, make_buffers, run_tile, same_bits

F32 = np.float32
BASES = np.array(
    [0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 2, -2, 0.3, -0.3, 1e-45, -1e-45, 1e-38, 3e38, -3e38],
    F32,
)
EXPONENTS = np.array(
    [0.5, -0.5, 0, -0.0, 1, -1, 2, -2, 3, -3, 1 / 3, 1.5, 1e-45, 300, np.inf, -np.inf, np.nan], F32
)
GRID = np.array(list(itertools.product(BASES, EXPONENTS)), F32)


def c_power(base: float, exponent: float) -> float:
    """Return the result of C's `pow`, where Python's raises an error instead."""
    try:
        return math.pow(base, exponent)
    except OverflowError:
        odd = exponent % 2 == 1
        return math.copysign(math.inf, base if odd else 1)
    except ValueError:
        if base != 0:
            return math.nan  # A negative number, and an exponent that is not an integer.
        return math.copysign(math.inf, base if exponent % 2 == 1 else 1)


EXPECTED = np.array([c_power(float(x), float(y)) for x, y in GRID])
with np.errstate(all="ignore"):
    EXPECTED = EXPECTED.astype(F32)


def test_powers_of_arrays_are_those_of_c():
    assert same_bits(np.asarray(power(GRID[:, 0], GRID[:, 1])), EXPECTED)


@pytest.mark.parametrize("number", range(len(EXPONENTS)))
def test_powers_with_one_exponent_are_those_of_c(number: int):
    exponent = float(EXPONENTS[number])
    expected = EXPECTED.reshape(len(BASES), -1)[:, number]
    for given in (exponent, np.float32(exponent), np.array([exponent], F32)):
        assert same_bits(np.asarray(power(BASES, given)), expected)
        assert same_bits(np.asarray(power(BASES[::2], given)), expected[::2])


def test_powers_of_single_numbers_are_those_of_c():
    for (base, exponent), expected in zip(GRID, EXPECTED, strict=True):
        for given in (base, np.array([base]), np.array([[base]])):
            found = np.asarray(power(given, exponent))
            assert found.shape == np.shape(given)
            assert same_bits(found.ravel(), expected.ravel())


def check(
    spec: UpdateSpec | CustomUpdateSpec,
    optimizer: Optimizer,
    hyperparameters: dict[str, Any],
    table: np.ndarray,
    slots: dict[str, np.ndarray],
) -> np.ndarray:
    """Update every row by a program and by the reference, and return the table of both."""
    rng = np.random.default_rng(3)
    buffers = make_buffers(
        rng, "v5p", samples_per_core=64, vocabulary=len(table), max_ids=16, limit=4000
    )
    rows = buffers.entries.local_id * CHIPS["v5p"] + buffers.entries.partition
    assert len(np.unique(rows)) == len(table)
    gradients = np.full((256, spec.dim), 0, F32)
    scalars = {name: np.array(hyperparameters[name]) for name in spec.scalars}
    named = {f"slot_{name}": array for name, array in slots.items()}
    given = {**buffers.arrays, "gradients": gradients, "table": table, **named, **scalars}
    found, _ = run_tile(spec, given)
    expected, _ = update(
        table[None],
        {name: array[None] for name, array in slots.items()},
        buffers.entries,
        gradients[None],
        optimizer=optimizer,
        hyperparameters=hyperparameters,
    )
    assert same_bits(found["table"], expected[0])
    return expected[0]


def in_rows(values: np.ndarray) -> np.ndarray:
    """Return numbers as a table of 8 rows on each SparseCore, repeated to fill it."""
    rows = 8 * CHIPS["v5p"]
    return np.resize(values, (rows, -(-len(values) // rows)))


@pytest.mark.parametrize("constant", [None, 0.5, -0.5, 2.0])
def test_programs_traced_by_jax_have_the_powers_of_the_reference(constant: float | None):
    def rule(g: Any, w: Any, e: Any, lr: Any) -> Any:
        del g, lr
        return jax.lax.pow(w, e if constant is None else jnp.full_like(w, constant)), e

    def reference_rule(g: Any, w: Any, e: Any, lr: Any) -> Any:
        del g, lr
        return np.asarray(power(w, e if constant is None else constant)), e

    table, exponents = in_rows(GRID[:, 0]), in_rows(GRID[:, 1])
    row = jax.ShapeDtypeStruct((1, table.shape[1]), jnp.float32)
    spec = CustomUpdateSpec(
        dim=table.shape[1],
        samples_per_core=64,
        stablehlo=jax.jit(rule, keep_unused=True).lower(*[row] * 4).as_text(),
        slots=("e",),
        scalars=("learning_rate",),
    )
    optimizer = Custom(0.1, update=reference_rule, slot_values=(("e", 0.0),))
    found = check(spec, optimizer, {"learning_rate": F32(0.1)}, table, {"e": exponents})
    if constant is None:
        assert same_bits(found.ravel()[: len(EXPECTED)], EXPECTED)


@pytest.mark.parametrize("rho", [0.5, 1.0, 1.5, 2.0])
def test_programs_of_an_optimizer_have_the_powers_of_the_reference(rho: float):
    """F2A takes the power of `3 / (t + 1)`, which is -0 for t = -inf; the sign changes w = -0."""
    optimizer = F2A(0.1, rho=rho, max_lr_multiplier=10.0)
    steps = in_rows(np.array([-np.inf, np.inf, -1, 0, 1, -4, 1e30, np.nan], F32))
    table = np.full_like(steps, -0.0)
    spec = UpdateSpec(dim=steps.shape[1], samples_per_core=64, optimizer=optimizer)
    slots = {"local_step": steps, "accumulator": np.full_like(steps, 2)}
    found = check(spec, optimizer, dict(optimizer.hyperparameters(3)), table, slots)
    assert not same_bits(found, table)


def test_row_sum_adds_in_the_documented_order():
    rng = np.random.default_rng(0)
    for dim in (1, 3, 8, 13, 16, 37):
        x = (rng.standard_normal((5, dim)) * 10.0 ** rng.integers(-4, 4, (5, dim))).astype(F32)
        for row, found in zip(x, row_sum(x), strict=True):
            sums = [F32(0)] * 8
            for column in range(-(-dim // 8) * 8):
                sums[column % 8] += row[column] if column < dim else F32(0)
            fours = [sums[k] + sums[k + 4] for k in range(4)]
            assert found[0] == (fours[0] + fours[2]) + (fours[1] + fours[3])
