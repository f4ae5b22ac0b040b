"""`constrain` and `attach`: the ops they make, under JAX's transformations, and errors."""

from __future__ import annotations

import re
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.shard_alike import shard_alike
from jax.sharding import AbstractMesh
from jax.sharding import PartitionSpec as P

from sdykit.bridge.from_jax import lower
from sdykit.bridge.sharding_api import BridgeError, attach, constrain, group

MESH = AbstractMesh((4, 2), ("data", "model"))
X = jax.ShapeDtypeStruct((16, 8), jnp.float32)

Fn = Callable[[jax.Array], jax.Array]


def body(fn: Fn) -> list[str]:
    """Lower `fn` and return the lines of its function, without the values' types."""
    lines = lower(fn, X, mesh=MESH).partition("{jax.result_info")[2].splitlines()[1:-2]
    return [line.strip().partition(" : ")[0] for line in lines]


def test_constrain_holds_for_the_uses_of_its_result() -> None:
    assert body(lambda x: jnp.sin(constrain(x, '[{"data", ?}p1, {?}]'))) == [
        '%0 = sdy.sharding_constraint %arg0 <@mesh, [{"data", ?}p1, {?}]>',
        "%1 = stablehlo.sine %0",
        "return %1",
    ]


def test_attach_makes_a_constraint_that_the_rest_depends_on() -> None:
    assert body(lambda x: jnp.sin(attach(x, '[{"data", ?}, {}]'))) == [
        '%0 = sdy.sharding_constraint %arg0 <@mesh, [{"data", ?}, {}]>',
        "%1 = stablehlo.sine %0",
        "return %1",
    ]


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (P(), "[{}, {}]"),
        (P("data"), '[{"data"}, {}]'),
        (P(None, ("model", "data")), '[{}, {"model", "data"}]'),
        (P("data", P.UNCONSTRAINED), '[{"data"}, {?}]'),
    ],
)
def test_attach_takes_specs(spec: P, text: str) -> None:
    assert body(lambda x: attach(x, spec))[0].endswith(f"<@mesh, {text}>")


@pytest.mark.parametrize(
    "text",
    [
        '[{"data":(2)2, ?}, {"model"}p0]',
        '[{?}, {}], replicated={"data"}',
    ],
)
def test_text_arrives_unchanged(text: str) -> None:
    assert body(lambda x: constrain(x, text))[0].endswith(f"<@mesh, {text}>")


def test_the_mesh_may_be_given_in_place() -> None:
    other = AbstractMesh((8,), ("x",))
    assert 'sdy.mesh @mesh = <["x"=8]>' in lower(lambda x: constrain(x, '[{"x", ?}, {}]', other), X)


def test_vmap_opens_the_mapped_dimension() -> None:
    def fn(x: jax.Array) -> jax.Array:
        return jax.vmap(lambda row: constrain(row, '[{"data"}]'), in_axes=1, out_axes=1)(x)

    assert body(fn)[0].endswith('<@mesh, [{"data"}, {?}]>')


def test_gradients_are_constrained_alike() -> None:
    lines = body(jax.grad(lambda x: jnp.sum(constrain(x * 2, '[{"data", ?}, {}]') ** 2)))
    assert sum('<@mesh, [{"data", ?}, {}]>' in line for line in lines) == 2


def test_free_axes_can_be_used_in_a_manual_region() -> None:
    def fn(x: jax.Array) -> jax.Array:
        return jax.shard_map(
            lambda part: constrain(part, '[{?}, {"model"}]'),
            in_specs=P("data"),
            out_specs=P("data"),
            axis_names={"data"},
        )(x)

    assert any(
        line.endswith('sdy.sharding_constraint %arg1 <@mesh, [{?}, {"model"}]>')
        for line in body(fn)
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[{"dat"}, {}]', 'unknown axis name: "dat"'),
        ('[{"data"}]', "sharding doesn't match tensor rank: 1 != 2"),
        ('[{"data"}, {"data"}]', 'duplicate axis ref: "data"'),
        ("[{data}, {}]", "expected string"),
        ("[{}p1, {?}]", "dim 0 is empty and closed but has a priority"),
        ('[{"data"} {?}]', "expected ']'"),
        ('[{"data"}, {?}] x', "expected '>'"),
    ],
)
def test_malformed_text_is_refused_with_the_error_of_mlir(text: str, reason: str) -> None:
    expected = f"sharding {text!r} of a tensor of shape (16, 8) on mesh {{'data': 4, 'model': 2}}"
    with pytest.raises(BridgeError, match=re.escape(f"{expected}: {reason}")):
        body(lambda x: constrain(x, text))


@pytest.mark.parametrize("text", ['{"data"}', '[{"data"}, {', "", 3, None])
def test_text_that_is_not_a_sharding_is_refused(text: str) -> None:
    expected = f"""sharding {text!r}: expected sdy's syntax, such as '[{{"data", ?}}p1, {{}}]'"""
    with pytest.raises(BridgeError, match=re.escape(expected)):
        body(lambda x: constrain(x, text))


def test_constrain_refuses_a_spec() -> None:
    with pytest.raises(BridgeError, match=re.escape("write jax.lax.with_sharding_constraint(x")):
        body(lambda x: constrain(x, P("data")))  # pyright: ignore[reportArgumentType]


