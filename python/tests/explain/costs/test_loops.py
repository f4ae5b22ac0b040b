"""How often ops run, beside loops that Python runs."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import pytest

from sdykit.bridge.from_jax import lower
from sdykit.core.walks import ops_named
from sdykit.explain.costs.loops import LoopCounts, Runs, trip_count
from sdykit.mlir import ir, make_context

X = jax.ShapeDtypeStruct((4,), jnp.float32)
COMPARES = {
    "LT": operator.lt,
    "LE": operator.le,
    "GT": operator.gt,
    "GE": operator.ge,
    "NE": operator.ne,
}
LOOP = """
func.func @main(%x: tensor<4xf32>, %free: tensor<i32>) -> tensor<4xf32> {{
  %start = stablehlo.constant dense<{start}> : tensor<i32>
  %limit = stablehlo.constant dense<{limit}> : tensor<i32>
  %step = stablehlo.constant dense<{step}> : tensor<i32>
  %r:3 = stablehlo.while(%v = %x, %i = {first}, %n = %limit) : tensor<4xf32>, tensor<i32>, tensor<i32>
  cond {{
    %c = stablehlo.compare {compare} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }} do {{
    %w = stablehlo.add %v, %v : tensor<4xf32>
    %j = stablehlo.{op} : tensor<i32>
    stablehlo.return %w, %j, {carried} : tensor<4xf32>, tensor<i32>, tensor<i32>
  }}
  return %r#0 : tensor<4xf32>
}}
"""


def count_of(**parts: object) -> int | None:
    """Return the trip count of a loop in text."""
    defaults = {"start": 0, "limit": 8, "step": 1, "first": "%start", "carried": "%n"}
    values = {**defaults, "op": "add %i, %step", "compare": "LT, %i, %n", **parts}
    with make_context():
        module = ir.Module.parse(LOOP.format(**values))
        (loop,) = ops_named(module.operation, "stablehlo.while")
        return trip_count(loop)


def trips_of(holds: Callable[[int, int], bool], start: int, limit: int, step: int) -> int:
    """Return how often a loop runs; 101 if it does not end, or by an overflow only."""
    count = 0
    while holds(start + count * step, limit) and count < 101:
        count += 1
    return count


def test_trip_counts_are_those_of_a_loop() -> None:
    of = random.Random(1)
    known = 0
    for _ in range(200):
        start, limit, step = (of.randint(-9, 9) for _ in range(3))
        name = of.choice(sorted(COMPARES))
        operands = of.choice(["%i, %n", "%n, %i", "%i, %limit"])
        op = of.choice(["add %i, %step", "add %step, %i", "subtract %i, %step"])
        found = count_of(start=start, limit=limit, step=step, op=op, compare=f"{name}, {operands}")
        holds = COMPARES[name]
        if operands == "%n, %i":
            holds = partial(lambda of, at, end: of(end, at), holds)
        expected = trips_of(holds, start, limit, -step if op.startswith("sub") else step)
        # Of a loop whose counter stands still, or goes away from the limit, nothing is known.
        assert found == expected or (found is None and expected in (0, 101))
        known += found is not None
    assert known > 50


@pytest.mark.parametrize(
    "parts",
    [
        {"first": "%free"},
        {"carried": "%j"},
        {"op": "subtract %step, %i"},
        {"op": "multiply %i, %step"},
        {"compare": "LT, %free, %n"},
    ],
    ids=lambda parts: next(iter(parts)),
)
def test_other_loops_have_no_trip_count(parts: dict[str, str]) -> None:
    assert count_of(**parts) is None


def runs_of_sine(fn: Callable[..., object], *args: object) -> list[Runs]:
    """Return how often the sines of a program run."""
    with make_context():
        module = ir.Module.parse(lower(fn, *args))
        loops = LoopCounts(module.operation)
        return [loops.of(op) for op in ops_named(module.operation, "stablehlo.sine")]


def test_loops_of_jax() -> None:
    def scanned(x):
        return jax.lax.scan(lambda carry, _: (jnp.sin(carry), None), x, None, length=7)[0]

    def nested(x):
        return jax.lax.fori_loop(2, 5, lambda _, value: scanned(value), x)

    def until(x):
        return jax.lax.while_loop(lambda value: jnp.sum(value) > 1, jnp.sin, x)

    assert runs_of_sine(scanned, X) == [Runs(7)]
    assert runs_of_sine(nested, X) == [Runs(21)]
    assert runs_of_sine(until, X) == [Runs(1, is_in_unknown_loop=True)]
    both = runs_of_sine(lambda x: until(scanned(x)), X)
    assert set(both) == {Runs(7), Runs(1, is_in_unknown_loop=True)}


def test_calls_and_branches() -> None:
    @partial(jax.jit, inline=False)
    def called(x):
        return jnp.sin(x)

    def thrice(x):
        return jax.lax.fori_loop(0, 2, lambda _, value: called(value), called(x))

    def branch(x, flag):
        return jax.lax.cond(flag, jnp.sin, jnp.cos, x)

    assert runs_of_sine(thrice, X) == [Runs(3)]
    flag = jax.ShapeDtypeStruct((), bool)
    assert runs_of_sine(branch, X, flag) == [Runs(1, is_in_branch=True)]
