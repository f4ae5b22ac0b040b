"""What the interpreter checks: donation, aliasing, memory kinds."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from sdykit.mpmd import ExecutionError, interpret

TOPOLOGY = 'topology = #mpmd.topology<<"m1": <["x"=2, "y"=2]>>, <"m2": <["x"=2]>>>'
T = "tensor<4x4xf32>"
M1 = f'!mpmd.mesh_tensor<"m1", {T}>'
M2 = f'!mpmd.mesh_tensor<"m2", {T}>'
DONOR = "jax.buffer_donor = true"
X = np.arange(16, dtype=np.float32).reshape(4, 4)


def main(body: str, marks: str = DONOR, result: str = M1, after: str = "") -> str:
    """One argument, on the second line; the body starts on the third."""
    return (
        f"func.func public @main(%x: {M1} {{{marks}}})\n"
        f"  -> {result} attributes {{{TOPOLOGY}}} {{\n{body}\n}}\n{after}"
    )


def fragment(operand: str, marks: str = DONOR, origin: str = '"f"', results: str = "{}") -> str:
    """Return a fragment on one line, so that its line number is known."""
    return (
        f'mpmd.fragment<mesh="m1", origin=[{origin}]> ({operand})'
        f" {{arg_attrs = [{{{marks}}}], res_attrs = [{results}]}} (%a: {T}) {{"
        f" %r = stablehlo.add %a, %a : {T} mpmd.return %r : {T} }} : ({M1}) -> {M1}"
    )


def error_of(text: str, *inputs: Any, **options: Any) -> str:
    with pytest.raises(ExecutionError) as caught:
        interpret(text, inputs or [X], **options)
    return str(caught.value)


def test_each_fragment_may_donate_the_result_of_another() -> None:
    body = f"""%0 = {fragment("%x")}
%1 = {fragment("%0", "tf.aliasing_output = 0 : i32")}
return %1 : {M1}"""
    np.testing.assert_array_equal(interpret(main(body), [X])[0], 4 * X)


def test_a_donated_value_that_a_later_fragment_reads_is_an_error() -> None:
    body = f"""%0 = {fragment("%x")}
%1 = {fragment("%x", "", '"g", "h"(1)')}
return %1 : {M1}"""
    assert error_of(main(body)) == (
        '-:4:6: error: value donated to fragment "f" at -:3:6 is read again by operand #0 of'
        ' fragment "g, h"; it was argument #0 of @main'
    )


def test_a_donated_value_that_a_transfer_reads_is_an_error() -> None:
    body = f"""%0 = {fragment("%x", "")}
%1 = {fragment("%0", "tf.aliasing_output = 0 : i32", "")}
%2 = mpmd.transfer %0 : ({M1}) -> {M2}
return %2 : {M2}"""
    assert error_of(main(body, result=M2)) == (
        "-:5:6: error: value donated to inferred fragment at -:4:6 is read again by operand #0 of"
        ' transfer; it was result #0 of fragment "f" at -:3:6'
    )


def test_a_donated_value_that_is_returned_is_an_error() -> None:
    body = f"%0 = {fragment('%x')}\nreturn %x : {M1}"
    assert error_of(main(body)) == (
        '-:4:1: error: value donated to fragment "f" at -:3:6 is read again by operand #0 of'
        " return; it was argument #0 of @main"
    )


def test_a_transfer_creates_a_new_buffer() -> None:
    body = f"""%0 = mpmd.transfer %x : ({M1}) -> {M1}
%1 = {fragment("%0")}
return %x : {M1}"""
    np.testing.assert_array_equal(interpret(main(body, marks=""), [X])[0], X)


@pytest.mark.parametrize("rename", ['mpmd.named_tensor %1 name="n"', "mpmd.broadcast %1"])
def test_a_renamed_value_shares_its_buffer(rename: str) -> None:
    body = f"""%1 = mpmd.unassign %x : ({M1}) -> {T}
