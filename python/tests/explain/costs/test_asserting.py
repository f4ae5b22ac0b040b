"""`assert_collectives`: what it accepts, and what its failures tell."""

from __future__ import annotations

import inspect
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import AbstractMesh
from jax.sharding import PartitionSpec as P

from sdykit.errors import SdykitError
from sdykit.explain import assert_collectives

MESH = AbstractMesh((4, 2), ("data", "model"))
FILE = "python/tests/explain/costs/test_asserting.py"
X, UP, DOWN = (jax.ShapeDtypeStruct(shape, jnp.float32) for shape in ((16, 8), (8, 32), (32, 8)))


def step(x: jax.Array, up: jax.Array, down: jax.Array) -> jax.Array:
    hidden = jnp.tanh(x @ up)
    return hidden @ down


def wrong(x: jax.Array, up: jax.Array, down: jax.Array) -> jax.Array:
    hidden = jnp.tanh(x @ up)
    hidden = jax.lax.with_sharding_constraint(hidden, P("data", None))
    return hidden @ down


def check(fn: Any, **expected: Any) -> None:
    shardings = (P("data", None), P(None, "model"), None)
    assert_collectives(fn, X, UP, DOWN, mesh=MESH, in_shardings=shardings, **expected)


def line_of(fn: Any, text: str) -> int:
    lines, first = inspect.getsourcelines(fn)
    return first + next(at for at, line in enumerate(lines) if text in line)


def test_what_holds_passes() -> None:
    check(step, all_gather=0, all_reduce=1, reduce_scatter=0, max_bytes=128)
    check(step, max_bytes=128)
    check(wrong, all_gather=1)


def test_the_failure_names_op_line_bytes_and_reason() -> None:
    with pytest.raises(AssertionError) as caught:
        check(wrong, all_gather=0, all_reduce=1)
    tanh, constraint = line_of(wrong, "tanh"), line_of(wrong, "constraint")
    lines = str(caught.value).splitlines()
    assert lines[0] == "wrong: found 1 all_gather, expected 0"
    assert lines[1] == (
        f"  256 bytes  all_gather of %1: f32[16,32] along model at {FILE}:{tanh} (operand 256 bytes)"
    )
    assert lines[2].strip() == '[{"data"}, {"model"}] becomes [{"data"}, {}]'
    assert lines[3].strip().startswith(f"stablehlo.tanh at {FILE}:{tanh} does not pass on model")
    assert lines[3].endswith(f"is closed, as constraint at {FILE}:{constraint} says")
    assert lines[4:] == ["wrong: found 0 all_reduce, expected 1"]


def test_too_many_bytes_are_listed() -> None:
    with pytest.raises(AssertionError) as caught:
        check(step, max_bytes=100)
    text = str(caught.value)
    assert text.startswith(
        "step: a device receives 128 bytes in a run (128 bytes), expected at most 100\n"
    )
    assert "reduces over dimension 1 of %1" in text
    assert f"{FILE}:{line_of(step, 'hidden @ down')}" in text


def test_many_are_cut() -> None:
    def many(x, up, down):
        for _ in range(7):
            x = (x @ up) @ down
        return x

    with pytest.raises(AssertionError, match="found 7 all_reduce, expected 0") as caught:
        check(many, all_reduce=0)
    assert str(caught.value).endswith("  ... and 2 more")


def test_nothing_asserted_is_an_error() -> None:
    with pytest.raises(SdykitError, match="nothing is asserted; expected a number"):
        check(step)
