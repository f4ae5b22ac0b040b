"""`attach` and `constrain` on eight devices: the values, and how the results are sharded."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jax.sharding import AbstractMesh
from jax.sharding import PartitionSpec as P

from sdykit.bridge.from_jax import BridgeError, attach, constrain, lower
from support.bridge.eight_devices import (
    AUTOMATIC,
    EXPLICIT,
    MIXED,
    A,
    W,
    assert_array,
    local_shapes,
    names,
    on,
    run,
    spec,
)

Api = Callable[..., jax.Array]
both = pytest.mark.parametrize("api", [attach, constrain])


@both
@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ('[{"data"}, {}]', ("data", None)),
        ('[{}, {"data"}]', (None, "data")),
        ('[{"model"}, {"data"}]', ("model", "data")),
        ('[{"data", "model"}, {}]', (("data", "model"), None)),
        ('[{"data", ?}p1, {"model", ?}]', ("data", "model")),
        ('[{?}, {?}], replicated={"data"}', (None, None)),
    ],
)
def test_the_result_is_sharded_as_demanded(api: Api, text: str, entries: tuple[Any, ...]) -> None:
    assert_array(run(lambda a, w: api(a @ w, text), A, W), A @ W, *entries)


@pytest.mark.parametrize("args", [(A, W), (on(AUTOMATIC, A, None, "model"), on(AUTOMATIC, W))])
def test_attach_of_a_spec_takes_effect(args: tuple[Any, Any]) -> None:
    assert_array(run(lambda a, w: attach(a @ w, P("data", None)), *args), A @ W, "data", None)


def test_attach_takes_open_dimensions_of_specs() -> None:
    def fn(a: jax.Array) -> jax.Array:
        return attach(constrain(jnp.sin(a), '[{}, {"model"}]'), P("data", P.UNCONSTRAINED))

    assert_array(run(fn, A), np.sin(A), "data", "model")


@pytest.mark.parametrize(("first", "second"), [(0, 1), (1, 0)])
def test_the_lower_priority_goes_first(first: int, second: int) -> None:
    """Both want `data`; the sum can have it once."""

    def fn(a: jax.Array) -> jax.Array:
        rows = constrain(jnp.sin(a), f'[{{"data", ?}}p{first}, {{?}}]')
        columns = constrain(jnp.cos(a), f'[{{?}}, {{"data", ?}}p{second}]')
        return rows + columns

    entries = ("data", None) if first < second else (None, "data")
    assert_array(run(fn, A), np.sin(A) + np.cos(A), *entries)


@pytest.mark.parametrize("part", ['"data":(1)2', '"data":(2)2'])
def test_a_part_of_an_axis_holds_inside_a_program(part: str) -> None:
    def fn(a: jax.Array) -> jax.Array:
        return jnp.sin(constrain(a * 2, f"[{{{part}}}, {{}}]"))

    assert local_shapes(fn, "sine", A) == {"f32[8,8]"}
    assert_array(run(fn, A), np.sin(A * 2), None, None)  # Arrays have no such sharding.


def test_one_array_may_be_constrained_twice_for_different_uses() -> None:
    def fn(a: jax.Array) -> tuple[jax.Array, jax.Array]:
        a = jnp.sin(a)
        return constrain(a, '[{"data"}, {}]') * 2, constrain(a, '[{}, {"data"}]') * 3

    rows, columns = run(fn, A)
    assert_array(rows, np.sin(A) * 2, "data", None)
    assert_array(columns, np.sin(A) * 3, None, "data")


@both
def test_gradients_are_sharded_alike(api: Api) -> None:
    gradient = run(jax.grad(lambda a: jnp.sum(api(a, '[{"data"}, {"model"}]') ** 3)), A)
    assert_array(gradient, 3 * A**2, "data", "model")


def test_linearized_and_rematerialized() -> None:
    def fn(a: jax.Array) -> jax.Array:
        return jnp.sum(jnp.sin(attach(jnp.sin(a), P("data"))))

    wanted = np.cos(np.sin(A)) * np.cos(A)
    assert_array(run(jax.grad(jax.checkpoint(fn)), A), wanted, "data", None)
    _, tangent = run(lambda a: jax.jvp(lambda a: attach(a * 2, P("data")), (a,), (a,)), A)
    assert_array(tangent, A * 2, "data", None)


@pytest.mark.parametrize("at", [0, 1])
def test_vmap_leaves_the_mapped_dimension_to_propagation(at: int) -> None:
    def fn(a: jax.Array) -> jax.Array:
        mapped = jax.vmap(lambda row: constrain(row * 2, '[{"data"}]'), in_axes=at, out_axes=at)
        return mapped(constrain(a, '[{?}, {"model", ?}]' if at else '[{"model", ?}, {?}]'))

    assert_array(run(fn, A), A * 2, *(("data", "model") if at else ("model", "data")))


def test_vmap_with_a_name_shards_the_mapped_dimension() -> None:
    def fn(a: jax.Array) -> jax.Array:
        mapped = jax.vmap(lambda row: constrain(row * 2, '[{"model"}]'), spmd_axis_name="data")
        return mapped(a)

    assert_array(run(fn, A), A * 2, "data", "model")


@pytest.mark.parametrize(
    ("name", "reason"),
    [("model", "a constraint inside has that axis"), ("rows", "the mesh has no such axis")],
)
def test_vmap_with_a_name_that_does_not_fit_is_refused(name: str, reason: str) -> None:
    expected = (
        f"jax.vmap with spmd_axis_name '{name}' of sharding [{{\"model\"}}]: {reason}; the mesh has"
        " ['data', 'model']"
    )
    with pytest.raises(BridgeError, match=re.escape(expected)):
        run(jax.vmap(lambda row: constrain(row, '[{"model"}]'), spmd_axis_name=name), A)


@both
def test_in_loops_and_branches(api: Api) -> None:
    def fn(a: jax.Array) -> jax.Array:
        def step(carried: jax.Array, _: None) -> tuple[jax.Array, jax.Array]:
            carried = api(carried * 2, '[{"data"}, {}]')
            return carried, carried[0]

        looped = jax.lax.scan(step, a, None, length=3)[0]
        return jax.lax.cond(a[0, 0] < 0, lambda: api(looped, '[{}, {"model"}]'), lambda: looped)

    result = run(fn, A)
    np.testing.assert_allclose(np.asarray(result), A * 8)
    assert set(spec(result)) - {None}


def test_of_the_carried_value_of_a_loop() -> None:
    def fn(a: jax.Array) -> jax.Array:
        return jax.lax.fori_loop(0, 3, lambda _, a: attach(a, P("data")) + 1, a)

    assert_array(run(fn, A), A + 3, "data", None)


@both
def test_in_a_manual_region_with_free_axes(api: Api) -> None:
    def fn(a: jax.Array) -> jax.Array:
        def on_device(part: jax.Array) -> jax.Array:
            return api(part * 2 + jax.lax.axis_index("data"), '[{}, {"model"}]')

        return jax.shard_map(
            on_device, in_specs=P("data"), out_specs=P("data"), axis_names={"data"}
        )(a)

    assert_array(run(fn, A), A * 2 + np.repeat(np.arange(4), 4)[:, None], "data", "model")


@both
def test_in_a_region_that_is_manual_along_all_axes(api: Api) -> None:
    def fn(a: jax.Array, text: str) -> jax.Array:
        return jax.shard_map(
            lambda part: api(part * 2, text, AUTOMATIC), in_specs=P("data"), out_specs=P("data")
        )(a)

    assert_array(run(lambda a: fn(a, "[{}, {}]"), A), A * 2, "data", None)
    expected = "axis 'model' is manual in this region; free axes are []"
    with pytest.raises(BridgeError, match=re.escape(expected)):
        run(lambda a: fn(a, '[{}, {"model"}]'), A)


# Explicit axes.


@both
@pytest.mark.parametrize(
    "text",
    [
        '[{"data"}, {}]',
        "[{?}, {?}]",
        '[{"data", ?}p1, {?}]',
        '[{"data"}, {}], replicated={"model"}',
    ],
)
def test_what_agrees_with_the_type_is_kept(api: Api, text: str) -> None:
    def fn(a: jax.Array, w: jax.Array) -> jax.Array:
        product = api(a @ w, text)
        assert str(jax.typeof(product)) == "float32[16@data,4]"
        return product

    assert_array(
        run(fn, on(EXPLICIT, A, "data"), on(EXPLICIT, W), mesh=EXPLICIT), A @ W, "data", None
    )


@both
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[{}, {}]", "dimension 0 is sharded along 'data' by the type, found {}"),
        ('[{"model"}, {}]', """dimension 0 is sharded along 'data' by the type, found {"model"}"""),
        (
            '[{"data", "model"}, {}]',
            """dimension 0 is sharded along 'data' by the type, found {"data", "model"}""",
        ),
        (
            '[{?}, {"model", ?}]',
            'dimension 1 is sharded along no explicit axis by the type, found {"model", ?}',
        ),
        (
            '[{"data":(1)2}, {}]',
            """dimension 0 is sharded along 'data' by the type, found {"data":(1)2}""",
        ),
        ('[{?}, {?}], replicated={"data"}', "replicated={'data'}"),
    ],
)
def test_what_contradicts_the_type_is_refused(api: Api, text: str, reason: str) -> None:
    expected = (
        f"sharding {text!r} of an array of type float32[16@data,8]: {reason}: constraints cannot"
        " change the type; jax.sharding.reshard(x, P(...)) does"
    )
    with pytest.raises(BridgeError, match=re.escape(expected)):
        run(lambda a: api(a, text), on(EXPLICIT, A, "data"), mesh=EXPLICIT)


@both
def test_explicit_axes_are_added_to_constraints_of_the_others(api: Api) -> None:
    a = on(MIXED, A, "data")
    for text in ('[{}, {"model"}]', '[{"data"}, {"model"}]', '[{?}, {"model", ?}]'):
        result = run(lambda a, text=text: api(jnp.sin(a), text), a, mesh=MIXED)
        assert_array(result, np.sin(A), "data", "model")
    assert_array(
        run(lambda a: api(a, '[{"model"}, {}]'), a, mesh=MIXED), A, ("data", "model"), None
    )


def test_an_explicit_axis_elsewhere_is_refused() -> None:
    expected = 'dimension 1 is sharded along no explicit axis by the type, found {"data"}'
    with pytest.raises(BridgeError, match=re.escape(expected)):
        run(lambda a: constrain(a, '[{?}, {"data"}]'), on(MIXED, A, "data"), mesh=MIXED)


def test_gradients_and_vmap_on_explicit_axes() -> None:
    def fn(a: jax.Array) -> jax.Array:
        return jnp.sum(jax.vmap(lambda row: constrain(row, '[{"model"}]') ** 2)(a))

    a = on(MIXED, A, "data")
    gradient = run(jax.grad(fn), a, mesh=MIXED)
    assert_array(gradient, 2 * A, "data", "model")
    assert str(jax.typeof(gradient)) == str(jax.typeof(a))


def test_an_array_unreduced_by_its_type_stays_so() -> None:
    def fn(a: jax.Array, w: jax.Array, text: str) -> jax.Array:
        product = jnp.dot(a, w, out_sharding=P("data", unreduced=frozenset({"model"})))
        return jax.sharding.reshard(constrain(product, text), P("data"))

    a, w = on(EXPLICIT, A, "data", "model"), on(EXPLICIT, W, "model")
    for text in ('[{"data"}, {}]', '[{"data"}, {}], unreduced={"model"}'):
        result = run(lambda a, w, text=text: fn(a, w, text), a, w, mesh=EXPLICIT)
        assert_array(result, A @ W, "data", None)


@pytest.mark.parametrize("mesh", [AUTOMATIC, EXPLICIT])
def test_unreduced_axes_that_would_sum_twice_are_refused(mesh: Any) -> None:
    with pytest.raises(
        BridgeError, match=re.escape("unreduced={'model'}: its parts are no summands")
    ):
        run(lambda a: constrain(a, '[{}, {}], unreduced={"model"}'), on(mesh, A), mesh=mesh)


# Which devices.


@both
def test_a_mesh_in_place_gives_the_program_its_devices(api: Api) -> None:
    assert_array(jax.jit(lambda a: api(a * 2, '[{"data"}, {}]', AUTOMATIC))(A), A * 2, "data", None)
    gradient = jax.grad(lambda a: jnp.sum(api(a, '[{"data"}, {}]', AUTOMATIC) ** 2))(jnp.asarray(A))
    np.testing.assert_allclose(np.asarray(gradient), 2 * A)


def test_without_context_the_mesh_of_the_type_is_used() -> None:
    a = on(EXPLICIT, A, "data")
    assert_array(jax.jit(lambda a: constrain(a * 2, '[{"data"}, {}]'))(a), A * 2, "data", None)


def test_a_program_on_fewer_devices_is_refused() -> None:
    abstract = AbstractMesh((4, 2), ("data", "model"))
    expected = (
        """sharding [{"data"}, {}] is on a mesh of 8 devices, {'data': 4, 'model': 2}, but the"""
        " program runs on 1: enter the mesh with jax.set_mesh(mesh), pass a jax.sharding.Mesh as"
        " mesh=, or put the arguments on its devices with jax.device_put(x, NamedSharding(mesh,"
        " P())); to read the program without them, sdykit.bridge.from_jax.lower(fn, ..., mesh=mesh)"
    )
    fn = jax.jit(lambda a: constrain(a, '[{"data"}, {}]', abstract))
    assert "sdy.sharding_constraint" in lower(fn, A)
    with pytest.raises(BridgeError, match=re.escape(expected)):
        fn(A)
    assert_array(fn(on(AUTOMATIC, A)), A, "data", None)


def test_no_mesh_is_refused() -> None:
    with pytest.raises(
        BridgeError, match=re.escape("pass mesh=, enter one with jax.set_mesh(mesh)")
    ):
        jax.jit(lambda a: constrain(a, "[{}, {}]"))(A)


# Outside tracing.


@both
def test_outside_tracing_the_array_is_moved(api: Api) -> None:
    assert_array(api(jnp.asarray(A), '[{"data"}, {"model"}]', AUTOMATIC), A, "data", "model")
    with jax.set_mesh(AUTOMATIC):
        assert_array(api(A, '[{}, {"data"}]'), A, None, "data")
    assert_array(api(on(MIXED, A, "data"), '[{?}, {"model"}]'), A, "data", "model")
    with jax.disable_jit():
        assert_array(jax.jit(lambda a: api(a, '[{"data"}, {}]', AUTOMATIC))(A), A, "data", None)


@pytest.mark.parametrize(
    ("shape", "text"), [((15, 8), '[{"data"}, {}]'), ((16, 8), '[{"data":(1)2}, {}]')]
)
def test_outside_tracing_what_arrays_cannot_have_is_refused(
    shape: tuple[int, int], text: str
) -> None:
    expected = (
        f"sharding {text!r} of an array of shape {shape} on mesh {{'data': 4, 'model': 2}}: outside"
        " tracing, axes must be whole and divide their dimension, since arrays have no other"
        " shardings; constrain inside a jitted function"
    )
    with pytest.raises(BridgeError, match=re.escape(expected)):
        constrain(jnp.zeros(shape), text, AUTOMATIC)


def test_inside_a_program_axes_need_not_divide() -> None:
    def fn(a: jax.Array) -> jax.Array:
        return jnp.sin(constrain(a[:15] * 2, '[{"data"}, {}]'))

    assert local_shapes(fn, "sine", A) == {"f32[4,8]"}
    assert_array(run(fn, A), np.sin(A[:15] * 2), None, None)


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_random_shardings(data: st.DataObject) -> None:
    """Axes in any order and place, on shapes that they divide: values stay, shards are as demanded."""
    axes = data.draw(st.permutations(["data", "model"]))
    count = data.draw(st.integers(0, 2))
    dims: list[list[str]] = [[], [], []]
    for axis in axes[:count]:
        dims[data.draw(st.integers(0, 2))].append(axis)
    array = np.random.default_rng(0).normal(size=(8, 16, 8)).astype(np.float32)
    text = f"[{', '.join('{' + names(dim) + '}' for dim in dims)}]"
    api = data.draw(st.sampled_from([attach, constrain]))
    wanted = [None if not dim else dim[0] if len(dim) == 1 else tuple(dim) for dim in dims]
    assert_array(run(lambda x: api(x * 2, text), array), array * 2, *wanted)
