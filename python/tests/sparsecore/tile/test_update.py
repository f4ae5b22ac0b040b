"""Updates equal the reference bit for bit, in rows of the batch and all others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdykit.sparsecore.optimizers import (
    Optimizer,
)
from sdykit.sparsecore.reference import update
from sdykit.sparsecore.tile.spec import UpdateSpec
from support.amounts import examples
from support.tile.tile_cases import (
    CHIPS,
    LAYOUTS,
    MINIBATCHINGS,
    make_buffers,
    run_tile,
    same_bits,
)
from support.tile.update_cases import OPTIMIZERS, check

SAME_EVERY_TIME = settings(derandomize=True, deadline=None, max_examples=examples(25))


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("dim", [1, 23])
def test_every_optimizer_equals_the_reference(name: str, dim: int) -> None:
    rng = np.random.default_rng(dim)
    buffers = make_buffers(rng, "v5p", vocabulary=300)
    check(rng, buffers, UpdateSpec(dim=dim, samples_per_core=5, optimizer=OPTIMIZERS[name]))


@SAME_EVERY_TIME
@given(st.data())
def test_an_update_equals_the_reference(data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    chip = data.draw(st.sampled_from(sorted(CHIPS)))
    minibatching = data.draw(st.sampled_from(MINIBATCHINGS))
    samples = data.draw(st.sampled_from([1, 2, 5, 40]))
    buffers = make_buffers(
        rng,
        chip,
        samples_per_core=samples,
        vocabulary=data.draw(st.sampled_from([1, 7, 60, 1000, 20000])),
        max_ids=data.draw(st.sampled_from([0, 1, 8, 30])),
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
        reading=data.draw(st.sampled_from(["cpu", "chip"])),
    )
    check(rng, buffers, spec, data.draw(st.integers(0, 5)), data.draw(st.integers(1, 3)))


@pytest.mark.parametrize("optimizer", OPTIMIZERS.values(), ids=str)
def test_special_values_equal_the_reference(optimizer: Optimizer) -> None:
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
