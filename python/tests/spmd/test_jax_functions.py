"""JAX functions, run on devices that need not exist."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AbstractMesh
from jax.sharding import PartitionSpec as P

from sdykit import spmd

MESH = AbstractMesh((4, 2), ("data", "model"))


def step(params: dict[str, jax.Array], x: jax.Array) -> tuple[jax.Array, jax.Array]:
    hidden = jnp.tanh(x @ params["up"])
    hidden = jax.lax.with_sharding_constraint(hidden, P("data", "model"))
    return hidden @ params["down"], hidden.sum()


@pytest.fixture
def arguments() -> tuple[dict[str, np.ndarray], np.ndarray]:
    of = np.random.default_rng(0)
    shapes = {"up": (6, 10), "down": (10, 5)}
    params = {name: of.standard_normal(each).astype(np.float32) for name, each in shapes.items()}
    return params, of.standard_normal((8, 6)).astype(np.float32)


def test_the_results_are_those_of_numpy(arguments: tuple) -> None:
    params, x = arguments
    options = {"mesh": MESH, "in_shardings": ({"up": P(None, "model"), "down": P()}, P("data"))}
    product, total = spmd.run(step, arguments, **options)
    hidden = np.tanh(x @ params["up"])
    np.testing.assert_allclose(product, hidden @ params["down"], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(total, hidden.sum(), rtol=1e-4, atol=1e-5)
    assert spmd.check(step, arguments, bisect=True, **options).is_equal


def library(x: jax.Array) -> tuple[jax.Array, ...]:
    """Return results of ops that are custom calls, or have computations of their own."""
    positive = x @ x.mT + jnp.eye(x.shape[-1])
    return (
        jnp.sort(x, 1),
        *jax.lax.top_k(x, 3),
        jax.lax.approx_max_k(x, 3)[0],
        jax.lax.erf_inv(jnp.tanh(x)),
        jax.lax.cumsum(x, 1),
        jnp.argmax(x, 1),
        jnp.fft.irfft(jnp.fft.rfft(x, axis=1), axis=1),
        jnp.abs(jnp.linalg.det(x)),
        jax.lax.linalg.eigh(positive)[1],
        jax.lax.linalg.cholesky(positive),
        jnp.sort(jnp.abs(jax.lax.linalg.eig(x, compute_right_eigenvectors=False)[0])),
    )


def test_ops_of_the_library() -> None:
    x = np.random.default_rng(0).standard_normal((8, 6, 6)).astype(np.float32)
    found = spmd.run(library, [x], mesh=MESH, in_shardings=(P("data", "model"),))
    for one, other in zip(found, library(jnp.asarray(x)), strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-3, atol=1e-4)


def test_shapes_are_enough_for_a_check(arguments: tuple) -> None:
    shapes = jax.tree.map(lambda each: jax.ShapeDtypeStruct(each.shape, each.dtype), arguments)
    found = spmd.check(step, shapes, mesh=MESH)
    assert found.is_equal
    assert found.devices == 8


def test_options_of_functions_are_not_for_modules() -> None:
    with pytest.raises(spmd.SpmdError, match="mesh: meant for a JAX function, found a module"):
        spmd.check("module {}", mesh=MESH)
    with pytest.raises(spmd.SpmdError, match="expected the arguments of the function, found None"):
        spmd.check(step)
