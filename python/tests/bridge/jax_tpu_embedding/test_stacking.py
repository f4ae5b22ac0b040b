"""Activations of a stack are divided into features, and gradients are stacked."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sdykit.sparsecore as sc
from sdykit.bridge.errors import BridgeError
from support.amounts import examples
from support.jax_tpu_embedding.gradient_cases import same
from support.jax_tpu_embedding.lookup_cases import lowered


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    sc.configure()


def unstack(stacked: Any, samples: tuple[int, ...], dims: tuple[int, ...]) -> Any:
    primitive = lowered("activation_unstack").tpu_sparse_dense_matmul_activation_unstack_primitive
    run = functools.partial(primitive.bind, per_feature_batch_sizes=samples, per_feature_dims=dims)
    return jax.jit(run)(stacked)


def stack(gradients: Any, rows: int, dim: int) -> Any:
    primitive = lowered("gradient_stack").tpu_sparse_dense_matmul_gradient_stack_primitive
    run = functools.partial(primitive.bind, stacked_batch_size=rows, stacked_feature_dim=dim)
    return jax.jit(run)(*gradients)


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


def slices(
    stacked: np.ndarray, cores: int, samples: tuple[int, ...], dims: tuple[int, ...]
) -> list[np.ndarray]:
    by_core = stacked.reshape(cores, -1, stacked.shape[1])
    ends = np.cumsum(samples) // cores
    return [
        by_core[:, end - count // cores : end, :dim].reshape(count, dim)
        for end, count, dim in zip(ends, samples, dims, strict=True)
    ]


@settings(max_examples=examples(15), deadline=None)
@given(
    st.sampled_from([("v5p", 4), ("v6e", 2)]),
    st.lists(st.tuples(st.integers(1, 5), st.integers(1, 16)), min_size=1, max_size=4),
)
def test_unstacking_and_stacking_slice_by_sparse_core(
    chip: tuple[str, int], features: list[tuple[int, int]]
) -> None:
    name, cores = chip
    sc.configure(name)
    samples = tuple(cores * count for count, _ in features)
    dims = tuple(dim for _, dim in features)
    stacked = numbers(sum(samples), 16)
    expected = slices(stacked, cores, samples, dims)
    found = unstack(stacked, samples, dims)
    assert all(map(same, found, expected))
    # Back again, what was cut off is 0.
    padded = [np.pad(each, ((0, 0), (0, 16 - each.shape[1]))) for each in expected]
    again = np.asarray(stack(found, len(stacked), 16))
    assert all(map(same, slices(again, cores, samples, (16,) * len(samples)), padded))


def test_stacking_is_copies_only() -> None:
    stacked = numbers(64, 8)

    def there_and_back(stacked: Any) -> Any:
        return stack(unstack(stacked, (16, 48), (8, 8)), 64, 8)

    compiled = jax.jit(there_and_back).lower(stacked).compile()
    assert same(compiled(stacked), stacked)
    stats: Any = compiled.memory_analysis()
    assert stats.temp_size_in_bytes <= stacked.nbytes + 64
    text = compiled.as_text() or ""
    assert text.count("custom-call(") == 2
    assert "fusion" not in text


def test_features_that_do_not_fill_a_stack_are_an_error() -> None:
    where = "sparse_dense_matmul_activation_unstack: "
    cases = [
        (
            ((8, 4), (8, 8)),
            "the features have 12 samples together, and stacked_activations is float32[16,8]; "
            "expected 16",
        ),
        (
            ((10, 6), (8, 8)),
            "feature 0 is float32[10,8]; expected a multiple of 4 samples, the SparseCores of a "
            "device, of up to 8 elements",
        ),
        (
            ((8, 8), (8, 9)),
            "feature 1 is float32[8,9]; expected a multiple of 4 samples, the SparseCores of a "
            "device, of up to 8 elements",
        ),
    ]
    for (samples, dims), text in cases:
        with pytest.raises(BridgeError) as found:
            unstack(numbers(16, 8), samples, dims)
        assert str(found.value) == where + text
    with pytest.raises(BridgeError) as found:
        unstack(numbers(16), (16,), (8,))
    assert (
        str(found.value)
        == f"{where}stacked_activations is float32[16]; expected float32[samples,dim]"
    )
    with pytest.raises(BridgeError) as found:
        stack([numbers(8, 8), numbers(8)], 16, 8)
    assert str(found.value) == (
        "sparse_dense_matmul_gradient_stack: unstacked_gradients[1] is float32[8]; expected "
        "float32[samples,dim]"
    )
