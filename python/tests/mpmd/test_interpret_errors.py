"""Errors of the interpreter for inputs and modules that it cannot run."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from sdykit.errors import SdykitError
from sdykit.mlir import ir, make_context
from sdykit.mpmd import ExecutionError, interpret

TOPOLOGY = 'attributes {topology = #mpmd.topology<<"m1": <["x"=2]>>>}'
T = "tensor<2x3xf32>"
M1 = f'!mpmd.mesh_tensor<"m1", {T}>'
X = np.ones((2, 3), np.float32)


def function(argument: str = M1, body: str = "return", result: str = "()") -> str:
    return f"func.func public @main(%x: {argument}) -> {result} {TOPOLOGY} {{\n{body}\n}}"


def error_of(module: Any, inputs: Any = (X,), name: str = "main") -> str:
    with pytest.raises(ExecutionError) as caught:
        interpret(module, inputs, name)
    assert isinstance(caught.value, SdykitError)
    return str(caught.value)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([], "@main takes 1 argument, found 0"),
        ([X, X], "@main takes 1 argument, found 2"),
        ([X.T], "argument #0 of @main: expected shape (2, 3), found (3, 2)"),
        ([np.float32(1)], "argument #0 of @main: expected shape (2, 3), found ()"),
        (
            [X.astype(np.float64)],
            "argument #0 of @main: expected dtype float32, found float64",
        ),
        ([None], "argument #0 of @main: expected an array, found None"),
        (
            [[[1, 2], [3]]],
            "argument #0 of @main: expected an array, and numpy cannot make one of it: setting an"
            " array element with a sequence. The requested array has an inhomogeneous shape after 1 dimensions. The"
            " detected shape was (2,) + inhomogeneous part.",
        ),
    ],
)
def test_inputs_that_do_not_fit_the_function_are_errors(inputs: list[Any], message: str) -> None:
    assert error_of(function(), inputs) == message


@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [
        (
            "!stablehlo.token",
            X,
            "argument #0 of @main is a token: expected None, found ndarray",
        ),
        (
            "tensor<?x3xf32>",
            X,
            "argument #0 of @main has a type that cannot be run: tensor<?x3xf32>",
        ),
        ("i32", 1, "argument #0 of @main has a type that cannot be run: i32"),
        (
            "tensor<2x!stablehlo.token>",
            X,
            "argument #0 of @main has elements that numpy cannot hold: tensor<2x!stablehlo.token>",
        ),
        (
            "tensor<f128>",
            X,
            "argument #0 of @main has elements that numpy cannot hold: tensor<f128>",
        ),
        ("tensor<f80>", X, "argument #0 of @main has elements that numpy cannot hold: tensor<f80>"),
    ],
)
def test_arguments_of_types_without_an_array_are_errors(
    argument: str, value: Any, message: str
) -> None:
    assert error_of(function(argument), [value]) == message


def test_arrays_of_jax_and_lists_are_inputs() -> None:
    text = function(body=f"return %x : {M1}", result=M1)
    np.testing.assert_array_equal(interpret(text, [jnp.ones((2, 3))])[0], X)
    integers = text.replace("xf32", "xi64")
    np.testing.assert_array_equal(interpret(integers, [[[1, 1, 1], [1, 1, 1]]])[0], X)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the module has no function @main; it has no functions"),
        (
            f"func.func @f() {TOPOLOGY} {{ return }} func.func @g() {{ return }}",
            "the module has no function @main; it has @f, @g",
        ),
        (
            f"func.func private @main() {TOPOLOGY}",
            "-:1:1: error: function @main is declared, but has no body",
        ),
        (
            "func.func @main() { return }",
            "-:1:1: error: function @main has no topology, so it is not an MPMD program",
        ),
        (
            f"func.func @main() {TOPOLOGY} {{\n  cf.br ^a\n^a:\n  return\n}}",
            "-:1:1: error: expected one block in the body of 'func.func' op, found 2",
        ),
        ("func.func @main(", "-:1:16: error: expected non-function type"),
        (
            f"func.func @main() {TOPOLOGY} {{\n  mpmd.call @f() : () -> ()\n  return\n}}",
            "the module has no function @f, which mpmd.call calls",
        ),
    ],
)
def test_modules_that_cannot_be_interpreted_are_errors(text: str, message: str) -> None:
    assert error_of(text, []) == message


def test_an_object_other_than_a_module_is_an_error() -> None:
    assert error_of(7) == "expected an ir.Module or its text, found int"


def test_a_missing_function_is_an_error_that_lists_the_others() -> None:
    text = function().replace("@main", '@"a b"')
    assert error_of(text) == "the module has no function @main; it has @a b"
    assert interpret(text, [X], "a b") == []


def test_a_call_of_a_declared_function_is_an_error() -> None:
    text = function(body=f"%0 = mpmd.call @f(%x) : ({M1}) -> {M1}\nreturn")
    text += f"\nfunc.func private @f({M1}) -> {M1}"
    assert error_of(text) == "-:5:1: error: function @f is declared, but has no body"


def test_a_recursive_call_is_an_error() -> None:
    text = function(body=f"%0 = func.call @f(%x) : ({M1}) -> {M1}\nreturn")
    for name, callee in (("f", "g"), ("g", "f")):
        text += f"""
