"""The library's lookup on one device: the bits of the reference, and the program that XLA gets."""

from __future__ import annotations

import functools
from typing import Any

import jax
import numpy as np
import pytest

from sdykit.sparsecore.specs import System
from support.jax_tpu_embedding import lookup_cases as cases
from support.jax_tpu_embedding.gradient_cases import Case, make_case, same

ONE = System(1, 4)
KINDS = [(minibatching, config) for minibatching in (False, True) for config in cases.CONFIGS]


@functools.cache
def some(minibatching: bool = False) -> Case:
    return make_case(int(minibatching), ONE, minibatching=minibatching)


def look_up(case: Case, config: Any = None) -> Any:
    primitive = cases.lowered("csr").tpu_sparse_dense_matmul_csr_primitive
    return functools.partial(primitive.bind, **cases.options(case, config))


def compiled_text(function: Any, *operands: Any) -> str:
    return jax.jit(function).lower(*operands).compile().as_text() or ""


@pytest.mark.parametrize(("minibatching", "config"), KINDS)
def test_lookups_have_the_bits_of_the_reference(minibatching: bool, config: Any) -> None:
    case = some(minibatching)
    run, operands = look_up(case, config), (*case.buffers, case.table[0])
    assert same(run(*operands), cases.expected(case, config))
    assert same(jax.jit(run)(*operands), cases.expected(case, config))


@pytest.mark.parametrize("minibatching", [False, True])
def test_a_table_of_one_dimension_is_looked_up(minibatching: bool) -> None:
    case = some(minibatching)
    run = functools.partial(cases.narrow_primitive().bind, **cases.options(case))
    column = case.table[0, :, 3].copy()
    found = jax.jit(run)(*case.buffers, column)
    assert found.shape == (16,)
    assert same(found, cases.expected(case)[:, 3].copy())
    # The same elements, of a table whose rows have one.
    assert same(jax.jit(run)(*case.buffers, column[:, None])[:, 0], np.asarray(found))


def test_buffers_may_have_room_for_fewer_minibatches() -> None:
    case = some(minibatching=True)
    pointers, *others = case.buffers
    count = case.packed.num_minibatches
    assert count is not None
    assert 1 < count < 64
    found = look_up(case)(pointers[: 4 * 8 * count], *others, case.table[0])
    assert same(found, cases.expected(case))


def test_a_lookup_runs_in_a_loop() -> None:
    case = some()
    run = look_up(case)

    def step(total: Any, factor: Any) -> Any:
        return total + run(*case.buffers, case.table[0] * factor), None

    zeros = np.zeros((16, 8), np.float32)
    found, _ = jax.jit(lambda: jax.lax.scan(step, zeros, np.array([1, 2], np.float32)))()
    np.testing.assert_allclose(found, 3 * cases.expected(case), rtol=1e-6)


def test_a_table_is_not_copied() -> None:
    case = some()
    table = np.zeros((2**18, 8), np.float32)
    narrow = functools.partial(cases.narrow_primitive().bind, **cases.options(case))
    for run, each in ((look_up(case), table), (narrow, table[:, 0])):
        stats: Any = jax.jit(run).lower(*case.buffers, each).compile().memory_analysis()
        assert stats.temp_size_in_bytes + stats.output_size_in_bytes < 2**18


def test_a_lookup_is_one_call_of_a_tile_program() -> None:
    case = some()
    lowered = jax.jit(look_up(case)).lower(*case.buffers, case.table[0]).as_text()
    ops = [
        line.split("stablehlo.")[1].split()[0]
        for line in lowered.splitlines()
        if "= stablehlo." in line
    ]
    assert ops == ["custom_call"]
    assert "@sdykit_sparsecore" in lowered
