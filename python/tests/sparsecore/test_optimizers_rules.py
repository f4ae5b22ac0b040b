"""Update rules, compared with jax-tpu-embedding's bits, with steps by hand, and with optax."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
import optax
import pytest

from sdykit.sparsecore.optimizers import (
    F2A,
    FTRL,
    SGD,
    Adagrad,
    AdagradMomentum,
    Adam,
    LaProp,
    Optimizer,
)
from sdykit.sparsecore.reference import update_rows
from support.sparsecore.library_rules import LANES, library_update

F32 = np.float32

SPECIAL = np.array([0.0, -0.0, 1e-45, -1e-38, 1e30, -3e38, np.inf, -np.inf, np.nan, 1], F32)
"""Zeros of both signs, subnormals, overflow, infinities."""

OPTIMIZERS: list[Optimizer] = [
    SGD(0.1),
    Adagrad(0.1),
    AdagradMomentum(0.1),
    AdagradMomentum(0.1, use_nesterov=True, momentum=0.7),
    AdagradMomentum(0.1, beta2=0.9, exponent=3.0, epsilon=1e-3),
    Adam(0.1),
    Adam(0.01, beta_1=0.5, beta_2=0.9, epsilon=1e-3),
    FTRL(0.1),
    FTRL(0.1, -0.7, 0.5, 0.1, 0.2),
    FTRL(0.1, l1_regularization_strength=0.5, multiply_linear_by_learning_rate=True),
    FTRL(0.1, -0.5, 0.0, 0.3, 0.2, multiply_linear_by_learning_rate=True),
    LaProp(0.1),
    LaProp(0.01, b1=0.5, b2=0.7, eps=1e-3),
    F2A(0.1),
    F2A(0.1, 0.3, l1_regularization_strength=0.5, l2_regularization_strength=0.1),
    F2A(0.1, rho=2.0, max_lr_multiplier=3.0),
]

BOUNDS: list[dict[str, float]] = [
    {},
    {"min_value": -0.25, "max_value": 0.5},
    {"min_value": -0.25},
    {"max_value": 0.5},
]


def draw_slots(optimizer: Optimizer, rng: np.random.Generator) -> dict[str, np.ndarray]:
    slots = {}
    for slot in optimizer.slots:
        if slot in ("accumulator", "velocity", "nu"):
            values = rng.exponential(size=LANES)
        elif slot == "local_step":
            values = rng.integers(0, 9, LANES)
        else:
            values = rng.standard_normal(LANES)
        slots[slot] = values.astype(F32)
    return slots


def same_bits(found: np.ndarray, expected: np.ndarray) -> bool:
    both_nan = np.isnan(found) & np.isnan(expected)
    return bool(((found.view(np.int32) == expected.view(np.int32)) | both_nan).all())


@pytest.mark.parametrize("special", [False, True], ids=["plain", "special"])
@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
@pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=str)
def test_updates_have_the_bits_of_the_library(
    optimizer: Optimizer, bounds: dict[str, float], special: bool
):
    pytest.importorskip("jax_tpu_embedding", reason="jax-tpu-embedding is not installed")
    rng = np.random.default_rng(3)
    options: dict[str, Any] = dict(bounds)
    if isinstance(optimizer, FTRL):
        options["multiply_linear_by_learning_rate"] = optimizer.multiply_linear_by_learning_rate
    bounded = type(optimizer)(**{**vars(optimizer), **bounds})
    for step in (None, 0, 1, 100):
        gradient, table = (rng.standard_normal(LANES).astype(F32) for _ in range(2))
        if special:
            gradient[:20], table[5:15] = np.tile(SPECIAL, 2), SPECIAL
            gradient[20:24], table[20:24] = [0.0, -0.0, 0.0, -0.0], [0.0, 0.0, -0.0, -0.0]
        slots = draw_slots(optimizer, rng)
        if special and "linear" in slots:
            slots["linear"][20:24] = 0
        scalars = bounded.hyperparameters(step)
        found = update_rows(bounded, gradient, table, slots, scalars)
        expected = library_update(
            optimizer.name, [gradient, table, *slots.values()], list(scalars.values()), **options
        )
        assert list(found[1]) == list(optimizer.slots)
        for mine, theirs in zip((found[0], *found[1].values()), expected, strict=True):
            assert mine.dtype == F32
            assert same_bits(mine, theirs)


def step_of(optimizer: Optimizer, step: int | None = 0, **slots: float) -> tuple[float, ...]:
    """Return a weight of 2 and its slots after an update with a gradient of 3."""
    one = {name: np.full((1, 1), value, F32) for name, value in slots.items()}
    gradient, weight = np.full((1, 1), 3, F32), np.full((1, 1), 2, F32)
    hyperparameters = optimizer.hyperparameters(step)
    table, after = update_rows(optimizer, gradient, weight, one, hyperparameters)
    return (table.item(), *(array.item() for array in after.values()))


def test_steps_are_those_computed_by_hand():
    assert step_of(SGD(0.5)) == (2 - 1.5,)
    assert step_of(Adagrad(2.5), accumulator=16) == (2 - 7.5 / 5, 16 + 9)


@pytest.mark.parametrize(
    ("optimizer", "step", "slots", "expected"),
    [
        # a = 16 + 9; scaled 3/5; m = 0.5 * 4 + 0.6; w = 2 - 0.5 * 2.6
        (
            AdagradMomentum(0.5, momentum=0.5, epsilon=0),
            0,
            {"accumulator": 16, "momentum": 4},
            (0.7, 25, 2.6),
        ),
        # the same m; u = 0.5 * 2.6 + 0.6
        (
            AdagradMomentum(0.5, momentum=0.5, epsilon=0, use_nesterov=True),
            0,
            {"accumulator": 16, "momentum": 4},
            (1.05, 25, 2.6),
        ),
        # a = 0.5 * 7 + 0.5 * 9, and 8^(-1/3) = 1/2; scaled 1.5; m = 1.5
        (
            AdagradMomentum(1, beta2=0.5, exponent=3, epsilon=0),
            0,
            {"accumulator": 7, "momentum": 0},
            (0.5, 8, 1.5),
        ),
        # step 0: at = 1 * sqrt(3/4) / (1/2); m = 1.5, v = 9/4; eh = 0
        (
            Adam(1, beta_1=0.5, beta_2=0.25, epsilon=0),
            0,
            {"momentum": 0, "velocity": 0},
            (2 - 3**0.5 * 1.5 / (6.75**0.5), 1.5, 6.75),
        ),
        # A' = 25, roots 4 and 5, L' = 1 + 3 - (1/0.5)*2 = 0
        (FTRL(0.5), 0, {"accumulator": 16, "linear": 1}, (0, 25, 0)),
        # L' = 5 + 3 - 4 = 4; l1 = 1: clip(4, -1, 1) - 4 = -3; (5 + 1)/0.5 + 2*2 = 16
        (
            FTRL(0.5, l1_regularization_strength=1, l2_regularization_strength=2, beta=1),
            0,
            {"accumulator": 16, "linear": 5},
            (-3 / 16, 25, 4),
        ),
        # L' = 5 + 1.5 - 2 = 4.5; bound 0.5: -4; 5 + 2*0.5*2 + 1 = 8
        (
            FTRL(
                0.5,
                l1_regularization_strength=1,
                l2_regularization_strength=2,
                beta=1,
                multiply_linear_by_learning_rate=True,
            ),
            0,
            {"accumulator": 16, "linear": 5},
            (-0.5, 25, 4.5),
        ),
        # no step: nu = 0.75*4 + 0.25*(9+7) = 7; mu = 0.6*1 + 0.8*3/sqrt(7)
        (
            LaProp(0.5, b1=0.6, b2=0.75, eps=7),
            None,
            {"mu": 1, "nu": 4},
            (2 - 0.5 * (0.6 + 2.4 / 7**0.5), 0.6 + 2.4 / 7**0.5, 7),
        ),
        # step 1: d = 0.5 * 0.5 / 0.75 = 1/3; nu = 3/3 + 2/3 * 9 = 7
        (
            LaProp(0.5, b1=0, b2=0.5, eps=0),
            1,
            {"mu": 1, "nu": 3},
            (2 - 1.5 / 7**0.5, 3 / 7**0.5, 7),
        ),
        # ls = 4, f = (16/4)^0.5 = 2; 3*2/5 = 1.2; + 0.1*1 + 0.2*2
        (
            F2A(0.5, l1_regularization_strength=0.1, l2_regularization_strength=0.2),
            16,
            {"accumulator": 16, "local_step": 3},
            (2 - 0.5 * 1.7, 25, 4),
        ),
        # global step 0 counts as 1; f = min((1/1)^0.5, 0.5)
        (
            F2A(1, max_lr_multiplier=0.5),
            0,
            {"accumulator": 16, "local_step": 0},
            (2 - 0.3, 25, 1),
        ),
    ],
    ids=str,
)
def test_steps_are_close_to_those_computed_by_hand(
    optimizer: Optimizer, step: int | None, slots: dict[str, float], expected: tuple[float, ...]
):
    assert step_of(optimizer, step, **slots) == pytest.approx(expected, rel=3e-7, abs=1e-6)


# optax's Adagrad adds its eps inside of the root; its Adam divides by sqrt(v') + eps with v'
# corrected first, which is the same but for rounding.
@pytest.mark.parametrize(
    ("optimizer", "theirs"),
    [
        (SGD(0.1), optax.sgd(0.1)),
        (Adagrad(0.1), optax.adagrad(0.1, initial_accumulator_value=0.1, eps=0)),
        (Adam(0.1, epsilon=1e-3), optax.adam(0.1, eps=1e-3)),
        (Adam(0.1, beta_1=0.5, beta_2=0.9), optax.adam(0.1, b1=0.5, b2=0.9)),
    ],
    ids=["sgd", "adagrad", "adam", "adam, other betas"],
)
def test_updates_are_close_to_those_of_optax(
    optimizer: Optimizer, theirs: optax.GradientTransformation
):
    rng = np.random.default_rng(5)
    table = rng.standard_normal((4, 8)).astype(F32)
    slots = {name: np.full_like(table, value) for name, value in optimizer.slots.items()}
    expected = jnp.asarray(table)
    state = theirs.init(expected)
    for step in range(5):
        gradient = rng.standard_normal(table.shape).astype(F32)
        scalars = optimizer.hyperparameters(step)
        table, slots = update_rows(optimizer, gradient, table, slots, scalars)
        changes, state = theirs.update(jnp.asarray(gradient), state, expected)
        expected = optax.apply_updates(expected, changes)
        np.testing.assert_allclose(table, np.asarray(expected), rtol=1e-4, atol=1e-6)
