"""`with_sharding_rule` on eight devices: what XLA makes of the rule of a custom call that runs."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sdykit.bridge import ffi
from sdykit.bridge.from_jax import constrain, with_sharding_rule
from support.bridge.eight_devices import AUTOMATIC, MIXED, A, assert_array, on, run

DOUBLE = """
func.func @double(%x: memref<16x8xf32>, %y: memref<16x8xf32>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  scf.parallel (%i) = (%c0) to (%c16) step (%c1) {
    scf.for %j = %c0 to %c8 step %c1 {
      %v = memref.load %x[%i, %j] : memref<16x8xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %y[%i, %j] : memref<16x8xf32>
    }
  }
  return
}
"""
RULE = "([i, j])->([i, j]) {i=16, j=8}"


def double(x: jax.Array) -> jax.Array:
    return ffi.call(DOUBLE, [x], [jax.ShapeDtypeStruct((16, 8), jnp.float32)])[0]


def rows_only(_: Any, rule: Any) -> None:
    rule.same(0, 16)
    rule.same(1, 8, "need_replication", blocked=True)


def test_without_a_rule_no_sharding_passes() -> None:
    def fn(a: jax.Array) -> jax.Array:
        return double(constrain(a, '[{"data"}, {"model"}]'))

    assert_array(run(fn, A), A * 2, None, None)


@pytest.mark.parametrize(("rule", "columns"), [(RULE, "model"), (rows_only, None)])
def test_a_rule_lets_it_pass(rule: Any, columns: str | None) -> None:
    def fn(a: jax.Array) -> jax.Array:
        return with_sharding_rule(double, rule)(constrain(a, '[{"data"}, {"model"}]'))

    assert_array(run(fn, A), A * 2, "data", columns)


def test_in_a_loop() -> None:
    def fn(a: jax.Array) -> jax.Array:
        def step(carried: jax.Array, _: None) -> tuple[jax.Array, None]:
            return with_sharding_rule(double, RULE)(carried), None

        return jax.lax.scan(step, constrain(a, '[{"data"}, {}]'), None, length=3)[0]

    assert_array(run(fn, A), A * 8, "data", None)


def test_gradients_are_those_of_the_call() -> None:
    @jax.custom_vjp
    def linear(x: jax.Array) -> jax.Array:
        return double(x)

    linear.defvjp(lambda x: (double(x), None), lambda _, cotangent: (double(cotangent),))

    def fn(a: jax.Array) -> jax.Array:
        return jnp.sum(with_sharding_rule(linear, RULE)(constrain(a, '[{"data"}, {}]')) ** 2)

    gradient = run(jax.grad(fn), A)
    np.testing.assert_allclose(np.asarray(gradient), 8 * A)


def test_beside_an_explicit_axis() -> None:
    """The call has explicit types of its own; the rule is for the axes beside them."""
    a = on(MIXED, A)
    rule = with_sharding_rule(double, RULE)
    assert_array(
        run(lambda a: rule(constrain(a, '[{}, {"model"}]')), a, mesh=MIXED), A * 2, None, "model"
    )


def test_outside_tracing_the_call_runs() -> None:
    np.testing.assert_array_equal(with_sharding_rule(double, RULE)(jnp.asarray(A)), A * 2)
    assert_array(with_sharding_rule(double, RULE)(on(AUTOMATIC, A)), A * 2, None, None)
