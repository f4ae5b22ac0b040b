"""The library's gradient with a user's own update, on one device."""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

pytest.importorskip("jax_tpu_embedding", reason="jax-tpu-embedding is not installed")

from sdykit.bridge.errors import BridgeError
from sdykit.bridge.jax_tpu_embedding.primitives import custom
from sdykit.mlir import ir, make_context
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.reference import gradient_sums
from sdykit.sparsecore.specs import System
from support.jax_tpu_embedding.custom_cases import MOMENTUM, form_of, momentum, update
from support.jax_tpu_embedding.gradient_cases import (
    IS_OLD,
    LIMITS,
    OWN,
    STEP,
    Case,
    make_case,
    newest,
    primitive_of,
    same,
)

ALONE = System(1, 4)
WHERE = "sparse_dense_matmul_optimizer_grad"


@functools.cache
def case_of(*, minibatching: bool, dim: int = 8) -> Case:
    return make_case(4 + minibatching, ALONE, minibatching=minibatching, dim=dim)


def tables_of(case: Case) -> list[np.ndarray]:
    return [case.table[0], *(each[0] for each in case.slots(MOMENTUM).values())]


@pytest.mark.parametrize("minibatching", [False, True], ids=["whole", "minibatches"])
def test_a_users_update_has_the_bits_of_the_reference(minibatching: bool) -> None:
    case = case_of(minibatching=minibatching)
    step = jax.jit(functools.partial(update, case))
    before = tables_of(case)
    found = step(case.buffers, before, case.gradient[0])
    for array, old, expected in zip(found, before, case.expected(MOMENTUM), strict=True):
        assert same(array, expected[0])
        untouched = case.untouched[0]
        assert 0 < untouched.sum() < len(untouched)
        assert same(np.asarray(array)[untouched], old[untouched])


def row_wise(gradient: Any, table: Any, seen: Any, *scalars: Any) -> Any:
    """Update a row by the mean of its squares, which the slot keeps in all columns."""
    rate, decay = scalars
    seen = decay * seen + jnp.mean(gradient * gradient)
    return table - rate * gradient / jnp.sqrt(seen), seen


