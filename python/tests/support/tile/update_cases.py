"""Updates of buffers, compared with the reference bit for bit."""

from __future__ import annotations

import numpy as np

from sdykit.sparsecore.optimizers import (
    F2A,
    FTRL,
    SGD,
    Adagrad,
    AdagradMomentum,
    Adam,
    LaProp,
    RowWiseAdagrad,
)
from sdykit.sparsecore.reference import update
from sdykit.sparsecore.tile.spec import UpdateSpec
from support.tile.tile_cases import (
    CHIPS,
    COMPILE,
    Buffers,
    Compiler,
    run_tile,
    same_bits,
)

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
    """Run an update, and that of the reference; compare the whole table and its slots."""
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
