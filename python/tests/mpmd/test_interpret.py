"""The interpreter: each op of the dialect, compared with numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sdykit.mlir import ir, make_context
from sdykit.mpmd import interpret
from sdykit.spmd.devices import client

TOPOLOGY = 'topology = #mpmd.topology<<"m1": <["x"=2]>>, <"m2": <["x"=2, "y"=2]>>>'
M1 = '!mpmd.mesh_tensor<"m1", tensor<2x3xf32>>'
M2 = '!mpmd.mesh_tensor<"m2", tensor<2x3xf32>>'
T = "tensor<2x3xf32>"
TOKEN = "!stablehlo.token"

X = np.arange(6, dtype=np.float32).reshape(2, 3)
Y = np.array([[2, -1, 0], [4, 0.5, -3]], np.float32)


def main(arguments: str, results: str, body: str, after: str = "") -> str:
    return (
        f"func.func public @main({arguments}) -> ({results}) attributes {{{TOPOLOGY}}} {{\n"
        f"{body}\n}}\n{after}"
    )


def run(text: str, *inputs: Any, function: str = "main") -> list[Any]:
    return interpret(text, inputs, function)


def fragment(mesh: str, op: str, operand: str = "%x") -> str:
    type_ = {"m1": M1, "m2": M2}[mesh]
    return f"""mpmd.fragment<mesh="{mesh}", origin=["f"]> ({operand}) (%a: {T}) {{
      %r = stablehlo.{op} : {T}
      mpmd.return %r : {T}
    }} : ({type_}) -> {type_}"""


def test_a_transfer_carries_a_value_between_fragments() -> None:
    body = f"""
    %0 = {fragment("m1", "add %a, %a")}
    %1 = mpmd.transfer %0 : ({M1}) -> {M2}
    %2 = {fragment("m2", "multiply %a, %a", "%1")}
    return %2, %0 : {M2}, {M1}"""
    squared, doubled = run(main(f"%x: {M1}", f"{M2}, {M1}", body), X)
    np.testing.assert_array_equal(squared, (2 * X) ** 2)
    np.testing.assert_array_equal(doubled, 2 * X)


def test_a_fragment_may_have_several_operands_and_results() -> None:
    body = f"""
    %0:3 = mpmd.fragment<mesh="m1", origin=[]> (%x, %y) (%a: {T}, %b: {T}) {{
      %r = stablehlo.subtract %a, %b : {T}
      mpmd.return %r, %b, %r : {T}, {T}, {T}
    }} : ({M1}, {M1}) -> ({M1}, {M1}, {M1})
    return %0#2, %0#1, %0#0 : {M1}, {M1}, {M1}"""
    results = run(main(f"%x: {M1}, %y: {M1}", f"{M1}, {M1}, {M1}", body), X, Y)
    for result, expected in zip(results, [X - Y, Y, X - Y], strict=True):
        np.testing.assert_array_equal(result, expected)


def test_a_fragment_may_have_no_operands() -> None:
    body = f"""
    %0 = mpmd.fragment<mesh="m1", origin=["init"]> () () {{
      %r = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : {T}
      mpmd.return %r : {T}
    }} : () -> {M1}
    return %0 : {M1}"""
    (result,) = run(main("", M1, body))
    np.testing.assert_array_equal(result, X + 1)


def test_fragment_calls_share_a_function() -> None:
    call = 'mpmd.fragment_call<mesh="m1", origin=["f"]> @f'
    body = f"""
    %0 = {call}(%x, %y) : ({M1}, {M1}) -> {M1}
    %1 = {call}(%0, %y) : ({M1}, {M1}) -> {M1}
    return %1 : {M1}"""
    callee = f"""
    func.func @f(%a: {T} {{sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{{"x"}}, {{}}]>}}, %b: {T})
        -> {T} attributes {{mesh_shape = #sdy.mesh<["x"=2]>, reserved_hbm_bytes = 8 : i64}} {{
      %0 = func.call @g(%a, %b) : ({T}, {T}) -> {T}
      return %0 : {T}
    }}
    func.func private @g(%a: {T}, %b: {T}) -> {T} {{
      %0 = stablehlo.subtract %a, %b : {T}
      return %0 : {T}
    }}"""
    (result,) = run(main(f"%x: {M1}, %y: {M1}", M1, body, callee), X, Y)
    np.testing.assert_array_equal(result, X - Y - Y)