%2 = {rename} : {T}
%3 = mpmd.assign %2 : ({T}) -> {M1}
%4 = {fragment("%3")}
%5 = stablehlo.negate %1 : {T}
%6 = mpmd.assign %5 : ({T}) -> {M1}
return %6 : {M1}"""
    assert error_of(main(body)) == (
        '-:7:6: error: value donated to fragment "f" at -:6:6 is read again by operand #0 of'
        " 'stablehlo.negate' op; it was argument #0 of @main"
    )


def test_a_donated_value_that_the_next_iteration_reads_is_an_error() -> None:
    body = f"""%0 = mpmd.for (%x) {{iterations = 2 : ui32}} (%p: {M1}, %i: tensor<i32>) {{
%1 = {fragment("%x")}
mpmd.return %1 : {M1}
}} : {M1}
return %0 : {M1}"""
    assert error_of(main(body)) == (
        '-:4:6: error: value donated to fragment "f" at -:4:6 is read again by operand #0 of'
        ' fragment "f"; it was argument #0 of @main'
    )


def test_a_donated_value_that_a_call_reads_is_an_error() -> None:
    body = f"""%0 = {fragment("%x")}
%1 = mpmd.call @step(%x) : ({M1}) -> {M1}
return %1 : {M1}"""
    step = f"func.func private @step(%x: {M1}) -> {M1} {{ return %x : {M1} }}"
    assert error_of(main(body, after=step)) == (
        '-:4:6: error: value donated to fragment "f" at -:3:6 is read again by operand #0 of'
        " call @step; it was argument #0 of @main"
    )


def test_donation_within_a_call_reaches_the_caller() -> None:
    body = f"""%0 = mpmd.call @step(%x) : ({M1}) -> {M1}
%1 = {fragment("%x", "")}
return %1 : {M1}"""
    step = f"""func.func private @step(%x: {M1}) -> {M1} attributes {{{TOPOLOGY}}} {{
%0 = {fragment("%x")}
return %0 : {M1}
}}"""
    assert re.search(
        r"^-:4:6: error: value donated to .* at -:8:6 is read", error_of(main(body, after=step))
    )


def test_marks_of_a_fragment_call_are_those_of_its_function() -> None:
    body = f"""%0 = mpmd.fragment_call<mesh="m1", origin=[]> @f(%x) : ({M1}) -> {M1}