def test_a_spec_longer_than_the_shape_is_refused() -> None:
    expected = "P('data', None, None) has 3 entries; expected at most 2, the rank of the array"
    with pytest.raises(BridgeError, match=re.escape(expected)):
        body(lambda x: attach(x, P("data", None, None)))


def test_reduced_axes_are_refused() -> None:
    expected = (
        "P('data', reduced={'model'}) has reduced axes, which only types of arrays on explicit axes"
        " have; expected a spec without them"
    )
    with pytest.raises(BridgeError, match=re.escape(expected)):
        body(lambda x: attach(x, P("data", reduced=frozenset({"model"}))))


@pytest.mark.parametrize(
    "demand", [P(unreduced=frozenset({"model"})), '[{}, {}], unreduced={"model"}']
)
def test_unreduced_axes_that_the_type_lacks_are_refused(demand: P | str) -> None:
    expected = (
        """sharding '[{}, {}], unreduced={"model"}' of an array of type float32[16,8]:"""
        " unreduced={'model'}: its parts are no summands along 'model', and would be summed as if"
        " they were. Leave unreduced out; an array is unreduced by its type only, on explicit axes,"
        " such as the result of jnp.dot(x, w, out_sharding=P(unreduced={'model'}))"
    )
    with pytest.raises(BridgeError, match=re.escape(expected)):
        body(lambda x: attach(x, demand))


def test_another_mesh_than_that_in_context_is_refused() -> None:
    expected = (
        "mesh has axes {'x': 8}, but the mesh in context has {'data': 4, 'model': 2}; a program has"
        " one mesh: leave mesh= out"
    )
    with pytest.raises(BridgeError, match=re.escape(expected)):
        body(lambda x: constrain(x, '[{"x"}, {}]', AbstractMesh((8,), ("x",))))


def test_manual_axes_are_refused() -> None:
    def fn(x: jax.Array) -> jax.Array:
        return jax.shard_map(
            lambda part: attach(part, '[{"data"}, {}]'),
            in_specs=P("data"),
            out_specs=P("data"),
            axis_names={"data"},
        )(x)

    expected = "axis 'data' is manual in this region; free axes are ['model']"
    with pytest.raises(BridgeError, match=re.escape(expected)):
        body(fn)


def test_a_missing_mesh_is_an_error() -> None:
    with pytest.raises(BridgeError, match="a mesh is needed"):
        lower(lambda x: constrain(x, "[{}, {}]"), X)


def groups(fn: Callable[..., object], *args: jax.ShapeDtypeStruct) -> list[tuple[str, int]]:
    """Lower `fn` and return the value and id of each `sdy.sharding_group`."""
    found = re.findall(r"sdy.sharding_group (\S+) group_id=(\d+)", lower(fn, *args, mesh=MESH))
    return [(value, int(number)) for value, number in found]


def test_groups_of_one_shape_stay_apart() -> None:
    def fn(a: jax.Array, b: jax.Array, c: jax.Array, d: jax.Array, e: jax.Array) -> object:
        return group(a, b), group(c, d, e)

    expected = [("%arg0", 0), ("%arg1", 0), ("%arg2", 1), ("%arg3", 1), ("%arg4", 1)]
    assert groups(fn, X, X, X, X, X) == expected


def test_jaxs_shard_alike_does_not_keep_them_apart() -> None:
    """The reason for `group`; if this fails, JAX has been fixed."""

    def fn(a: jax.Array, b: jax.Array, c: jax.Array, d: jax.Array) -> object:
        return shard_alike(a, b), shard_alike(c, d)

    assert [number for _, number in groups(fn, X, X, X, X)] == [0, 0, 0, 0]


def test_a_group_may_have_several_dtypes() -> None:
    whole = jax.ShapeDtypeStruct((16, 8), jnp.int32)
    assert groups(group, X, whole) == [("%arg0", 0), ("%arg1", 0)]


def test_gradients_join_the_group() -> None:
    def fn(x: jax.Array, y: jax.Array) -> jax.Array:
        a, b = group(x * 2, y)
        return jnp.sum(a * a) + jnp.sum(b * b)

    assert [number for _, number in groups(jax.grad(fn, (0, 1)), X, X)] == [0] * 4


def test_a_gradient_that_is_zero_joins_no_group() -> None:
    found = groups(jax.grad(lambda x, y: jnp.sum(group(x, y)[0] ** 2)), X, X)
    assert [number for _, number in found] == [0] * 3


def test_vmap_of_a_group_groups_the_mapped_arrays() -> None:
    def fn(x: jax.Array, row: jax.Array) -> object:
        return jax.vmap(lambda x: group(x, row), in_axes=1)(x)

    text = lower(fn, X, jax.ShapeDtypeStruct((16,), jnp.float32))
    assert text.count("group_id=0 : tensor<8x16xf32>") == 2


@pytest.mark.parametrize("shapes", [[], [(2,)], [(2,), (3,)]])
def test_a_group_needs_arrays_of_one_shape(shapes: list[tuple[int, ...]]) -> None:
    expected = f"group takes two or more arrays of one shape, found shapes {shapes}"
    with pytest.raises(BridgeError, match=re.escape(expected)):
        group(*map(jnp.zeros, shapes))


def test_a_group_outside_tracing_changes_nothing() -> None:
    a, b = group(jnp.arange(3), jnp.ones(3))
    np.testing.assert_array_equal(a, [0, 1, 2])
    np.testing.assert_array_equal(b, [1, 1, 1])
