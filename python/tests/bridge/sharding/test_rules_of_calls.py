"""`with_sharding_rule` and `group`: what is lowered, what propagation makes of it, and their errors."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import AbstractMesh
from jax.sharding import PartitionSpec as P

from sdykit.bridge.errors import BridgeError
from sdykit.bridge.from_jax import group, lower, with_sharding_rule
from sdykit.explain import explain_text

MESH = AbstractMesh((4, 2), ("data", "model"))
RULE = "([i, j])->([i, j]) {i=8, j=16} need_replication={j}"
X = jax.ShapeDtypeStruct((8, 16), jnp.float32)


def softmax(x: jax.Array) -> jax.Array:
    result = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return jax.ffi.ffi_call("last_softmax", result, vmap_method="broadcast_all")(x)


def lowered(fn: Any) -> str:
    return lower(fn, X, in_shardings=(P("data", "model"),), mesh=MESH)


def final_axes(text: str) -> list[list[str]]:
    """Return the axes of the dimensions of the result, after propagation."""
    (result,) = (each for each in explain_text(text).tensors if each.kind == "result")
    return [] if result.final is None else [list(dim.axes) for dim in result.final.dims]


def by_function(op: Any, rule: Any) -> None:
    rule.same(0, 8)


@pytest.mark.parametrize("rule", [RULE, by_function])
def test_a_rule_lets_shardings_pass_a_custom_call(rule: Any) -> None:
    plain = lowered(lambda x: softmax(x) + 1)
    assert "sdy.sharding_rule" not in plain
    assert final_axes(plain) == []
    text = lowered(lambda x: with_sharding_rule(softmax, rule)(x) + 1)
    assert "sdy.sharding_rule = #sdy.op_sharding_rule<" in text
    assert final_axes(text)[0] == ["data"]


@pytest.mark.parametrize(
    ("call", "rule", "message"),
    [
        (
            jnp.sin,
            RULE,
            "expected a function that returns the results of one custom call.* found stablehlo.sine",
        ),
        (lambda _: None, RULE, "results of one custom call.* found a function without results"),
        (softmax, "([i])->([i]) {i=8}", "sharding rule .* of custom call 'last_softmax'"),
        (softmax, "([i, j)", "sharding rule .* of custom call 'last_softmax'"),
        (softmax, 3, "takes a function that makes a custom call and a rule"),
    ],
)
def test_rules_that_do_not_fit_are_errors(call: Any, rule: Any, message: str) -> None:
    with pytest.raises(BridgeError, match=message):
        lowered(with_sharding_rule(call, rule))


def test_a_mapped_call_needs_a_rule_of_its_own() -> None:
    call = with_sharding_rule(softmax, RULE)
    with pytest.raises(BridgeError, match=r"write with_sharding_rule\(jax.vmap\(call\), rule\)"):
        lowered(lambda x: jax.vmap(call)(x[None])[0])


def test_groups_are_sharded_alike() -> None:
    def fn(x: jax.Array) -> jax.Array:
        _, other = group(x, jnp.ones_like(x) * 2)
        return other

    assert final_axes(lowered(fn)) == [["data"], ["model"]]
