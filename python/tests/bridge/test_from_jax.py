"""`lower`: shardings of arguments and results, meshes without devices, error texts."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AbstractMesh, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from sdykit.bridge.from_jax import BridgeError, attach, constrain, group, lower
from sdykit.errors import SdykitError
from sdykit.mlir import FuncOp, ir, make_context

MESH = AbstractMesh((4, 2), ("data", "model"))
X = jax.ShapeDtypeStruct((16, 8), jnp.float32)
ON_MESH = partial(lower, mesh=MESH)


def signature(text: str) -> tuple[list[str], list[str]]:
    """Return the sharding of each argument and result of `@main`, '' if it has none."""
    found = []
    with make_context():
        module = ir.Module.parse(text)
        main = next(op for op in module.body if str(op.attributes["sym_name"]) == '"main"')
        assert isinstance(main, FuncOp)
        for attributes in (main.arg_attrs, ir.ArrayAttr(main.result_attrs)):
            entries = [ir.DictAttr(entry) for entry in attributes]
            shardings = [str(e["sdy.sharding"]) if "sdy.sharding" in e else "" for e in entries]
            found.append([text.removeprefix("#sdy.sharding") for text in shardings])
    return found[0], found[1]


def add_one(x: jax.Array) -> jax.Array:
    return x + 1


def test_arguments_and_results_carry_their_specs() -> None:
    text = ON_MESH(
        lambda x, w: (x @ w, x),
        X,
        jax.ShapeDtypeStruct((8, 32), jnp.float32),
        in_shardings=(P("data", None), P(None, "model")),
        out_shardings=(P("data", "model"), None),
    )
    assert signature(text) == (
        ['<@mesh, [{"data"}, {}]>', '<@mesh, [{}, {"model"}]>'],
        ['<@mesh, [{"data"}, {"model"}]>', ""],
    )
    assert 'sdy.mesh @mesh = <["data"=4, "model"=2]>' in text


def test_a_tree_takes_a_tree_or_a_prefix_of_one() -> None:
    params = {"a": X, "b": [X, X]}
    specs = {"a": P("model"), "b": P(None, "data")}
    text = ON_MESH(lambda p: jax.tree.map(jnp.sin, p), params, in_shardings=(specs,))
    assert signature(text)[0] == [
        '<@mesh, [{"model"}, {}]>',
        '<@mesh, [{}, {"data"}]>',
        '<@mesh, [{}, {"data"}]>',
    ]


def test_text_expresses_what_a_spec_cannot() -> None:
    text = ON_MESH(
        lambda p, x: (p["w"] + x, x),
        {"unused": X, "w": X},
        X,
        in_shardings=({"unused": None, "w": '[{"data", ?}p1, {?}p2]'}, P("model")),
        out_shardings=('[{}, {"data":(1)2}], replicated={"model"}', None),
    )
    assert signature(text) == (
        ["", '<@mesh, [{"data", ?}p1, {?}p2]>', '<@mesh, [{"model"}, {}]>'],
        ['<@mesh, [{}, {"data":(1)2}], replicated={"model"}>', ""],
    )
    assert text.count("sdy.mesh @") == 1


def test_arguments_that_jax_adds_have_no_shardings() -> None:
    def fn(x: jax.Array, y: jax.Array) -> jax.Array:
        jax.debug.print("{}", x[0, 0], ordered=True)
        return x + y

    text = ON_MESH(fn, X, X, in_shardings=('[{?}, {"data", ?}]', None), out_shardings="[{?}, {?}]")
    arguments, results = signature(text)
    assert arguments[-2:] == ['<@mesh, [{?}, {"data", ?}]>', ""]
    assert results[-1] == "<@mesh, [{?}, {?}]>"
    assert len(arguments) == 3


def test_text_needs_no_other_sharding() -> None:
    text = ON_MESH(add_one, X, in_shardings='[{"data", ?}, {}]')
    assert signature(text)[0] == ['<@mesh, [{"data", ?}, {}]>']
    assert 'sdy.mesh @mesh = <["data"=4, "model"=2]> {stablehlo.mesh' in text


@pytest.mark.parametrize("shardings", [None, P("data"), '[{"data"}, {}]'])
def test_the_module_is_for_all_devices_of_the_mesh(shardings: Any) -> None:
    text = ON_MESH(add_one, X, in_shardings=shardings)
    assert text.startswith("module @jit_add_one attributes {mhlo.num_partitions = 8 : i32,")
    assert "mhlo.num_partitions = 1 " in lower(add_one, X)


def test_locations_stay_with_text_shardings() -> None:
    text = ON_MESH(add_one, X, in_shardings='[{"data", ?}, {}]', debuginfo=True)
    assert re.search(r'"jit\(add_one\)/add"', text)
    assert "test_from_jax.py" in text


def test_constraints_in_the_function_use_the_mesh() -> None:
    def fn(x: jax.Array) -> jax.Array:
        y = jax.lax.with_sharding_constraint(jnp.sin(x), P("data", P.UNCONSTRAINED))
        return jax.shard_map(
            lambda part: part * 2, in_specs=P("data"), out_specs=P("data"), axis_names={"data"}
        )(y)

    text = ON_MESH(fn, X)
    assert '<@mesh, [{"data"}, {?}]> : tensor<16x8xf32>' in text
    assert 'manual_axes={"data"} (%arg1: tensor<4x8xf32>)' in text


def test_groups_are_numbered_from_zero_each_time() -> None:
    def fn(x: jax.Array, y: jax.Array) -> tuple[jax.Array, jax.Array]:
        x, y = group(jnp.sin(x), y)
        x, y = group(x, jnp.cos(y))
        return x, y

    text = lower(fn, X, X)
    assert re.findall(r"sdy.sharding_group \S+ group_id=(\d+)", text) == ["0", "0", "1", "1"]
    assert lower(fn, X, X) == text


def test_attach_and_constrain_are_reexported() -> None:
    def fn(x: jax.Array) -> jax.Array:
        return constrain(attach(jnp.sin(x), P("data")), '[{"data", ?}, {?}]')

    text = ON_MESH(fn, X)
    assert text.count("sdy.sharding_constraint") == 2


def test_arrays_on_a_device_stand_for_their_shape() -> None:
    array = jax.device_put(jnp.ones((16, 8)), jax.devices()[0])
    text = ON_MESH(add_one, array, in_shardings=P("data"))
    assert text == ON_MESH(add_one, np.ones((16, 8), np.float32), in_shardings=P("data"))
    assert signature(text)[0] == ['<@mesh, [{"data"}, {}]>']


def test_an_array_keeps_its_mesh_sharding() -> None:
    mesh = Mesh(np.array(jax.devices()[:1]).reshape(1), ("x",))
    array = jax.device_put(jnp.ones((16, 8)), NamedSharding(mesh, P("x")))
    assert signature(lower(add_one, array))[0] == ['<@mesh, [{"x"}, {}]>']


def test_a_shape_can_bring_its_sharding() -> None:
    shape = jax.ShapeDtypeStruct((16, 8), jnp.float32, sharding=NamedSharding(MESH, P("data")))
    assert signature(lower(add_one, shape))[0] == ['<@mesh, [{"data"}, {}]>']


def test_numbers_are_arguments() -> None:
    text = lower(lambda x, s: x * s, X, 2.0)
    assert "%arg1: tensor<f32>" in text


def test_unused_arguments_of_a_plain_function_stay() -> None:
    assert len(signature(lower(lambda x, y: x, X, X))[0]) == 2


def test_a_jitted_function_is_taken_as_it_is() -> None:
    jitted = jax.jit(lambda x, y: x, in_shardings=(NamedSharding(MESH, P("data")), None))
    assert signature(lower(jitted, X, X))[0] == ['<@mesh, [{"data"}, {}]>']


def test_locations_name_the_caller_only_when_asked() -> None:
    assert "loc(" not in lower(add_one, X)
    text = lower(add_one, X, debuginfo=True)
    assert "test_from_jax.py" in text
    assert "/from_jax.py" not in text


def test_the_platform_can_be_chosen() -> None:
    def fn(x: jax.Array) -> jax.Array:
        return jax.lax.platform_dependent(x, cpu=jnp.sin, tpu=jnp.cos)

    assert "stablehlo.sine" in lower(fn, X)
    assert "stablehlo.cosine" in lower(fn, X, platform="tpu")


def wrong(match: str, *args: Any, **kwargs: Any) -> None:
    with pytest.raises(BridgeError, match=re.escape(match)) as caught:
        lower(*args, **kwargs)
    assert isinstance(caught.value, SdykitError)


@pytest.mark.parametrize("platform", ["tpux", "TPU", "gpu", "", None, ["cpu"]])
def test_unknown_platforms_are_refused(platform: Any) -> None:
    with pytest.raises(BridgeError) as raised:
        lower(add_one, X, platform=platform)
    text = str(raised.value)
    assert re.fullmatch(r"platform: expected one of (\w+, )*\w+, found .*", text)
    assert {"cpu", "cuda", "rocm", "tpu"} <= set(re.findall(r"\w+", text.partition(", found")[0]))
    assert text.endswith(f", found {platform!r}")


def test_errors_name_the_argument_and_what_was_expected() -> None:
    wrong(
        "args[1]['a']: expected an array, a jax.ShapeDtypeStruct or a number, found str 'text'",
        lambda x, y: x,
        X,
        {"a": "text"},
    )
    wrong("expected a function, found int 3", 3, X)


def test_wrong_specs_are_errors() -> None:
    wrong(
        "in_shardings[0]: Resource axis: dat of P('dat',) is not found in mesh: ('data', 'model').",
        add_one,
        X,
        in_shardings=(P("dat"),),
        mesh=MESH,
    )
    wrong(
        "out_shardings: JAX takes no open dimension here, found P('data', UNCONSTRAINED);"
        """ write it as text: '[{"data"}, {?}]'""",
        add_one,
        X,
        out_shardings=P("data", P.UNCONSTRAINED),
        mesh=MESH,
    )
    wrong(
        "in_shardings: expected a PartitionSpec, a Sharding, sdy's text or None, found int 7",
        add_one,
        X,
        in_shardings=7,
        mesh=MESH,
    )


def test_errors_about_texts_name_the_leaf() -> None:
    wrong(
        """in_shardings[0]['w']: sharding '[{"dat"}, {}]' of a tensor of shape (16, 8) on mesh"""
        """ {'data': 4, 'model': 2}: unknown axis name: "dat\"""",
        lambda p: p["w"],
        {"w": X},
        in_shardings=({"w": '[{"dat"}, {}]'},),
        mesh=MESH,
    )
    wrong(
        "out_shardings[1]: sharding '[{}]' of a tensor of shape (16, 8) on mesh"
        " {'data': 4, 'model': 2}: sharding doesn't match tensor rank: 1 != 2",
        lambda x: (x, x),
        X,
        out_shardings=(None, "[{}]"),
        mesh=MESH,
    )
    wrong(
        "in_shardings[0]: sharding '': expected sdy's syntax",
        add_one,
        X,
        in_shardings="",
        mesh=MESH,
    )


