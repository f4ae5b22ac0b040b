"""Updates against the reference: bit for bit, for rows that are touched and all others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.optimizers import (
    F2A,
    FTRL,
    SGD,
    Adagrad,
    AdagradMomentum,
    Adam,
    LaProp,
    Optimizer,
    RowWiseAdagrad,
)
from sdykit.sparsecore.reference import update
from sdykit.sparsecore.tile.spec import UpdateSpec
from support.tile.tile_cases import (
    CHIPS,
    COMPILE,
    LAYOUTS,
    MINIBATCHINGS,
    Buffers,
    Compiler,
    make_buffers,
    run_tile,
    same_bits,
)

SAME_EVERY_TIME = settings(derandomize=True, deadline=None, max_examples=25)
OPTIMIZERS = {
    "sgd": SGD(0.1),
    "sgd, clipped": SGD(0.5, min_value=-0.5, max_value=0.25),
    "adagrad": Adagrad(0.1),
    "row_wise_adagrad": RowWiseAdagrad(0.1),
    "row_wise_adagrad, clipped": RowWiseAdagrad(0.1, epsilon=0.5, max_value=0.5),
    "adagrad_momentum": AdagradMomentum(0.1),
    "adagrad_momentum, nesterov": AdagradMomentum(0.1, beta2=0.9, use_nesterov=True),
    "adagrad_momentum, cube root": AdagradMomentum(0.1, exponent=3.0, epsilon=0.0),
    "adam": Adam(0.1, epsilon=1e-3),
    "ftrl": FTRL(0.1),
    "ftrl, regularized": FTRL(
        0.1,
        l1_regularization_strength=0.3,
        l2_regularization_strength=0.1,
        beta=0.2,
        learning_rate_power=-0.7,
    ),
    "ftrl, multiplied": FTRL(
        0.1, l1_regularization_strength=0.3, multiply_linear_by_learning_rate=True, max_value=1.0
    ),
    "laprop": LaProp(0.1),
    "f2a": F2A(
        0.1,
        l1_regularization_strength=0.1,
        l2_regularization_strength=0.2,
        max_lr_multiplier=1.5,
    ),
    "f2a, cubed": F2A(0.1, rho=3.0),
}


def check(
    rng: np.random.Generator,
    buffers: Buffers,
    spec: UpdateSpec,
    step: int = 3,
    threads: int = 1,
    *,
    compiled: Compiler = COMPILE,
) -> None:
    """Run an update and the reference's; compare all of the table and its slots."""
    rows = buffers.rows_per_core * CHIPS[spec.chip]
    samples = spec.samples_per_core * CHIPS[spec.chip]
    shape, optimizer = (rows, spec.dim), spec.optimizer
    table = rng.standard_normal(shape).astype(np.float32)
    slots = {
        name: rng.uniform(0.1, 3, (rows, 1) if name in optimizer.row_slots else shape)
        for name in optimizer.slots
    }
    slots = {name: array.astype(np.float32) for name, array in slots.items()}
    gradients = rng.standard_normal((samples, spec.dim)).astype(np.float32)
    hyperparameters = optimizer.hyperparameters(step)
    scalars = {name: np.array(hyperparameters[name], np.float32) for name in spec.scalars}
    named = {f"slot_{name}": array for name, array in slots.items()}
    given = {**buffers.arrays, "gradients": gradients, "table": table, **named, **scalars}
    found, kept = run_tile(spec, given, threads, compiled)
    expected, expected_slots = update(
        table[None],
        {name: array[None] for name, array in slots.items()},
        buffers.entries,
        gradients[None],
        optimizer=optimizer,
        hyperparameters=hyperparameters,
    )
    assert same_bits(found["table"], expected[0])
    for name, array in expected_slots.items():
        assert same_bits(found[f"slot_{name}"], array[0]), name
    assert kept


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("dim", [1, 23])
def test_every_optimizer(name: str, dim: int) -> None:
    rng = np.random.default_rng(dim)
    buffers = make_buffers(rng, "v5p", vocabulary=300)
    check(rng, buffers, UpdateSpec(dim=dim, samples_per_core=5, optimizer=OPTIMIZERS[name]))


@SAME_EVERY_TIME
@given(st.data())
def test_equals_the_reference(data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    chip = data.draw(st.sampled_from(sorted(CHIPS)))
    minibatching = data.draw(st.sampled_from(MINIBATCHINGS))
    samples = data.draw(st.sampled_from([1, 2, 5, 40]))
    buffers = make_buffers(
        rng,
        chip,
        samples_per_core=samples,
        vocabulary=data.draw(st.sampled_from([1, 7, 60, 1000, 20000])),
        most_ids=data.draw(st.sampled_from([0, 1, 8, 30])),
        limit=data.draw(st.sampled_from([8, 40, 1000])),
        layout=data.draw(st.sampled_from(LAYOUTS)),
        minibatching=minibatching,
        dropping=True,
    )
    optimizer: Optimizer = data.draw(st.sampled_from(list(OPTIMIZERS.values())))
    spec = UpdateSpec(
        dim=data.draw(st.integers(1, 40) | st.sampled_from([64, 129, 256])),
        samples_per_core=samples,
        minibatches=minibatching != "off",
        chip=chip,
        optimizer=optimizer,
    )
    check(rng, buffers, spec, data.draw(st.integers(0, 5)), data.draw(st.integers(1, 3)))


@pytest.mark.parametrize("optimizer", OPTIMIZERS.values(), ids=str)
def test_special_values(optimizer: Optimizer) -> None:
    rng = np.random.default_rng(9)
    buffers = make_buffers(rng, "v6e", vocabulary=40)
    spec = UpdateSpec(dim=19, samples_per_core=5, chip="v6e", optimizer=optimizer)
    special = np.array([0, -0.0, np.nan, np.inf, -np.inf, 1e-42, 1e-30, 3e38, -1, 1], np.float32)
    rows = buffers.rows_per_core * CHIPS["v6e"]
    arrays = {
        name: rng.choice(special, (rows, 1 if name in optimizer.row_slots else 19))
        for name in ("table", *optimizer.slots)
    }
    for name in set(arrays) & {"accumulator", "local_step"}:
        arrays[name] = np.abs(arrays[name])  # Roots of negative numbers, -0 too, are not defined.
    gradients = rng.choice(special[[0, 1, 5, 6, 8, 9]], (10, 19))
    hyperparameters = optimizer.hyperparameters(2)
    scalars = {name: np.array(hyperparameters[name], np.float32) for name in spec.scalars}
    named = {f"slot_{name}": arrays[name] for name in optimizer.slots}
    given = {**buffers.arrays, "gradients": gradients, "table": arrays["table"], **named}
    found, _ = run_tile(spec, given | scalars)
    table, slots = update(
        arrays["table"][None],
        {name: arrays[name][None] for name in optimizer.slots},
        buffers.entries,
        gradients[None],
        optimizer=optimizer,
        hyperparameters=hyperparameters,
    )
    assert same_bits(found["table"], table[0])
    for name, array in slots.items():
        assert same_bits(found[f"slot_{name}"], array[0]), name