@pytest.mark.parametrize("dim", [8, 136])
def test_an_update_may_reduce_over_the_row(dim: int) -> None:
    case = case_of(minibatching=False, dim=dim)
    table, seen = case.table[0], np.abs(case.table[0]) + np.float32(0.5)
    options = form_of(row_wise, dim, 5)
    if not IS_OLD:
        options["enable_minibatching"] = False

    def step(buffers: Any, gradient: Any, *tables: Any) -> Any:
        operands = (*buffers, gradient, jnp.float32(0.1), jnp.float32(0.75), *tables)
        return primitive_of(OWN).bind(*operands, num_hyperparameters=2, **options, **LIMITS)

    found = jax.jit(step)(case.buffers, case.gradient[0], table, seen)
    sums = gradient_sums(case.entries, case.gradient, case.table.shape[1] // 4)
    expected, kept = table.astype(np.float64), seen.astype(np.float64)
    g, row = sums.gradient.astype(np.float64), sums.row
    kept[row] = 0.75 * kept[row] + (g * g).mean(axis=1, keepdims=True)
    expected[row] -= 0.1 * g / np.sqrt(kept[row])
    np.testing.assert_allclose(found[0], expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found[1], kept, rtol=1e-5)


def stablehlo_of(dim: int) -> str:
    row = jax.ShapeDtypeStruct((1, dim), jnp.float32)
    return jax.jit(momentum).lower(*[row] * 6).as_text()


def bytecode(text: str) -> bytes:
    with make_context():
        out = io.BytesIO()
        ir.Module.parse(text).operation.write_bytecode(out)
        return out.getvalue()


def module(text: str) -> ir.Module:
    with make_context():
        return ir.Module.parse(text)


FORMS: dict[str, Callable[[str], Any]] = {
    "text": str,
    "bytes": str.encode,
    "bytecode": bytecode,
    "module": module,
}


def run(stablehlo: Any, case: Case, tables: list[Any], gradient: Any) -> Any:
    """Call the form that takes StableHLO."""
    scalars: list[Any] = [jnp.asarray(each) for each in MOMENTUM.hyperparameters(STEP).values()]

    def step(buffers: Any, tables: Any, gradient: Any) -> Any:
        operands = (*buffers, gradient, *scalars, *tables)
        return newest(OWN)(
            *operands,
            num_hyperparameters=len(scalars),
            stablehlo=stablehlo,
            enable_minibatching=case.is_minibatched,
            **LIMITS,
        )

    return jax.jit(step)(case.buffers, tables, gradient)


@pytest.mark.parametrize("form", FORMS)
def test_stablehlo_may_be_text_bytecode_or_a_module(form: str) -> None:
    case = case_of(minibatching=True)
    given = FORMS[form](stablehlo_of(8))
    found = run(given, case, tables_of(case), case.gradient[0])
    for array, expected in zip(found, case.expected(MOMENTUM), strict=True):
        assert same(array, expected[0])


@pytest.mark.parametrize("flat", [(), (0,), (0, 1, 2)], ids=str)
def test_tables_of_one_column_become_one_dimensional(flat: tuple[int, ...]) -> None:
    case = case_of(minibatching=False, dim=1)
    tables = [each[:, 0] if number in flat else each for number, each in enumerate(tables_of(case))]
    gradient = case.gradient[0, :, 0] if flat else case.gradient[0]
    found = run(stablehlo_of(1), case, tables, gradient)
    for array, expected in zip(found, case.expected(MOMENTUM), strict=True):
        assert array.shape == case.table.shape[1:2]
        assert same(array, expected[0])


def test_donated_tables_are_updated_in_place() -> None:
    case = case_of(minibatching=False)
    step = jax.jit(functools.partial(update, case), donate_argnums=1)
    tables = [jnp.ones((2**17, 8), jnp.float32) for _ in range(3)]
    memory: Any = step.lower(case.buffers, tables, case.gradient[0]).compile().memory_analysis()
    assert memory.alias_size_in_bytes == sum(each.nbytes for each in tables)
    assert memory.temp_size_in_bytes < tables[0].nbytes
    places = [each.unsafe_buffer_pointer() for each in tables]
    found = step(case.buffers, tables, case.gradient[0])
    assert [each.unsafe_buffer_pointer() for each in found] == places


def call(function: Callable[..., Any], arguments: int = 3) -> Any:
    case = case_of(minibatching=False)

    def step(buffers: Any, table: Any, gradient: Any) -> Any:
        row = jax.ShapeDtypeStruct((1, 8), jnp.float32)
        jaxpr = jax.make_jaxpr(function)(*[row] * arguments)
        operands = (*buffers, gradient, jnp.float32(0.1), table)
        return custom.update(*operands, num_hyperparameters=1, jaxpr=jaxpr, **LIMITS)

    return jax.jit(step)(case.buffers, case.table[0], case.gradient[0])


KNOWN = (
    "abs, acos, acosh, add, and, asin, asinh, atan, atan2, atanh, broadcast_in_dim, cbrt, ceil, "
    "clamp, compare, constant, convert, cosh, cosine, divide, erf, erfc, exponential, "
    "exponential_minus_one, floor, is_finite, log, log_plus_one, maximum, minimum, multiply, "
    "negate, not, or, power, remainder, reshape, round_nearest_afz, round_nearest_even, rsqrt, "
    "select, sign, sine, sinh, sqrt, square, subtract, tan, tanh, xor"
)


def across(g: Any, w: Any, rate: Any) -> Any:
    return w - rate * jnp.cumsum(g, axis=1)


def by_column(g: Any, w: Any, rate: Any) -> Any:
    return w - rate * np.arange(8, dtype=np.float32) * g


NOT_ELEMENT_WISE = [
    (
        across,
        "error: 'stablehlo.reduce_window' op with result tensor<1x8xf32> cannot be part of an "
        f"update; expected element-wise ops on float32: {KNOWN}; or stablehlo.reduce over the row",
    ),
    (
        by_column,
        "error: 'stablehlo.constant' op has elements that differ; expected one number for all "
        "columns",
    ),
]


@pytest.mark.parametrize(("function", "expected"), NOT_ELEMENT_WISE)
def test_an_update_that_cannot_be_traced_is_an_error(
    function: Callable[..., Any], expected: str
) -> None:
    with pytest.raises(SparseCoreError) as raised:
        call(function)
    place, _, message = str(raised.value).partition(": ")
    assert message == expected
    if function is across:  # JAX says nothing of where constants come from.
        line = function.__code__.co_firstlineno + 1
        assert re.fullmatch(rf"{re.escape(__file__)}:{line}:\d+", place)


@pytest.mark.parametrize(("function", "expected"), NOT_ELEMENT_WISE)
def test_an_update_without_a_translation_is_an_error(
    function: Callable[..., Any], expected: str
) -> None:
    row = jax.ShapeDtypeStruct((1, 8), jnp.float32)
    text = jax.jit(function).lower(*[row] * 3).as_text()
    case = case_of(minibatching=False)

    def step(buffers: Any, table: Any, gradient: Any) -> Any:
        operands = (*buffers, gradient, jnp.float32(0.1), table)
        return newest(OWN)(*operands, num_hyperparameters=1, stablehlo=text, **LIMITS)

    with pytest.raises(jax.errors.JaxRuntimeError) as raised:
        jax.jit(step)(case.buffers, case.table[0], case.gradient[0])
    first = str(raised.value).splitlines()[0]
    assert re.fullmatch(rf"INVALID_ARGUMENT: stablehlo:\d+:\d+: {re.escape(expected)}", first)


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        (
            lambda g, w: w - g,
            2,
            f"{WHERE}: jaxpr has 2 arguments; expected 3: gradient, table, 0 slots and 1 "
            "hyperparameters",
        ),
        (
            lambda g, w, rate: (w - rate * g, w),
            3,
            "optimizer custom: update returns float32[1,8], float32[1,8]; expected table and 0 "
            "slots, each float32[1,8]",
        ),
    ],
    ids=["arguments", "results"],
)
def test_an_update_with_another_signature_is_an_error(
    function: Callable[..., Any], arguments: int, expected: str
) -> None:
    with pytest.raises(BridgeError) as raised:
        call(function, arguments)
    assert str(raised.value) == expected


