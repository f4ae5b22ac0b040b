"""Ops whose exchange of data the partitioner decides are listed, and others are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import AbstractMesh
from jax.sharding import PartitionSpec as P

from sdykit.explain import explain
from sdykit.explain.costs.answers import costs_text
from sdykit.explain.costs.sentences import uncounted_text
from sdykit.explain.questions import Index

MESH = AbstractMesh((4, 2), ("data", "model"))


def f32(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def convolution(x: jax.Array, kernel: jax.Array) -> jax.Array:
    names = ("NHWC", "HWIO", "NHWC")
    return jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=names)


def update(x: jax.Array, y: jax.Array) -> jax.Array:
    return jax.lax.dynamic_update_slice(x, y, (3, 0))


IMAGE, KERNEL, ROWS, PART = f32(8, 16, 16, 4), f32(3, 3, 4, 8), f32(16, 32), f32(4, 32)
WORDS: dict[str, tuple[Callable[..., Any], list[Any], P, str]] = {
    "stablehlo.convolution": (
        convolution,
        [IMAGE, KERNEL],
        P(None, "data"),
        "needs what is next to a part of dimension 1 of x, which is divided along data",
    ),
    "stablehlo.dynamic_update_slice": (
        update,
        [ROWS, PART],
        P("data"),
        "needs what is next to a part of dimension 0 of x, which is divided along data",
    ),
    "mhlo.erf": (
        jax.lax.erf,
        [ROWS],
        P("data", "model"),
        "has no sharding rule, and x is divided along data and model",
    ),
}


@pytest.mark.parametrize("name", WORDS)
def test_they_are_told(name: str) -> None:
    fn, arguments, spec, text = WORDS[name]
    shardings = (spec, *[None] * (len(arguments) - 1))
    explanation = explain(fn, *arguments, in_shardings=shardings, mesh=MESH, to="collectives")
    index = Index(explanation)
    assert explanation.costs is not None
    (found,) = explanation.costs.uncounted
    told = uncounted_text(index, found)
    assert told == f"{name} at {found.source} {text}"
    assert str(found.source).startswith("python/tests/explain/costs/test_uncounted.py:")
    answer = costs_text(index)
    title = "not counted, as the partitioner decides how devices exchange it:"
    assert answer.endswith(f"{title}\n  {told}\n")
    assert title not in costs_text(index, "other")


@pytest.mark.parametrize(
    ("fn", "arguments", "spec"),
    [
        (convolution, [IMAGE, KERNEL], P("data")),
        (update, [ROWS, PART], P(None, "model")),
        (lambda x: jnp.cumsum(x, axis=1), [ROWS], P("data")),
        (lambda x: jax.nn.softmax(x @ x.T), [ROWS], P("data", "model")),
    ],
    ids=["convolution", "update", "cumsum", "dots"],
)
def test_others_are_not(fn: Callable[..., Any], arguments: list[Any], spec: P) -> None:
    shardings = (spec, *[None] * (len(arguments) - 1))
    costs = explain(fn, *arguments, in_shardings=shardings, mesh=MESH, to="collectives").costs
    assert costs is not None
    assert costs.uncounted == ()