def test_a_missing_or_wrong_mesh_is_an_error() -> None:
    wrong("a mesh is needed: pass mesh=", add_one, X, in_shardings=P("data"))
    wrong("a mesh is needed: pass mesh=", add_one, X, in_shardings="[{}, {}]")
    wrong(
        "mesh must be a jax.sharding.Mesh or AbstractMesh, such as"
        """ AbstractMesh((4, 2), ("data", "model")); found dict {'data': 4}""",
        add_one,
        X,
        mesh={"data": 4},
    )


def test_shardings_of_a_jitted_function_belong_to_jit() -> None:
    wrong(
        "in_shardings and out_shardings given for a function that is jitted already",
        jax.jit(add_one),
        X,
        in_shardings=P("data"),
        out_shardings=P("data"),
        mesh=MESH,
    )


def test_shardy_must_be_on() -> None:
    jax.config.update("jax_use_shardy_partitioner", False)
    try:
        wrong("jax_use_shardy_partitioner is False", add_one, X)
    finally:
        jax.config.update("jax_use_shardy_partitioner", True)


def test_errors_of_jax_keep_their_text() -> None:
    with pytest.raises(ValueError, match="partitioned 4 times, but the dimension size is 6"):
        ON_MESH(add_one, jax.ShapeDtypeStruct((6, 8), jnp.float32), in_shardings=P("data"))
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        lower(add_one)
