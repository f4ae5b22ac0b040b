"""From JAX functions to MPMD programs: they compute what JAX computes, and errors are clear."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import PartitionSpec as P

from sdykit.bridge.from_jax import BridgeError
from sdykit.core import run_pipeline
from sdykit.mlir import ir, make_context
from sdykit.mpmd import (
    ExecutionError,
    PartitionError,
    call,
    from_jax,
    interpret,
    named_computation,
)

MESHES = {"m1": {"x": 2}, "m2": {"x": 2}}
ASSIGNMENT = {"f1": "m1", "f2": "m2"}
Tree = Any


@named_computation("f1")
def f1(w: jax.Array, x: jax.Array) -> jax.Array:
    return jnp.tanh(x @ w)


@named_computation("f2")
def f2(w: jax.Array, x: jax.Array) -> jax.Array:
    return jnp.tanh(x @ w)


def forward(ws: Tree, x: jax.Array) -> jax.Array:
    return f2(ws[1], f1(ws[0], x))


def loss(ws: Tree, x: jax.Array) -> jax.Array:
    return jnp.sum(jnp.square(forward(ws, x)))


@call
def accumulate(ws: Tree, grads: Tree, x: jax.Array) -> Tree:
    return jax.tree.map(jnp.add, grads, jax.grad(loss)(ws, x))


def training_step(ws: Tree, xs: jax.Array) -> Tree:
    grads = jax.tree.map(jnp.zeros_like, ws)
    for x in xs:
        grads = accumulate(ws, grads, x)
    return jax.tree.map(lambda w, grad: w - 0.1 * grad, ws, grads)


def arrays(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    draw = np.random.default_rng(0)
    return [draw.normal(size=shape).astype(np.float32) for shape in shapes]


WS = arrays((8, 8), (8, 8))
(X, XS) = arrays((4, 8), (3, 4, 8))


def partition(fn: Callable[..., Any], *args: Any, **settings: Any) -> str:
    """Partition a function, and check that it keeps its results, also after the export."""
    text = from_jax(fn, *args, **{"topology": MESHES, "assignment": ASSIGNMENT, **settings})
    inputs = [np.asarray(leaf) for leaf in jax.tree.leaves(args)]
    expected = jax.tree.leaves(jax.jit(fn)(*args))
    module = ir.Module.parse(text, make_context())
    check(expected, interpret(module, inputs))
    run_pipeline(module, "mpmd-export-pipeline")
    check(expected, interpret(module, inputs))
    return text


def check(expected: list[Any], found: list[Any]) -> None:
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=1e-6)


def test_a_forward_program_has_a_fragment_for_each_part_on_its_mesh() -> None:
    text = partition(forward, WS, X)
    assert text.count("mpmd.fragment<") == 2
    assert text.count("mpmd.transfer") == 1
    assert "jit_forward" in text
    assert "loc(" not in text


def test_a_training_step_takes_a_schedule_donation_and_shardings() -> None:
    text = partition(
        training_step,
        WS,
        XS,
        schedule="1F1B",
        donate_argnums=0,
        in_shardings=([P("x"), P(None, "x")], P(None, "x")),
    )
    assert text.count("jax.buffer_donor = true") == 2
    assert text.count('origin=["f1"]') == text.count('origin=["f2"(1)]') == 3
    assert text.count("call_counter = 2 : ui32") == 4
    assert 'tensor<8x8xf32>, sharding=<@mesh, [{"x"}, {}]>' in text


def test_transposed_parts_inside_jitted_functions_have_their_transpose_count() -> None:
    text = partition(jax.grad(jax.jit(loss)), WS, X)
    assert 'origin=["f1"(1)]' in text
    assert 'origin=["f2"(1)]' in text
    assert text.count("mpmd.fragment<") == 4


def test_arguments_that_a_jitted_function_donates_are_donated() -> None:
    text = partition(jax.jit(forward, donate_argnums=1), WS, X, donate_argnums=0)
    assert text.count("jax.buffer_donor = true") + text.count("tf.aliasing_output") == 3


def test_checkpointed_parts_are_computed_again() -> None:
    def step(ws: Tree, x: jax.Array) -> Tree:
        return jax.grad(lambda ws: jnp.sum(f2(ws[1], jax.checkpoint(f1)(ws[0], x))))(ws)

    def plain(ws: Tree, x: jax.Array) -> Tree:
        return jax.grad(lambda ws: jnp.sum(f2(ws[1], f1(ws[0], x))))(ws)

    tanh = "stablehlo.tanh"
    assert partition(step, WS, X).count(tanh) == partition(plain, WS, X).count(tanh) + 1


@pytest.mark.parametrize(
    ("setting", "schedule"), [("remat", "1F1B"), ("split_backward", "ZeroBubbleH1")]
)
def test_remat_and_split_backward_add_fragments(setting: str, schedule: str) -> None:
    plain = partition(training_step, WS, XS, schedule=schedule)
    text = partition(training_step, WS, XS, schedule=schedule, **{setting: True})
    assert text.count("mpmd.fragment<") > plain.count("mpmd.fragment<")


def test_arguments_and_results_are_on_the_requested_meshes() -> None:
    text = partition(forward, WS, X, in_meshes=(["m1", "m1#pinned_host"], None), out_meshes="m1")
    assert '%arg1: !mpmd.mesh_tensor<"m1", tensor<8x8xf32>, memory_kind="pinned_host">' in text
    assert '-> (!mpmd.mesh_tensor<"m1", tensor<4x8xf32>> {' in text


def test_meshes_may_have_different_axes_and_parts_any_names() -> None:
    parts = [named_computation(name)(fn) for name, fn in (("1/ä %", jnp.sin), ("b)(", jnp.cos))]
    text = partition(
        lambda x: parts[1](parts[0](x)),
        X,
        topology={"m 1": {"x": 2}, "m2": {"a b": 4}},
        assignment={"1/ä %": "m 1", "b)(": "m2"},
    )
    assert 'origin=["1/ä %"]' in text
    assert 'origin=["b)("]' in text


def test_locations_name_the_program() -> None:
    text = partition(forward, WS, X, debuginfo=True)
    assert Path(__file__).name in text
    others = text.replace(Path(__file__).name, "")
    assert "from_jax.py" not in others
    assert "jax_programs.py" not in others


def test_fragments_have_the_assigned_stages() -> None:
    text = from_jax(forward, WS, X, topology=MESHES, assignment={"f1": ("m1", 0), "f2": ("m2", 1)})
    assert "stage=0" in text
    assert "stage=1" in text


def test_a_script_needs_no_main_guard(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import jax.numpy as jnp\n"
        "from sdykit.mpmd import from_jax, named_computation\n"
        "f = named_computation('f')(jnp.sin)\n"
        "text = from_jax(f, 1.0, topology={'m': {}}, assignment={'f': 'm'})\n"
        "print(text.count('mpmd.fragment<'))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


def scanned(ws: Tree, x: jax.Array) -> jax.Array:
    return jax.lax.scan(lambda x, _: (jax.jit(f1)(ws[0], x), None), x, None, length=3)[0]


def nested(ws: Tree, x: jax.Array) -> jax.Array:
    return named_computation("g")(f1)(ws[0], x)


def called_twice(ws: Tree, x: jax.Array) -> jax.Array:
    return call(lambda x: accumulate(ws, ws, x)[0] @ x.T)(x)


@pytest.mark.parametrize(
    ("fn", "settings", "message"),
    [
        (
            called_twice,
            {},
            "error: call 'accumulate' is used within another function marked by `call`, and"
            " microbatches cannot be nested: remove one of the marks",
        ),
        (
            forward,
            {"assignment": {"f1": "m1", "f2": "m3"}},
            "assignment['f2']: the topology has no mesh 'm3', only 'm1', 'm2'; did you mean 'm2'?",
        ),
        (
            forward,
            {"assignment": {"f1": "m1"}},
            "error: named computation 'f2' has no mesh; expected an entry 'f2' in assignment,"
            " which has 'f1'",
        ),
        (
            forward,
            {"assignment": {**ASSIGNMENT, "f3": "m1"}},
            "assignment: fn uses no named computation 'f3', only 'f1', 'f2' (JAX leaves out what no"
            " result depends on); did you mean 'f2'?",
        ),
        (
            jnp.dot,
            {},
            "fn uses no named computation; mark the functions that are its parts with"
            " @named_computation(...)",
        ),
        (3, {}, "fn: expected a function, found int 3"),
        (
            scanned,
            {},
            "error: named computation 'f1' is used within 'stablehlo.while'; loops and branches of"
            " jax.lax run on one mesh as a whole",
        ),
        (
            nested,
            {},
            "error: named computation 'g' contains another named computation or call; a part runs"
            " on one mesh as a whole: remove one of the marks",
        ),
        (
            forward,
            {"assignment": {"f1": ("m1", -1)}},
            "assignment['f1']: expected a stage, an integer of at least 0 and below 2**31,"
            " found -1",
        ),
        (
            forward,
            {"assignment": {"f1": ["m1"]}},
            'assignment[\'f1\']: expected a mesh, "m1", or a mesh and a stage, ("m1", 0), found'
            " ['m1']",
        ),
        (
            forward,
            {"assignment": ["m1"]},
            'assignment: expected the mesh of each named computation, such as {"f1": "m1"}, found'
            " ['m1']",
        ),
        (
            forward,
            {"schedule": "1f1b"},
            "schedule: there is no '1f1b', only none, 1F1B, GPipe,",
        ),
        (
            forward,
            {"topology": {}},
            'topology: expected the axes of each mesh, such as {"m1": {"x": 2}}, found {}',
        ),
        (
            forward,
            {"topology": {"m1": 2}},
            "topology['m1']: expected the sizes of its axes, such as {\"x\": 2}, found 2",
        ),
        (
            forward,
            {"topology": {"m1": {"x": 0}}},
            "topology['m1']['x']: expected the number of devices along the axis, at least 1,"
            " found 0",
        ),
        (forward, {"topology": {"#": {}}}, "topology: expected the name of a mesh, without"),
        (
            forward,
            {"in_meshes": (["m1", "m4"], None)},
            "in_meshes[0][1]: the topology has no mesh 'm4', only 'm1', 'm2'",
        ),
        (
            forward,
            {"out_meshes": "m1#host"},
            "out_meshes: there is no memory kind 'host'; expected device or pinned_host",
        ),
        (
            forward,
            {"in_meshes": ("m1",)},
            "in_meshes: expected a prefix of the tree of its values: ",
        ),
        (
            forward,
            {"donate_argnums": (0, 2)},
            "donate_argnums: there is no argument 2; fn is called with 2 arguments",
        ),
        (
            forward,
            {"donate_argnums": None},
            "donate_argnums: expected numbers of arguments, found None",
        ),
        (
            forward,
            {"topology": {"m1": {"x": 2}, "m2": {"y": 2}}, "in_shardings": P("x")},
            "in_shardings, out_shardings: expected meshes with the same axes, found 'm1' with"
            " {'x': 2} and 'm2' with {'y': 2}",
        ),
        (
            jax.jit(lambda ws, x: f1(ws[0], x)),
            {"assignment": {"f1": "m1"}},
            "fn: expected a program with 3 arguments, one for each array, found 2; write"
            " jax.jit(..., keep_unused=True)",
        ),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_an_invalid_argument_is_named_with_what_is_expected(
    fn: Any, settings: dict[str, Any], message: str
) -> None:
    arguments = {"topology": MESHES, "assignment": ASSIGNMENT, **settings}
    args = (X, WS[0]) if fn is jnp.dot else (WS, X)
    with pytest.raises(PartitionError) as raised:
        from_jax(fn, *args, **arguments)
    assert message in str(raised.value)
    if message.startswith("error: "):
        assert str(raised.value).startswith(f"{__file__}:")


def test_an_abort_for_calls_across_kinds_of_memory_tells_what_to_do() -> None:
    with pytest.raises(PartitionError) as raised:
        from_jax(
            training_step,
            WS,
            XS,
            topology=MESHES,
            assignment=ASSIGNMENT,
            in_meshes=("m1#pinned_host", None),
        )
    assert "jaxlib's partitioner aborted: " in str(raised.value)
    assert "the calls of one function marked by `call` must take arguments" in str(raised.value)


def test_an_error_of_lower_is_raised_as_it_is() -> None:
    with pytest.raises(BridgeError, match=r"in_shardings\[0\]: .* z of P\('z',\) is not found"):
        from_jax(
            forward, WS, X, topology=MESHES, assignment=ASSIGNMENT, in_shardings=(P("z"), None)
        )


@pytest.mark.parametrize("name", [3, "", f1], ids=["number", "empty", "function"])
def test_an_invalid_name_of_a_part_is_an_error(name: Any) -> None:
    with pytest.raises(PartitionError, match="expected a name such as @named_computation"):
        named_computation(name)


def test_callbacks_of_python_are_an_error_of_the_interpreter() -> None:
    def printing(ws: Tree, x: jax.Array) -> jax.Array:
        jax.debug.print("{}", x[0, 0])
        return f1(ws[0], x)

    text = from_jax(printing, WS, X, topology=MESHES, assignment={"f1": "m1"})
    with pytest.raises(ExecutionError, match="calls a Python function of the process that lowered"):
        interpret(text, [*WS, X])
