"""Errors of calls of tile programs, with their text."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sdykit.bridge import _native, ffi
from sdykit.bridge.errors import BridgeError
from sdykit.bridge.kernels import specs
from support.bridge.ffi_programs import ADD_ROWS, DOUBLE, checked

# A call that fails at once is a ValueError in a jitted function that has run before.
ERRORS = (jax.errors.JaxRuntimeError, ValueError)


def error_of(
    program: str | dict[str, Any],
    args: Sequence[Any],
    results: Sequence[Any],
    aliases: dict[int, int] | None = None,
) -> str:
    """Return the text of the error of a call."""

    def run(*args: jax.Array) -> tuple[jax.Array, ...]:
        return ffi.call(program, args, results, input_output_aliases=aliases)

    with pytest.raises(ERRORS) as raised:
        jax.block_until_ready(jax.jit(run)(*args))
    assert "Traceback" not in str(raised.value)
    return str(raised.value)


def shape(*sizes: int, dtype: Any = jnp.float32) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(sizes, dtype)


X = np.ones(4, np.float32)
TABLE = np.ones((4, 8), np.float32)
IDS = np.ones(2, np.int32)


@pytest.mark.parametrize(
    ("args", "results", "text"),
    [
        (
            [X.astype(np.int32)],
            [shape(4)],
            "@double: argument 0 'x' (operand 0) is int32[4]; expected float32[?]",
        ),
        (
            [X.astype(np.complex64)],
            [shape(4)],
            "@double: argument 0 'x' (operand 0) is complex64[4]; expected float32[?]",
        ),
        (
            [X.reshape(2, 2)],
            [shape(4)],
            "@double: argument 0 'x' (operand 0) is float32[2,2]; expected float32[?]",
        ),
        (
            [X[0]],
            [shape(4)],
            "@double: argument 0 'x' (operand 0) is float32[]; expected float32[?]",
        ),
        (
            [X],
            [shape(4, dtype=jnp.bfloat16)],
            "@double: argument 1 'y' (result 0) is bfloat16[4]; expected float32[?]",
        ),
        (
            [X, X],
            [shape(4)],
            "@double takes 2 arrays: operands, then results that alias none of them;"
            " found 2 operands and 1 results, aliases {}",
        ),
        (
            [X],
            [],
            "@double takes 2 arrays: operands, then results that alias none of them;"
            " found 1 operands and 0 results, aliases {}",
        ),
    ],
)
def test_arrays_that_do_not_fit_are_an_error(
    args: list[Any], results: list[Any], text: str
) -> None:
    if not results:  # Nothing would be left of the call.
        with pytest.raises(ERRORS) as raised:
            jax.block_until_ready(raw({"program": DOUBLE}, args, [], has_side_effect=True))
        assert str(raised.value) == f"INVALID_ARGUMENT: {text}"
        return
    assert error_of(DOUBLE, args, results) == f"INVALID_ARGUMENT: {text}"


def raw(
    spec: dict[str, Any], args: Sequence[Any], results: Sequence[Any], **options: Any
) -> Sequence[jax.Array]:
    arrays = (len(args), len(results))
    text = json.dumps({"version": 1, "kind": "tile", "arrays": arrays, **spec})
    return jax.jit(
        lambda *args: jax.ffi.ffi_call(ffi.TARGET, results, **options)(*args, spec=text)
    )(*args)


def test_a_static_size_that_does_not_fit_is_an_error() -> None:
    assert error_of(ADD_ROWS, [TABLE[:, :4], IDS], [shape(4, 4)], {0: 0}) == (
        "INVALID_ARGUMENT: @add_rows: argument 0 'table' (operand 0) is float32[4,4];"
        " expected float32[?,8]"
    )


def test_a_missing_alias_is_an_error() -> None:
    assert error_of(ADD_ROWS, [TABLE, IDS], [shape(4, 8)]) == (
        "INVALID_ARGUMENT: @add_rows takes 2 arrays: operands, then results that alias none of them;"
        " found 2 operands and 1 results, aliases {}"
    )


def test_a_program_that_writes_to_an_operand_without_an_alias_is_refused() -> None:
    """JAX takes it for constant, so the change would be silent."""
    ids = '{sparsecore.name = "ids"})'
    spill = ADD_ROWS.replace(ids, ids.replace(")", ", %out: memref<?x8xf32>)"))
    assert error_of(spill, [TABLE, IDS], [shape(4, 8)]) == (
        "INVALID_ARGUMENT: @add_rows: argument 0 'table' (operand 0) is written by the program;"
        " expected a result that aliases it"
    )
    status = ADD_ROWS.replace("@add_rows(", "@f(%s: memref<8xi64> {sparsecore.status},").replace(
        '{sparsecore.name = "table"}', ""
    )
    status = status.replace(ids, "{}, %out: memref<?xf32>)")
    assert error_of(status, [TABLE, IDS], [shape(4)]) == (
        "INVALID_ARGUMENT: @f: argument 1 (operand 0) is written by the program;"
        " expected a result that aliases it"
    )
    np.testing.assert_array_equal(TABLE, np.ones((4, 8), np.float32))


@pytest.mark.parametrize("result", [shape(8, 4), shape(5, 8), shape(4, 8, dtype=jnp.int32)])
def test_a_result_of_another_shape_than_its_alias_is_an_error(result: jax.ShapeDtypeStruct) -> None:
    found = f"{result.dtype}[{','.join(map(str, result.shape))}]"
    with pytest.raises(ERRORS) as raised:
        raw({"program": ADD_ROWS, "aliases": [[0, 0]]}, [TABLE, IDS], [result])
    assert str(raised.value) == (
        f"INVALID_ARGUMENT: @add_rows: argument 0 'table' (result 0) is {found};"
        " expected float32[4,8], the type of operand 0, which it aliases"
    )


@pytest.mark.parametrize(
    ("size", "serial_bytes"), [(10, 1 << 20), (10, 0), (100_000, 0), (100_000, 1 << 40)]
)
def test_the_first_error_of_a_program_is_the_message(size: int, serial_bytes: int) -> None:
    program = checked(serial_bytes=serial_bytes)
    x = np.ones(size, np.float32)
    run = jax.jit(lambda x: ffi.call(program, [x], [x])[0])
    np.testing.assert_array_equal(run(x), 2 * x)
    x[[size // 2, size - 1]] = -1
    for _ in range(20):  # Of several errors it is the first by position, whichever thread is first.
        with pytest.raises(ERRORS) as raised:
            run(x).block_until_ready()
        assert str(raised.value) == (
            f"INVALID_ARGUMENT: x[{size // 2}] is negative, {{7}} of {size // 2} and {{8}}"
        )
    np.testing.assert_array_equal(run(np.abs(x)), 2 * np.abs(x))


@pytest.mark.parametrize("code", [3, -1, 2**40])
def test_a_status_without_a_message_is_shown_as_its_code(code: int) -> None:
    assert error_of(checked(code=code), [-X], [shape(4)]) == (
        f"INVALID_ARGUMENT: @checked ended with status {code}, for which it has no message; "
        "expected 0 to 2"
    )


def test_a_status_of_a_program_without_messages_is_shown_as_its_code() -> None:
    text = re.sub(r",\s*sparsecore\.messages = \[.*\]", "", checked(code=1))
    assert error_of(text, [-X], [shape(4)]) == (
        "INVALID_ARGUMENT: @checked ended with status 1, for which it has no message; expected 0"
    )


def test_a_step_that_is_not_positive_is_an_error() -> None:
    text = DOUBLE.replace("step (%c1)", "step (%none)")
    text = text.replace("  scf.parallel", "  %none = arith.subi %n, %n : index\n  scf.parallel")
    assert error_of(text, [X], [shape(4)]) == (
        "INVALID_ARGUMENT: @double: a step of the loop of phase 0 is 0 or negative; "
        "expected positive steps"
    )


@pytest.mark.parametrize(
    ("program", "text"),
    [
        ("func.func @f(", "-:1:13: error: expected non-function type"),
        (
            DOUBLE.replace("  return", "  %t = tensor.empty() : tensor<4xf32>\n  return"),
            "-:12:8: error: 'tensor.empty' op cannot be translated: ",
        ),
        (
            DOUBLE.replace(', sparsecore.name = "y"', "").replace('name = "x"', "name = 3"),
            "-:2:1: error: attribute 'sparsecore.name' is 3 : i64; expected a string",
        ),
        (
            checked().replace("serial_bytes = 1048576 : i64", 'serial_bytes = "1"'),
            "-:2:1: error: attribute 'sparsecore.serial_bytes' is \"1\"; expected an integer",
        ),
        (
            checked().replace('"", "x', '3, "x'),
            "-:2:1: error: attribute 'sparsecore.messages' is 3 : i64;"
            " expected an array of strings",
        ),
        (
            checked().replace("%x: memref<?xf32>", "%x: memref<?xf32> {sparsecore.status}"),
            "-:2:1: error: several arguments have the attribute 'sparsecore.status'; expected at most one",
        ),
        (
            checked().replace("memref<8xi64>", "memref<9xi64>"),
            "ValueError: the status is int64[9]; expected int64[8]",
        ),
        ("module {}", "-:1:1: error: expected one function with the attribute 'sparsecore.entry'"),
    ],
)
def test_programs_that_cannot_be_compiled_are_errors_with_a_location(
    program: str, text: str
) -> None:
    found = error_of(program, [X], [shape(4)])
    assert found.startswith(f"INVALID_ARGUMENT: {text}"), found


@pytest.fixture
def only_tile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the kinds that other modules register."""
    compilers = {"tile": specs._compilers["tile"]}
    monkeypatch.setattr(specs, "_compilers", compilers)


