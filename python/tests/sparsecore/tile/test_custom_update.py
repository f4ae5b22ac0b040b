"""A user's update, traced by JAX."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.optimizers import Custom
from sdykit.sparsecore.optimizers.rounding import row_sum
from sdykit.sparsecore.reference import update
from sdykit.sparsecore.tile.build import build_tile
from sdykit.sparsecore.tile.spec import CustomUpdateSpec
from support.tile.tile_cases import CHIPS, make_buffers, run_tile, same_bits

ROW = "tensor<1x4xf32>"


def stablehlo(function: Callable[..., Any], dim: int, arguments: int) -> str:
    rows = [jax.ShapeDtypeStruct((1, dim), jnp.float32)] * arguments
    return jax.jit(function).lower(*rows).as_text()


def spec_of(
    function: Callable[..., Any], slots: tuple[str, ...], scalars: tuple[str, ...], dim: int = 21
) -> CustomUpdateSpec:
    text = stablehlo(function, dim, 2 + len(slots) + len(scalars))
    return CustomUpdateSpec(
        dim=dim, samples_per_core=5, stablehlo=text, slots=slots, scalars=scalars
    )


def run_both(spec: CustomUpdateSpec, numpy_function: Callable[..., Any]) -> list[list[np.ndarray]]:
    """Run the program, and the reference with a function of numpy; return table and slots of both."""
    rng = np.random.default_rng(5)
    buffers = make_buffers(rng, spec.chip, vocabulary=200)
    shape = (buffers.rows_per_core * CHIPS[spec.chip], spec.dim)
    table = rng.standard_normal(shape).astype(np.float32)
    slots = {
        name: rng.uniform(0.1, 2, (shape[0], 1) if name in spec.row_slots else shape)
        for name in spec.slots
    }
    slots = {name: array.astype(np.float32) for name, array in slots.items()}
    gradients = rng.standard_normal((5 * CHIPS[spec.chip], spec.dim)).astype(np.float32)
    scalars = {name: np.float32(0.1 * (k + 1)) for k, name in enumerate(spec.scalars)}
    given = {**buffers.arrays, "gradients": gradients, "table": table}
    given |= {f"slot_{name}": array for name, array in slots.items()}
    given |= {name: np.array(value) for name, value in scalars.items()}
    found, _ = run_tile(spec, given)
    optimizer = Custom(
        0.1,
        update=numpy_function,
        slot_values=tuple((name, 0.0) for name in spec.slots if name not in spec.row_slots),
        row_slot_values=tuple((name, 0.0) for name in spec.row_slots),
        more_hyperparameters=tuple((name, 0.0) for name in spec.scalars[1:]),
    )
    expected, expected_slots = update(
        table[None],
        {name: array[None] for name, array in slots.items()},
        buffers.entries,
        gradients[None],
        optimizer=optimizer,
        hyperparameters=scalars,
    )
    return [
        [found["table"], *(found[f"slot_{name}"] for name in spec.slots)],
        [expected[0], *(array[0] for array in expected_slots.values())],
    ]


def adagrad(xp: Any) -> Callable[..., Any]:
    def rule(g: Any, w: Any, a: Any, lr: Any, floor: Any) -> Any:
        a = xp.maximum(a + g * g, floor)
        step = xp.where(xp.abs(g) > xp.float32(0.5), lr * g / xp.sqrt(a), -g)
        return xp.clip(w - step, -1, 1).astype(xp.float32), a

    return rule


def test_exact_operations_have_the_bits_of_numpy() -> None:
    spec = spec_of(adagrad(jnp), ("accumulator",), ("learning_rate", "floor"))
    for found, expected in zip(*run_both(spec, adagrad(np)), strict=True):
        assert same_bits(found, expected)


def smooth(xp: Any) -> Callable[..., Any]:
    def rule(g: Any, w: Any, lr: Any) -> Any:
        x = xp.tanh(g) * xp.exp(-xp.abs(w)) + xp.log1p(xp.abs(g)) + xp.expm1(w / 8)
        x = x + xp.sin(g) * xp.cos(w) + xp.float32(1.5) ** g + xp.sign(w) + xp.floor(g)
        return (w - lr * x * (~(g > 1)),)

    return rule


def test_functions_are_close_to_numpy() -> None:
    spec = spec_of(smooth(jnp), (), ("learning_rate",))
    for found, expected in zip(*run_both(spec, smooth(np)), strict=True):
        np.testing.assert_allclose(found, expected, rtol=2e-6, atol=2e-6)


def more(xp: Any) -> Callable[..., Any]:
    """Functions that only jax.lax has, and their equals in numpy."""
    lax: Any = jax.lax if xp is jnp else np
    erf = jax.lax.erf if xp is jnp else np.vectorize(math.erf, otypes=[np.float32])

    def rule(g: Any, w: Any, lr: Any) -> Any:
        x = xp.cbrt(g) + lax.tan(w / 4) + xp.arctan2(g, w) + xp.sinh(g / 4) + xp.cosh(w / 4)
        x = x + xp.arcsinh(g) + xp.arccosh(1 + xp.abs(g)) + xp.arctan(w) + erf(g)
        half = xp.tanh(g) * xp.float32(0.5)
        x = x + xp.arcsin(half) + xp.arccos(half) + xp.arctanh(half)
        return (w - lr * x,)

    return rule


def exact(xp: Any) -> Callable[..., Any]:
    def rule(g: Any, w: Any, lr: Any) -> Any:
        x = xp.square(g) + xp.fmod(w, xp.float32(0.25)) + w % xp.float32(0.5)
        x = xp.where(xp.isfinite(w / (g - g)), xp.float32(1), x)
        return (xp.where((g > 0) == (w > 0), w - lr * x, w),)

    return rule


def test_further_functions_equal_or_are_close_to_numpy() -> None:
    spec = spec_of(more(jnp), (), ("learning_rate",))
    for found, expected in zip(*run_both(spec, more(np)), strict=True):
        np.testing.assert_allclose(found, expected, rtol=4e-6, atol=4e-6)
    spec = spec_of(exact(jnp), (), ("learning_rate",))
    with np.errstate(divide="ignore", invalid="ignore"):
        both = run_both(spec, exact(np))
    for found, expected in zip(*both, strict=True):
        assert same_bits(found, expected)


def row_wise(xp: Any) -> Callable[..., Any]:
    """Reductions over a row in jax.numpy, and their equals in numpy."""
    total = row_sum if xp is np else lambda x: jnp.sum(x, axis=1, keepdims=True)

    def rule(g: Any, w: Any, m: Any, a: Any, lr: Any) -> Any:
        columns = xp.float32(g.shape[1])
        a = a + total(g * g) / columns
        largest = xp.max(xp.abs(g), axis=-1, keepdims=True) + xp.min(w)
        centered = g - total(g) / columns
        m = xp.where(largest > 1, m, centered) + xp.sum(g, axis=0)
        return w - lr * centered / xp.sqrt(a), m, a

    return rule


@pytest.mark.parametrize("chip", ["v5p", "7x"])
@pytest.mark.parametrize("dim", [1, 3, 8, 21, 128, 131, 300, 512])
def test_reductions_over_a_row_have_the_bits_of_the_reference(dim: int, chip: str) -> None:
    shapes = [(1, dim)] * 3 + [(1, 1), (1, dim)]
    rows = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in shapes]
    spec = CustomUpdateSpec(
        dim=dim,
        chip=chip,
        samples_per_core=5,
        stablehlo=jax.jit(row_wise(jnp)).lower(*rows).as_text(),
        slots=("m", "a"),
        row_slots=("a",),
    )
    for found, expected in zip(*run_both(spec, row_wise(np)), strict=True):
        assert same_bits(found, expected)


def test_reductions_that_jax_composes_are_close_to_numpy() -> None:
    """JAX's own mean, variance, norm, product and softmax, in functions that it makes."""

    def rule(g: Any, w: Any, lr: Any) -> Any:
        x = jnp.mean(g) + jnp.var(w) + jnp.linalg.norm(g) + jnp.prod(jnp.tanh(g[0]))
        return (w - lr * (x + jax.nn.softmax(g, axis=1)),)

    def of_arrays(g: Any, w: Any, lr: Any) -> Any:
        wide = g.astype(np.float64)
        powers = np.exp(wide)
        x = wide.mean() + np.var(w) + np.linalg.norm(wide) + np.prod(np.tanh(wide))
        return ((w - lr * (x + powers / powers.sum())).astype(np.float32),)

    for found, expected in zip(
        *run_both(spec_of(rule, (), ("learning_rate",), dim=5), of_arrays), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6)


