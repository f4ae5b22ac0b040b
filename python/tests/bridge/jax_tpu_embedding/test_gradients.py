"""The library's gradients on one device, compared with the reference bit by bit."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

pytest.importorskip("jax_tpu_embedding", reason="jax-tpu-embedding is not installed")

import sdykit.sparsecore as sc
from sdykit.bridge.errors import BridgeError
from sdykit.sparsecore.optimizers import FTRL, AdagradMomentum, Optimizer
from sdykit.sparsecore.specs import System
from support.jax_tpu_embedding.gradient_cases import (
    LIMITS,
    OPTIMIZERS,
    STEP,
    Case,
    make_case,
    newest,
    primitive_of,
    same,
    update,
)

ALONE = System(1, 4)
"""One CPU device with the SparseCores of the default chip."""


@functools.cache
def case_of(*, minibatching: bool, dim: int = 8) -> Case:
    return make_case(1 + minibatching, ALONE, minibatching=minibatching, dim=dim)


def tables_of(case: Case, optimizer: Optimizer) -> list[Any]:
    return [case.table[0], *(each[0] for each in case.slots(optimizer).values())]


def name_of(optimizer: Optimizer) -> str:
    flags = ("use_nesterov", "multiply_linear_by_learning_rate")
    return " ".join([optimizer.name, *(flag for flag in flags if getattr(optimizer, flag, False))])


@pytest.mark.parametrize("minibatching", [False, True], ids=["whole", "minibatches"])
@pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=name_of)
def test_updates_have_the_bits_of_the_reference(optimizer: Optimizer, minibatching: bool) -> None:
    case = case_of(minibatching=minibatching)
    before = tables_of(case, optimizer)
    step = jax.jit(functools.partial(update, optimizer, case))
    found = step(case.buffers, before, case.gradient[0])
    for array, old, expected in zip(found, before, case.expected(optimizer), strict=True):
        assert same(array, expected[0])
        untouched = case.untouched[0]
        assert 0 < untouched.sum() < len(untouched)
        assert same(np.asarray(array)[untouched], old[untouched])
        assert np.any(np.asarray(array) != old)


@pytest.mark.parametrize(
    ("bounds", "options"),
    [
        ((-0.5, None), {"min_value": -0.5}),
        ((None, 0.25), {"max_value": np.float32(0.25)}),
        ((-0.5, 0.25), {"min_value": -0.5, "max_value": 0.25}),
        ((None, 0.0), {"min_value": -math.inf, "max_value": 0}),
        ((-1e-3, None), {"min_value": -1e-3, "max_value": 1e39}),
    ],
    ids=str,
)
def test_bounds_hold_for_the_table_and_not_for_slots(
    bounds: tuple[float | None, float | None], options: dict[str, Any]
) -> None:
    case = case_of(minibatching=False)
    low, high = bounds
    for optimizer in (OPTIMIZERS[0], OPTIMIZERS[4], OPTIMIZERS[8]):
        bounded = dataclasses.replace(optimizer, min_value=low, max_value=high)
        step = jax.jit(functools.partial(update, optimizer, case, **options))
        found = step(case.buffers, tables_of(case, optimizer), case.gradient[0])
        expected = case.expected(bounded)
        assert all(same(a, b[0]) for a, b in zip(found, expected, strict=True)), optimizer.name
        assert not same(found[0], case.expected(optimizer)[0][0])


def test_a_hyperparameter_of_several_numbers_is_an_error() -> None:
    case, rates = case_of(minibatching=False), np.ones(2, np.float32)
    with pytest.raises(BridgeError) as error:
        newest("sgd")(*case.buffers, case.table[0], case.gradient[0], rates, **LIMITS)
    assert str(error.value) == (
        "sparse_dense_matmul_grad_with_sgd: learning_rate is float32[2]; expected one number"
    )


def test_hyperparameters_may_change_without_compiling() -> None:
    """One program for both forms of the momentum, and for every learning rate."""
    case = case_of(minibatching=True)
    primitive = primitive_of("adagrad_momentum")

    traces = []

    @jax.jit
    def step(tables: list[Any], scalars: list[Any]) -> Any:
        traces.append(len(scalars))
        operands = (*case.buffers, *tables, case.gradient[0], *scalars)
        return primitive.bind(*operands, enable_minibatching=True, **LIMITS)

    seen = []
    for nesterov in (False, True):
        for rate in (0.5, 1e-3):
            optimizer = AdagradMomentum(rate, momentum=0.6, use_nesterov=nesterov)
            scalars = [jnp.asarray(each) for each in optimizer.hyperparameters().values()]
            assert scalars[-1].dtype == bool
            found = step(tables_of(case, optimizer), scalars)
            for array, expected in zip(found, case.expected(optimizer), strict=True):
                assert same(array, expected[0])
            seen.append(np.asarray(found[0]).tobytes())
    assert len(set(seen)) == 4
    assert len(traces) == 1


@pytest.mark.parametrize("optimizer", OPTIMIZERS[4:6], ids=name_of)
def test_updates_run_without_jit_and_donation(optimizer: Optimizer) -> None:
    case = case_of(minibatching=False)
    tables = [jnp.asarray(each.copy()) for each in tables_of(case, optimizer)]
    found = update(optimizer, case, case.buffers, tables, case.gradient[0])
    for array, table, old, expected in zip(
        found, tables, tables_of(case, optimizer), case.expected(optimizer), strict=True
    ):
        assert same(array, expected[0])
        assert same(table, old)


def run_flat(
    optimizer: Optimizer, buffers: tuple[Any, ...], tables: list[Any], gradient: Any
) -> list[jax.Array]:
    """Update tables of one dimension."""
    options: dict[str, Any] = {}
    if isinstance(optimizer, FTRL):
        options["multiply_linear_by_learning_rate"] = optimizer.multiply_linear_by_learning_rate
    scalars = map(jnp.asarray, optimizer.hyperparameters(STEP).values())
    operands = (*buffers, *tables, gradient, *scalars)
    found = newest(optimizer.name)(*operands, **LIMITS, **options)
    return list(found) if isinstance(found, list | tuple) else [found]


@pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=name_of)
def test_tables_of_one_dimension_are_updated(optimizer: Optimizer) -> None:
    case = case_of(minibatching=False, dim=1)
    tables = [each[:, 0] for each in tables_of(case, optimizer)]
    step = jax.jit(functools.partial(run_flat, optimizer))
    buffers = tuple(map(jnp.asarray, case.buffers))
    for gradient in (case.gradient[0], case.gradient[0, :, 0]):
        found = step(buffers, tables, gradient)
        for array, expected in zip(found, case.expected(optimizer), strict=True):
            assert array.shape == case.table.shape[1:2]
            assert same(array, expected[0])


@pytest.fixture
def counting() -> Iterator[None]:
    sc.configure(counters=True)
    yield
    sc.configure()


@pytest.mark.usefixtures("counting")
def test_only_touched_rows_are_written() -> None:
    case, adam = case_of(minibatching=True), OPTIMIZERS[4]
    step = jax.jit(functools.partial(update, adam, case, computation_name="adam-words"))
    jax.block_until_ready(step(case.buffers, tables_of(case, adam), case.gradient[0]))
    (found,) = [each for each in sc.counters() if each.spec.label == "adam-words"]
    touched = int((~case.untouched).sum())
    for name in ("table", "slot_momentum", "slot_velocity"):
        assert found.totals[f"gather: bytes read from {name}"] == touched * 8 * 4
        assert found.totals[f"scatter: bytes written to {name}"] == touched * 8 * 4


@pytest.mark.parametrize("flat", [False, True], ids=["rows", "one dimension"])
@pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=name_of)
def test_donated_tables_are_updated_in_place(optimizer: Optimizer, flat: bool) -> None:
    dim = 1 if flat else 8
    case = case_of(minibatching=False, dim=dim)
    run = run_flat if flat else functools.partial(update, case=case)
    step = jax.jit(
        lambda buffers, tables, gradient: run(
            optimizer, buffers=buffers, tables=tables, gradient=gradient
        ),
        donate_argnums=1,
    )
    shape = (2**17, *([] if flat else [dim]))
    tables = [jnp.full(shape, 0.5, jnp.float32) for _ in range(1 + len(optimizer.slots))]
    buffers = tuple(map(jnp.asarray, case.buffers))
    memory: Any = step.lower(buffers, tables, case.gradient[0]).compile().memory_analysis()
    assert memory.alias_size_in_bytes == sum(each.nbytes for each in tables)
    assert memory.temp_size_in_bytes < tables[0].nbytes
    places = [each.unsafe_buffer_pointer() for each in tables]
    found = step(buffers, tables, case.gradient[0])
    assert [each.unsafe_buffer_pointer() for each in found] == places
    changed = np.any(np.asarray(found[0]).reshape(-1, dim) != 0.5, axis=1)
    assert 0 < changed.sum() <= case.table.shape[1]