def test_a_call_runs_a_private_function_with_fragments() -> None:
    body = f"""
    %0:2 = mpmd.call @step(%x, %y) : ({M1}, {M2}) -> ({M2}, {M1})
    %1:2 = mpmd.call @step(%0#1, %0#0) : ({M1}, {M2}) -> ({M2}, {M1})
    return %1#0, %1#1 : {M2}, {M1}"""
    callee = f"""
    func.func private @step(%x: {M1}, %y: {M2}) -> ({M2}, {M1}) attributes {{{TOPOLOGY}}} {{
      %0 = {fragment("m1", "add %a, %a")}
      %1 = {fragment("m2", "negate %a", "%y")}
      return %1, %0 : {M2}, {M1}
    }}"""
    text = main(f"%x: {M1}, %y: {M2}", f"{M2}, {M1}", body, callee)
    results = run(text, X, Y)
    np.testing.assert_array_equal(results[0], Y)
    np.testing.assert_array_equal(results[1], 4 * X)


@pytest.mark.parametrize(
    ("iterations", "unroll"), [(1, ""), (4, ""), (4, ", unroll_factor = 2 : ui32")]
)
def test_a_loop_runs_its_body_for_each_iteration(iterations: int, unroll: str) -> None:
    body = f"""
    %0:2 = mpmd.for (%x, %y) {{iterations = {iterations} : ui32{unroll}}}
        (%p: {M1}, %q: {M1}, %i: !mpmd.mesh_tensor<"m1", tensor<ui32>>) {{
      %2 = mpmd.fragment<mesh="m1", origin=["f"]> (%p, %q, %i)
          (%a: {T}, %b: {T}, %c: tensor<ui32>) {{
        %3 = stablehlo.convert %c : (tensor<ui32>) -> tensor<f32>
        %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> {T}
        %5 = stablehlo.multiply %b, %4 : {T}
        %6 = stablehlo.add %a, %5 : {T}
        mpmd.return %6 : {T}
      }} : ({M1}, {M1}, !mpmd.mesh_tensor<"m1", tensor<ui32>>) -> {M1}
      mpmd.return %q, %2 : {M1}, {M1}
    }} : {M1}, {M1}
    return %0#0, %0#1 : {M1}, {M1}"""
    a, b = X, Y
    for index in range(iterations):
        a, b = b, a + b * index
    results = run(main(f"%x: {M1}, %y: {M1}", f"{M1}, {M1}", body), X, Y)
    np.testing.assert_array_equal(results[0], a)
    np.testing.assert_array_equal(results[1], b)


@pytest.mark.parametrize("index", ["ui32", "i32"])
def test_a_loop_body_may_use_values_from_outside_and_the_index(index: str) -> None:
    body = f"""
    %0 = mpmd.for (%x) {{iterations = 3 : ui32}} (%p: {T}, %i: tensor<{index}>) {{
      %1 = stablehlo.convert %i : (tensor<{index}>) -> tensor<f32>
      %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> {T}
      %3 = stablehlo.multiply %2, %y : {T}
      %4 = stablehlo.add %p, %3 : {T}
      mpmd.return %4 : {T}
    }} : {T}
    return %0 : {T}"""
    (result,) = run(main(f"%x: {T}, %y: {T}", T, body), X, Y)
    np.testing.assert_array_equal(result, X + Y + 2 * Y)