func.func private @{name}(%x: {M1}) -> {M1} {{
  %0 = func.call @{callee}(%x) : ({M1}) -> {M1}
  return %0 : {M1}
}}"""
    assert error_of(text) == "-:10:8: error: function @f calls itself: f -> g -> f"


def test_a_fragment_that_calls_main_is_an_error() -> None:
    text = f"""func.func private @main(%a: {T}) -> {T} {{ return %a : {T} }}
func.func @start(%x: {M1}) -> {M1} {TOPOLOGY} {{
  %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%x) (%a: {T}) {{
    %1 = func.call @main(%a) : ({T}) -> {T}
    mpmd.return %1 : {T}
  }} : ({M1}) -> {M1}
  return %0 : {M1}
}}"""
    assert error_of(text, name="start") == (
        "-:4:10: error: a computation on one mesh cannot call @main"
    )


def changed(text: str, topology: str, *, with_meshes: bool = True) -> ir.Module:
    """Parse a module, then break it in a way that the verifier would find."""
    module = ir.Module.parse(text, make_context())
    for op in list(module.body.operations):
        if op.operation.name == "sdy.mesh" and not with_meshes:
            op.operation.erase()
        elif "topology" in op.operation.attributes:
            with module.context:
                attribute = ir.Attribute.parse(f"#mpmd.topology<{topology}>")
                op.operation.attributes["topology"] = attribute
    return module


def sharded(body: str, attributes: str = "") -> str:
    """A fragment of a tensor that is split along `x` of `@mesh`; the fourth line on."""
    split = f'!mpmd.mesh_tensor<"m1", {T}, sharding=<@mesh, [{{"x"}}, {{}}]>>'
    donor = "{jax.buffer_donor = true}"
    text = function(
        f"{split} {donor}",
        f"""%0 = mpmd.fragment<mesh="m1", origin=["f"]> (%x) {attributes} (%a: {T}) {{
          {body}
        }} : ({split}) -> {split}
        return %0 : {split}""",
        split,
    )
    return f'sdy.mesh @mesh = <["x"=2]>\n{text}'


def test_a_fragment_on_a_mesh_that_the_topology_lacks_is_an_error() -> None:
    module = changed(sharded(f"mpmd.return %a : {T}"), '<"m2": <["x"=2]>>')
    assert error_of(module) == '-:3:6: error: the topology has no mesh "m1"; it has "m2"'


def test_an_axis_that_the_mesh_lacks_is_an_error() -> None:
    text = sharded(f"mpmd.return %a : {T}", "{arg_attrs = [{tf.aliasing_output = 0 : i32}]}")
    message = error_of(changed(text, '<"m1": <["z"=2]>>'))
    assert message.startswith('-:3:6: error: !mpmd.mesh_tensor<"m1", tensor<2x3xf32>, sharding=')
    assert " has no type on a device: mesh " in message


def test_a_mesh_that_the_module_lacks_is_an_error() -> None:
    sharding = '<@mesh, [{"x"}, {}]>'
    body = f"""%m = sdy.manual_computation(%a) in_shardings=[{sharding}] out_shardings=[{sharding}]
            manual_axes={{"x"}} (%p: tensor<1x3xf32>) {{
          sdy.return %p : tensor<1x3xf32>
        }} : ({T}) -> {T}
        mpmd.return %m : {T}"""
    module = changed(sharded(body), '<"m1": <["x"=2]>>', with_meshes=False)
    assert error_of(module) == "-:4:16: error: the module has no mesh @mesh; it has no meshes"


@pytest.mark.parametrize("platforms", ["cuda", "nothing"])
def test_jax_needs_no_cpu_device(platforms: str) -> None:
    code = f"""
import numpy as np
from sdykit.mpmd import interpret
print(interpret({function()!r}, [np.ones((2, 3), np.float32)]))
"""
    environment = {**os.environ, "JAX_PLATFORMS": platforms}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_an_op_without_location_has_the_nearest_one_and_arguments_have_their_names() -> None:
    text = """
func.func public @main(%arg0: !mpmd.mesh_tensor<"m1", tensor<8xf32>> loc("params['w']"))
    -> !mpmd.mesh_tensor<"m1", tensor<8xf32>>
    attributes {topology = #mpmd.topology<<"m1" : <["x"=2]>>>} {
  %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%arg0) {arg_attrs = [{jax.buffer_donor = true}]}
      (%arg1: tensor<8xf32>) {
    %1 = stablehlo.abs %arg1 : tensor<8xf32>
    mpmd.return %1 : tensor<8xf32>
  } : (!mpmd.mesh_tensor<"m1", tensor<8xf32>>) -> !mpmd.mesh_tensor<"m1", tensor<8xf32>> loc(unknown)
  return %0 : !mpmd.mesh_tensor<"m1", tensor<8xf32>>
}"""
    with pytest.raises(ExecutionError) as raised:
        interpret(text, [np.zeros(3, np.float32)])
    assert str(raised.value) == (
        "argument #0 (params['w']) of @main: expected shape (8,), found (3,)"
    )
    with pytest.raises(ExecutionError) as raised:
        interpret(text, [np.zeros(8, np.float32)])
    assert str(raised.value).startswith(
        '-:7:10: error: operand #0 of fragment "f" is donated, but it is argument #0'
        " (params['w']) of @main, which"
    )