@pytest.mark.usefixtures("only_tile")
def test_bad_specs_are_refused_when_called() -> None:
    for spec, text in [
        ({"version": 2, "kind": "tile"}, "spec: version is 2; expected 1"),
        ({"version": 1, "kind": "lookups"}, "spec: kind is 'lookups'; expected one of 'tile'"),
        ({"kind": "tile"}, "spec: version is None; expected 1"),
        (
            {"version": 1, "kind": "tile", "program": DOUBLE, "aliases": []},
            "spec: found 'aliases', which is a field of the call; expected a spec without it: the"
            " arguments of ffi.call set it",
        ),
        (
            {"version": 1, "kind": "tile", "program": X},
            "spec cannot be written as JSON: Object of type ndarray is not JSON serializable;"
            " expected values that json.dumps takes",
        ),
    ]:
        with pytest.raises(BridgeError, match=f"^{re.escape(text)}$"):
            ffi.call(spec, [X], [shape(4)])


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("{", "spec: it is not JSON: Expecting property name enclosed in double quotes:"),
        ("[]", "spec: it is []; expected an object"),
        ('{"version":3,"kind":"tile"}', "spec: version is 3; expected 1"),
        ('{"version":1,"kind":"x"}', "spec: kind is 'x'; expected one of 'tile'"),
        (
            '{"version":1,"kind":"tile","program":""}',
            "spec: arrays is None; expected two numbers, of operands and of results",
        ),
        (
            '{"version":1,"kind":"tile","program":"","arrays":[1,-1]}',
            "spec: arrays is [1, -1]; expected two numbers, of operands and of results",
        ),
        (
            '{"version":1,"kind":"tile","program":"","arrays":[true,1]}',
            "spec: arrays is [True, 1]; expected two numbers, of operands and of results",
        ),
        (
            '{"version":1,"kind":"tile","arrays":[1,1]}',
            "spec: 'program' is missing; expected the text of a tile program",
        ),
        (
            '{"version":1,"kind":"tile","program":"","arrays":[1,1],"aliases":[[0,-1]]}',
            "spec: aliases is [[0, -1]]; expected pairs of an operand and a result",
        ),
        (
            '{"version":1,"kind":"tile","program":"","arrays":[1,1],"aliases":[0]}',
            "spec: aliases is [0]; expected pairs of an operand and a result",
        ),
    ],
)
@pytest.mark.usefixtures("only_tile")
def test_bad_specs_are_refused_when_compiled(spec: str, text: str) -> None:
    call = jax.ffi.ffi_call(ffi.TARGET, shape(4))
    with pytest.raises(jax.errors.JaxRuntimeError) as raised:
        jax.jit(lambda x: call(x, spec=spec))(X)
    assert str(raised.value).startswith(f"INVALID_ARGUMENT: {text}")


def test_unknown_attributes_of_the_custom_call_are_refused() -> None:
    call = jax.ffi.ffi_call(ffi.TARGET, shape(4))
    with pytest.raises(jax.errors.JaxRuntimeError, match="Wrong number of attributes"):
        jax.jit(lambda x: call(x, spec="{}", other=1))(X)
    with pytest.raises(jax.errors.JaxRuntimeError, match="Wrong attribute type"):
        jax.jit(lambda x: call(x, spec=np.int32(1)))(X)


def test_a_native_module_of_other_sources_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_native, "INTERFACE", "0" * 64)
    x = jnp.ones(16, jnp.float32)
    with pytest.raises(jax.errors.JaxRuntimeError, match="make -B setup") as raised:
        jax.block_until_ready(ffi.call(DOUBLE.replace("@double", "@stale"), [x], [x]))
    assert (
        f"{_native.__file__} was built from other sources than the Python files beside it: expected the "
        "interface of _native.pyi; install sdykit again, in a checkout with `make -B setup`"
    ) in str(raised.value)
