"""JAX functions that run on meshes: as `jax.jit` runs them, with the trees of the function."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sdykit.mpmd import ExecutionError, Jitted, PartitionError, call, jit, named_computation

Tree = Any
RANDOM = np.random.default_rng(0)


def array(*shape: int) -> np.ndarray:
    return RANDOM.normal(size=shape).astype(np.float32)


@named_computation("f1")
def first(w: jax.Array, x: jax.Array) -> jax.Array:
    return jnp.tanh(x @ w)


@named_computation("f2")
def second(w: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
    return jnp.mean((x @ w - y) ** 2)


@call
def microbatch(ws: Tree, grads: Tree, x: jax.Array, y: jax.Array) -> tuple[Tree, jax.Array]:
    def loss(ws: Tree) -> jax.Array:
        return second(ws["second"], first(ws["first"], x), y)

    value, more = jax.value_and_grad(loss)(ws)
    return jax.tree.map(jnp.add, grads, more), value


def step(ws: Tree, batch: tuple[jax.Array, jax.Array], rate: float) -> tuple[Tree, list[jax.Array]]:
    grads, losses = jax.tree.map(jnp.zeros_like, ws), []
    for x, y in zip(*batch, strict=True):
        grads, loss = microbatch(ws, grads, x, y)
        losses.append(loss)
    return jax.tree.map(lambda w, grad: w - rate * grad, ws, grads), losses


def on_one_device(fn: Any, **options: Any) -> Jitted:
    """Run on two meshes that share a device."""
    (device, *_) = jax.devices()
    given = {
        "topology": {"m1": {"x": 1}, "m2": {"x": 1}},
        "assignment": {"f1": "m1", "f2": "m2"},
        "devices": {"m1": [device], "m2": [device]},
    }
    return jit(fn, **{**given, **options})


def weights() -> Tree:
    return {"first": array(8, 8), "second": array(8, 8)}


@pytest.mark.parametrize("schedule", ["none", "1F1B", "GPipe"])
def test_training_is_that_of_plain_jax(schedule: str) -> None:
    ours, plain = on_one_device(step, schedule=schedule, donate_argnums=0), jax.jit(step)
    state = expected = weights()
    losses: Tree = []
    batch = array(3, 4, 8), array(3, 4, 8)
    for _ in range(5):
        state, losses = ours(state, batch, 0.1)
        expected, expected_losses = plain(expected, batch, 0.1)
        for one, other in zip(
            jax.tree.leaves((state, losses)),
            jax.tree.leaves((expected, expected_losses)),
            strict=True,
        ):
            np.testing.assert_allclose(one, other, rtol=1e-5)
    assert list(state) == ["first", "second"]
    assert len(losses) == 3


def test_donated_arguments_are_deleted_and_named_in_errors() -> None:
    ours = on_one_device(step, donate_argnums=0)
    ws, batch = weights(), (array(1, 4, 8), array(1, 4, 8))
    state, _ = ours(ws, batch, 0.1)
    ours(state, batch, 0.1)
    assert all(leaf.is_deleted() for leaf in jax.tree.leaves(state))
    with pytest.raises(ExecutionError) as caught:
        ours(state, batch, 0.1)
    assert str(caught.value).startswith(
        "argument #0 (ws['first']) of @main has been deleted: a run"
    )


def test_other_shapes_are_another_program() -> None:
    ours = on_one_device(step)
    ws = weights()
    small, large = ((array(1, size, 8), array(1, size, 8)) for size in (4, 6))
    programs = [ours.executable(ws, batch, 0.1) for batch in (small, large, small)]
    assert programs[0] is programs[2]
    assert programs[0] is not programs[1]
    shapes = jax.eval_shape(lambda ws: ws, ws)
    assert ours.executable(shapes, small, 0.1) is programs[0]


def test_a_run_can_be_timed() -> None:
    ours = on_one_device(step)
    ws, batch = weights(), (array(1, 4, 8), array(1, 4, 8))
    (_, losses), spans = ours.timed(ws, batch, 0.1)
    assert losses == ours(ws, batch, 0.1)[1]
    names = {span.name for span in spans}
    assert {"fragment call @f1", "fragment call @f2", "transfer"} <= names


def test_wide_numbers_are_those_of_jax() -> None:
    """JAX sees f64 as f32, and Python's numbers as f32 or as wide as what they are added to."""
    ours = on_one_device(lambda x, y: second(x, first(x, x), x) + y)
    x = array(4, 4)
    expected = ours(x, np.float32(2))
    for y in (2.0, np.float64(2), jnp.float32(2)):
        result = ours(x.astype(np.float64), y)
        assert result.dtype == np.float32
        np.testing.assert_array_equal(result, expected)


def test_a_function_keeps_its_name() -> None:
    assert vars(on_one_device(step))["__name__"] == "step"


def test_options_are_checked_at_once() -> None:
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'assignments'"):
        jit(step, topology={}, assignment={}, assignments={})
    with pytest.raises(TypeError, match="missing a required argument: 'assignment'"):
        jit(step, topology={})


def test_unknown_parts_are_errors() -> None:
    ours = on_one_device(step, assignment={"f1": "m1", "f2": "m2", "f9": "m2"})
    with pytest.raises(PartitionError) as caught:
        ours(weights(), (array(1, 4, 8), array(1, 4, 8)), 0.1)
    assert str(caught.value) == (
        "assignment: fn uses no named computation 'f9', only 'f1', 'f2' (JAX leaves out what no"
        " result depends on); did you mean 'f2'?"
    )


def test_arguments_that_are_no_arrays_are_errors() -> None:
    ours = on_one_device(step)
    for leaf in ("target", object):
        with pytest.raises(ExecutionError) as caught:
            ours(weights(), (array(1, 4, 8), leaf), 0.1)
        assert str(caught.value) == (f"args[1][1]: expected an array or a number, found {leaf!r}")