def running(g: Any, w: Any, lr: Any) -> Any:
    return (w - lr * jnp.cumsum(g, axis=1),)


def largest(g: Any, w: Any, lr: Any) -> Any:
    return (w - lr * jnp.argmax(g, axis=1),)


def counted(g: Any, w: Any, lr: Any) -> Any:
    return (w - lr * jnp.sum((g > 0).astype(jnp.int8)),)


def of_other_size(g: Any, w: Any, lr: Any) -> Any:
    return (w - lr * g * jnp.sum(jnp.ones(7, jnp.float32)),)


def by_column(g: Any, w: Any, lr: Any) -> Any:
    return (w - lr * g * np.arange(21, dtype=np.float32),)


def integers(g: Any, w: Any, lr: Any) -> Any:
    return (w - lr * g.astype(jnp.int32),)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (running, "'stablehlo.reduce_window' op with result tensor<1x21xf32> cannot be part"),
        (largest, "'stablehlo.iota' op with result tensor<1x21xi32> cannot be part of an update"),
        (counted, "'stablehlo.convert' op with result tensor<1x21xi8> cannot be part of an"),
        (
            of_other_size,
            "'stablehlo.reduce' op of tensor<7xf32> cannot be part of an update; expected it over "
            "the 21 columns of a row",
        ),
        (
            by_column,
            "'stablehlo.constant' op has elements that differ; expected one number for all columns",
        ),
        (integers, "'stablehlo.convert' op with result tensor<1x21xi32> cannot be part of"),
    ],
)
def test_an_unsupported_op_is_an_error_with_its_place(
    function: Callable[..., Any], message: str
) -> None:
    with pytest.raises(SparseCoreError, match=r"^stablehlo:\d+:\d+: error: ") as error:
        build_tile(spec_of(function, (), ("learning_rate",)))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("what", "stablehlo:1:1: error: custom op 'what' is unknown"),
        (
            "module {}",
            "stablehlo: error: the functions of the module are none; expected one named main",
        ),
        (
            "func.func @main() { return }",
            "stablehlo:1:1: error: main has 0 arguments and 0 results; expected 3 (gradient, "
            "table, slots, hyperparameters) and 1 (table, slots)",
        ),
        (
            f"func.func @main(%g: {ROW}, %t: {ROW}, %r: {ROW}) -> {ROW} {{\n"
            f"  %0 = func.call @main(%g, %t, %r) : ({ROW}, {ROW}, {ROW}) -> {ROW}\n"
            f"  return %0 : {ROW}\n}}",
            "stablehlo:2:8: error: function main calls itself; expected no recursion",
        ),
        (
            f"func.func private @main({ROW}, {ROW}, {ROW}) -> {ROW}",
            "stablehlo:1:1: error: main has 0 blocks; expected 1",
        ),
        (
            f"func.func @main(%g: {ROW}, %t: {ROW}, %r: {ROW}) -> {ROW} {{\n"
            f"  cf.br ^end(%g : {ROW})\n^end(%x: {ROW}):\n  return %x : {ROW}\n}}",
            "stablehlo:1:1: error: main has 2 blocks; expected 1",
        ),
        (
            f"func.func @main(%g: tensor<1x4xf64>, %t: {ROW}, %r: tensor<f32>) -> {ROW} {{\n"
            f"  return %t : {ROW}\n}}",
            "stablehlo:1:1: error: main has arguments and results of tensor<1x4xf64>, "
            "tensor<1x4xf32>, tensor<f32>; expected float32, of one shape or scalars",
        ),
        (
            f"func.func @main(%g: {ROW}, %t: {ROW}, %r: {ROW}) -> {ROW} {{\n"
            f"  %0 = stablehlo.compare LT, %g, %t, TOTALORDER : ({ROW}, {ROW}) -> "
            f"tensor<1x4xi1>\n"
            f"  %1 = stablehlo.select %0, %g, %t : tensor<1x4xi1>, {ROW}\n  return %1 : {ROW}\n}}",
            "stablehlo:2:8: error: 'stablehlo.compare' op is of type TOTALORDER; expected FLOAT",
        ),
    ],
)
def test_a_text_that_is_not_an_update_is_an_error(text: str, message: str) -> None:
    with pytest.raises(SparseCoreError) as error:
        build_tile(CustomUpdateSpec(dim=4, samples_per_core=5, stablehlo=text))
    assert str(error.value).startswith(message)