def test_assign_unassign_broadcast_and_named_tensor_forward_values() -> None:
    body = f"""
    %0 = mpmd.named_computation<"f"(1)> (%x) (%a: {T}) {{
      %9 = mpmd.named_tensor %a name="inner" : {T}
      %8 = stablehlo.negate %9 : {T}
      mpmd.return %8 : {T}
    }} : ({T}) -> {T}
    %1 = mpmd.named_tensor %0 name="n" : {T}
    %2 = mpmd.broadcast %1 : {T}
    %3 = mpmd.assign {{origin = "infer"}} %2 : ({T}) -> {M1}
    %4 = {fragment("m1", "add %a, %a", "%3")}
    %5 = mpmd.unassign %4 : ({M1}) -> {T}
    return %5 : {T}"""
    (result,) = run(main(f"%x: {T}", T, body), X)
    np.testing.assert_array_equal(result, -2 * X)


@pytest.mark.parametrize(
    ("reduction", "combine"),
    [("add", np.add), ("mul", np.multiply), ("max", np.maximum), ("min", np.minimum)],
)
def test_a_reduce_combines_its_operands(reduction: str, combine: Any) -> None:
    body = f"""
    %0 = mpmd.reduce<{reduction}> %x, %y, %x : ({T}, {T}, {T}) -> {T}
    return %0 : {T}"""
    (result,) = run(main(f"%x: {T}, %y: {T}", T, body), X, Y)
    np.testing.assert_array_equal(result, combine(combine(X, Y), X))


@pytest.mark.parametrize(("reduction", "combine"), [("or", np.bitwise_or), ("and", np.bitwise_and)])
def test_a_bitwise_reduce_combines_its_operands(reduction: str, combine: Any) -> None:
    t = "tensor<3xi32>"
    body = f"%0 = mpmd.reduce<{reduction}> %x, %y : ({t}, {t}) -> {t}\nreturn %0 : {t}"
    x, y = np.array([[12, 7, -1], [10, 8, 5]], np.int32)
    (result,) = run(main(f"%x: {t}, %y: {t}", t, body), x, y)
    np.testing.assert_array_equal(result, combine(x, y))


def test_a_reduce_of_one_operand_forwards_it() -> None:
    body = f"%0 = mpmd.reduce<none> %x : ({T}) -> {T}\nreturn %0 : {T}"
    np.testing.assert_array_equal(run(main(f"%x: {T}", T, body), X)[0], X)


def test_stablehlo_ops_between_fragments_run() -> None:
    body = f"""
    %c = stablehlo.constant dense<2.0> : {T}
    %0 = stablehlo.multiply %x, %c : {T}
    %unused = stablehlo.negate %x : {T}
    %1 = mpmd.assign %0 : ({T}) -> {M1}
    %2 = {fragment("m1", "negate %a", "%1")}
    %3 = mpmd.unassign %2 : ({M1}) -> {T}
    %i = stablehlo.constant dense<3> : tensor<i32>
    %4:2 = stablehlo.while(%n = %i, %v = %3) : tensor<i32>, {T} cond {{
      %z = stablehlo.constant dense<0> : tensor<i32>
      %p = stablehlo.compare GT, %n, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }} do {{
      %one = stablehlo.constant dense<1> : tensor<i32>
      %m = stablehlo.subtract %n, %one : tensor<i32>
      %w = stablehlo.add %v, %x : {T}
      stablehlo.return %m, %w : tensor<i32>, {T}
    }}
    %5 = func.call @g(%4#1) : ({T}) -> {T}
    return %5, %c : {T}, {T}"""
    callee = f"""
    func.func private @g(%a: {T}) -> {T} {{
      %0 = stablehlo.add %a, %a : {T}
      return %0 : {T}
    }}"""
    result, constant = run(main(f"%x: {T}", f"{T}, {T}", body, callee), X)
    np.testing.assert_array_equal(result, 2 * (-2 * X + 3 * X))
    np.testing.assert_array_equal(constant, np.full((2, 3), 2, np.float32))