return %x : {M1}"""
    mesh = 'attributes {mesh_shape = #sdy.mesh<["x"=2, "y"=2]>}'
    callee = f"func.func @f(%a: {T} {{{DONOR}}}) -> {T} {mesh} {{ return %a : {T} }}"
    assert error_of(main(body, after=callee)) == (
        "-:4:1: error: value donated to fragment call @f at -:3:6 is read again by operand #0 of"
        " return; it was argument #0 of @main"
    )


@pytest.mark.parametrize("marks", ["", "jax.buffer_donor = false", 'mhlo.memory_kind = "device"'])
def test_donating_an_unmarked_argument_is_an_error(marks: str) -> None:
    body = f"%0 = {fragment('%x')}\nreturn %0 : {M1}"
    assert error_of(main(body, marks)) == (
        '-:3:6: error: operand #0 of fragment "f" is donated, but it is argument #0 of @main,'
        " which the function does not mark with jax.buffer_donor or tf.aliasing_output"
    )


@pytest.mark.parametrize("marks", [DONOR, "tf.aliasing_output = 0 : i32"])
def test_a_marked_argument_may_be_donated(marks: str) -> None:
    body = f"%0 = {fragment('%x')}\nreturn %0 : {M1}"
    np.testing.assert_array_equal(interpret(main(body, marks), [X])[0], 2 * X)


def pair(first: str, second: str, results: int = 1) -> str:
    """A fragment that takes `%x` twice."""
    types = ", ".join([M1] * results)
    returned = f"{', '.join(['%r'] * results)} : {', '.join([T] * results)}"
    return (
        f'%0:{results} = mpmd.fragment<mesh="m1", origin=["f"]> (%x, %x)'
        f" {{arg_attrs = [{{{first}}}, {{{second}}}]}} (%a: {T}, %b: {T}) {{"
        f" %r = stablehlo.add %a, %b : {T} mpmd.return {returned} }} : ({M1}, {M1}) -> ({types})\n"
        f"return %0#0 : {M1}"
    )


def test_one_fragment_may_read_what_it_consumes() -> None:
    np.testing.assert_array_equal(interpret(main(pair("", DONOR)), [X])[0], 2 * X)
    np.testing.assert_array_equal(interpret(main(pair(DONOR, "")), [X])[0], 2 * X)


def test_donating_a_value_twice_is_an_error() -> None:
    assert error_of(main(pair(DONOR, DONOR))) == (
        '-:3:8: error: argument #0 of @main is donated twice by fragment "f", again as operand #1'
    )


def test_two_aliases_of_one_result_are_an_error() -> None:
    alias = "tf.aliasing_output = 0 : i32"
    assert error_of(main(pair(alias, alias))) == (
        '-:3:8: error: argument #1 of fragment "f" is aliased with result #0, which is aliased'
        " with argument #0 already"
    )


def test_donation_overrides_aliasing() -> None:
    both = f"{DONOR}, tf.aliasing_output = 7 : i32"
    np.testing.assert_array_equal(interpret(main(pair("", both)), [X])[0], 2 * X)


@pytest.mark.parametrize("number", [1, -1])
def test_an_alias_of_a_missing_result_is_an_error(number: int) -> None:
    body = f"%0 = {fragment('%x', f'tf.aliasing_output = {number} : i32')}\nreturn %0 : {M1}"
    assert error_of(main(body)) == (
        f'-:3:6: error: argument #0 of fragment "f" is aliased with result #{number}, but there'
        " are 1 results"
    )


def sharded(sharding: str, element: str = "f32") -> str:
    return f'!mpmd.mesh_tensor<"m1", tensor<4x4x{element}>, sharding=<@mesh, {sharding}>>'


MESH = 'sdy.mesh @mesh = <["x"=2, "y"=2]>\n'


def aliased(result: str, element: str = "f32") -> str:
    r = f"tensor<4x4x{element}>"
    operand = sharded('[{"x"}, {}]')
    return MESH + (
        f"func.func public @main(%x: {operand} {{{DONOR}}}) -> {result}\n"
        f"attributes {{{TOPOLOGY}}} {{\n"
        f'%0 = mpmd.fragment<mesh="m1", origin=["f"]> (%x)'
        f" {{arg_attrs = [{{tf.aliasing_output = 0 : i32}}]}} (%a: {T}) {{"
        f" %r = stablehlo.convert %a : ({T}) -> {r} mpmd.return %r : {r} }} :"
        f" ({operand}) -> {result}\nreturn %0 : {result}\n}}"
    )


def test_aliased_buffers_of_different_shardings_may_have_one_local_type() -> None:
    np.testing.assert_array_equal(interpret(aliased(sharded('[{"y"}, {}]')), [X])[0], X)


@pytest.mark.parametrize(
    ("result", "element", "local"),
    [
        (sharded('[{}, {"x"}]'), "f32", "tensor<4x2xf32>"),
        (sharded('[{"x", "y"}, {}]'), "f32", "tensor<1x4xf32>"),
        (sharded('[{"x"}, {}]', "i32"), "i32", "tensor<2x4xi32>"),
        (M1, "f32", "tensor<4x4xf32>"),
    ],
)
def test_aliased_buffers_of_different_local_types_are_an_error(
    result: str, element: str, local: str
) -> None:
    assert error_of(aliased(result, element)) == (
        '-:4:6: error: argument #0 of fragment "f" is aliased with result #0, but their types on a'
        f" device differ: tensor<2x4xf32> and {local}"
    )


def test_aliased_buffers_in_different_memories_are_an_error() -> None:
    host = '{mhlo.memory_kind = "pinned_host"}'
    body = f"%0 = {fragment('%x', 'tf.aliasing_output = 0 : i32', results=host)}\nreturn %0 : {M1}"
    assert error_of(main(body)) == (
        '-:3:6: error: argument #0 of fragment "f" is aliased with result #0, but one is in'
        ' "device" and the other in "pinned_host"'
    )


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ("arg_attrs = [{}, {}]", "arg_attrs must have 1 entries, found 2: [{}, {}]"),
        ("res_attrs = []", "res_attrs must have 1 entries, found 0: []"),
        ("arg_attrs = 3", "arg_attrs must be an array of dictionaries, found 3 : i64"),
        ("arg_attrs = [3]", "arg_attrs must be an array of dictionaries, found [3]"),
        (
            "arg_attrs = [{jax.buffer_donor}]",
            "jax.buffer_donor of argument #0 must be true or false, found unit",
        ),
        (
            'arg_attrs = [{tf.aliasing_output = "0"}]',
            'tf.aliasing_output of argument #0 must be the number of a result, found "0"',
        ),
        (
            "arg_attrs = [{tf.aliasing_output = 0 : i32, mhlo.memory_kind = 1 : i32}]",
            "mhlo.memory_kind must be a string, found 1 : i32",
        ),
    ],
)
def test_malformed_marks_are_errors(attributes: str, message: str) -> None:
    body = (
        f'%0 = mpmd.fragment<mesh="m1", origin=["f"]> (%x) {{{attributes}}} (%a: {T}) {{'
        f" mpmd.return %a : {T} }} : ({M1}) -> {M1}\nreturn %0 : {M1}"
    )
    assert error_of(main(body)) == f"-:3:6: error: {message}"


HOST = 'mhlo.memory_kind = "pinned_host"'
DEVICE = 'mhlo.memory_kind = "device"'


def kinds(argument: str, operand: str, result: str, returned: str) -> str:
    body = f"%0 = {fragment('%x', operand, results=f'{{{result}}}')}\nreturn %0 : {M1}"
    return main(body, argument, f"({M1} {{{returned}}})")


@pytest.mark.parametrize(
    "marks",
    [
        ("", "", "", ""),
        (HOST, HOST, "", DEVICE),
        (DEVICE, "", HOST, HOST),
    ],
)
def test_equal_memory_kinds_are_accepted(marks: tuple[str, str, str, str]) -> None:
    result = interpret(kinds(*marks), [X], check_memory_kinds=True)[0]
    np.testing.assert_array_equal(result, 2 * X)


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        (
            (HOST, "", "", ""),
            '-:3:6: error: operand #0 of fragment "f" is expected in "device", but argument #0 of'
            ' @main is in "pinned_host"',
        ),
        (
            ("", HOST, "", ""),
            '-:3:6: error: operand #0 of fragment "f" is expected in "pinned_host", but argument'
            ' #0 of @main is in "device"',
        ),
        (
            ("", "", HOST, DEVICE),
            '-:1:1: error: result #0 of the function is expected in "device", but result #0 of'
            ' fragment "f" at -:3:6 is in "pinned_host"',
        ),
    ],
)
def test_different_memory_kinds_are_errors(marks: tuple[str, str, str, str], message: str) -> None:
    assert error_of(kinds(*marks), check_memory_kinds=True) == message
    np.testing.assert_array_equal(interpret(kinds(*marks), [X])[0], 2 * X)


@pytest.mark.parametrize("operand", ["", HOST])
def test_memory_kinds_are_not_checked_through_transfers(operand: str) -> None:
    host = f'!mpmd.mesh_tensor<"m1", {T}, memory_kind="pinned_host">'
    body = f"""%0 = mpmd.transfer %x : ({M1}) -> {host}
%1 = mpmd.transfer %0 : ({host}) -> {M1}
%2 = {fragment("%1", operand)}
return %2 : {M1}"""
    result = interpret(main(body), [X], check_memory_kinds=True)[0]
    np.testing.assert_array_equal(result, 2 * X)