@pytest.mark.parametrize(
    ("stablehlo", "expected"),
    [
        (
            b"\xff",
            "stablehlo is 1 bytes; expected text, or MLIR's bytecode ('utf-8' codec can't decode "
            "byte 0xff in position 0: invalid start byte)",
        ),
        (
            b"ML\xefRxx",
            "stablehlo is 6 bytes; expected text, or MLIR's bytecode (Unable to parse module "
            'assembly:\nerror: "-":0:0: attempting to parse 3 bytes when only 1 remain)',
        ),
    ],
    ids=str,
)
def test_bytes_that_are_no_module_are_an_error(stablehlo: bytes, expected: str) -> None:
    case = case_of(minibatching=False)
    with pytest.raises(BridgeError) as raised:
        run(stablehlo, case, tables_of(case), case.gradient[0])
    assert str(raised.value) == f"{WHERE}: {expected}"


def test_a_slot_of_another_shape_is_an_error() -> None:
    case = case_of(minibatching=False)
    table, velocity, seen = tables_of(case)
    with pytest.raises(BridgeError) as raised:
        run(stablehlo_of(8), case, [table, velocity[:4], seen], case.gradient[0])
    assert str(raised.value) == f"{WHERE}: slot '1' is float32[4,8]; expected float32[160,8]"