def test_tokens_are_none_as_inputs_and_results() -> None:
    body = f"""
    %k = stablehlo.after_all %t : {TOKEN}
    %0:2 = mpmd.fragment<mesh="m1", origin=["f"]> (%k, %x) (%b: {TOKEN}, %a: {T}) {{
      %c, %d = stablehlo.optimization_barrier %b, %a : {TOKEN}, {T}
      mpmd.return %c, %d : {TOKEN}, {T}
    }} : ({TOKEN}, {M1}) -> ({TOKEN}, {M1})
    return %0#1, %0#0, %t : {M1}, {TOKEN}, {TOKEN}"""
    result, *tokens = run(main(f"%t: {TOKEN}, %x: {M1}", f"{M1}, {TOKEN}, {TOKEN}", body), None, X)
    np.testing.assert_array_equal(result, X)
    assert tokens == [None, None]


def test_results_are_copies() -> None:
    text = main(f"%x: {M1}", f"{M1}, {M1}", f"return %x, %x : {M1}, {M1}")
    original = X.copy()
    first, second = run(text, original)
    first[0, 0] = 7
    assert second[0, 0] == original[0, 0] == 0


def test_the_module_is_not_changed() -> None:
    body = f"%0 = {fragment('m1', 'add %a, %a')}\nreturn %0 : {M1}"
    module = ir.Module.parse(main(f"%x: {M1}", M1, body), make_context())
    before = str(module)
    for _ in range(2):
        np.testing.assert_array_equal(interpret(module, [X])[0], 2 * X)
    assert str(module) == before


def test_a_function_other_than_main_can_run() -> None:
    text = main("", "", "return").replace("@main", "@start")
    assert run(text, function="start") == []


DTYPES = {
    "i1": "bool",
    "i4": "int4",
    "i8": "int8",
    "i64": "int64",
    "ui4": "uint4",
    "ui16": "uint16",
    "ui64": "uint64",
    "bf16": "bfloat16",
    "f16": "float16",
    "f64": "float64",
    "f8E4M3FN": "float8_e4m3fn",
    "f8E5M2FNUZ": "float8_e5m2fnuz",
    "complex<f32>": "complex64",
    "complex<f64>": "complex128",
}


@pytest.mark.parametrize("element", DTYPES)
def test_every_element_type_of_numpy_is_returned_unchanged(element: str) -> None:
    t = f"tensor<2x{element}>"
    mt = f'!mpmd.mesh_tensor<"m1", {t}>'
    body = f"""
    %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%x, %y) (%a: {t}, %b: {t}) {{
      %r = stablehlo.concatenate %b, %a, dim = 0 : ({t}, {t}) -> tensor<4x{element}>
      %s = stablehlo.slice %r [1:3] : (tensor<4x{element}>) -> {t}
      mpmd.return %s : {t}
    }} : ({mt}, {mt}) -> {mt}
    return %0 : {mt}"""
    x, y = np.array([[0, 1], [1, 1]]).astype(DTYPES[element])
    (result,) = run(main(f"%x: {mt}, %y: {mt}", mt, body), x, y)
    assert result.dtype == x.dtype
    assert result.tobytes() == np.array([y[1], x[0]], x.dtype).tobytes()


def test_64_bit_integers_are_not_narrowed() -> None:
    t = '!mpmd.mesh_tensor<"m1", tensor<i64>>'
    text = main(f"%x: {t}", t, f"return %x : {t}")
    assert run(text, np.array(2**62 + 1))[0] == 2**62 + 1


def test_equal_bodies_are_compiled_once() -> None:
    client._compiled.cache_clear()
    body = f"""
    %0 = {fragment("m1", "add %a, %a")} loc("one")
    %1 = mpmd.transfer %0 : ({M1}) -> {M2}
    %2 = {fragment("m2", "add %a, %a", "%1")} loc("two")
    return %2 : {M2}"""
    (result,) = run(main(f"%x: {M1}", M2, body), X)
    np.testing.assert_array_equal(result, 4 * X)
    assert client._compiled.cache_info().misses == 1
