"""Fragments on simulated devices, partitioned by their shardings: the values are those of one device."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sdykit.core.diagnostics import sent_to
from sdykit.mlir import ir, make_context
from sdykit.mpmd import ExecutionError, interpret
from sdykit.mpmd.interpreter.running import Devices
from support.mpmd.checks import inputs_of
from support.mpmd.programs import random_program

INPUTS = Path(__file__).parents[1] / "inputs" / "mpmd"
T = "tensor<4x8xf32>"
ROWS = f'!mpmd.mesh_tensor<"m1", {T}, sharding=<@mesh, [{{"x"}}, {{}}]>>'
X = np.arange(32, dtype=np.float32).reshape(4, 8)


def run(module: ir.Module | str, inputs: list[Any], devices: Devices = "simulated") -> list[Any]:
    with sent_to(lambda _: None):  # Of ops that are run on whole tensors.
        return interpret(module, inputs, devices=devices)


@pytest.mark.parametrize("seed", range(6))
def test_random_programs(seed: int) -> None:
    """None of these calls a function that XLA does not have."""
    assert_same_as_on_one_device(random_program(seed, oracle=False), seed)


@pytest.mark.parametrize("name", ["decoder", "offloaded_mlp"])
def test_models(name: str) -> None:
    assert_same_as_on_one_device((INPUTS / f"{name}.mlir").read_text(), 0)


def assert_same_as_on_one_device(text: str, seed: int) -> None:
    module = ir.Module.parse(text, make_context())
    inputs = [
        abs(each / 10).astype(each.dtype) if each.dtype == np.float32 else abs(each)
        for each in inputs_of(module, seed)
    ]
    for found, expected in zip(run(module, inputs), run(module, inputs, "one"), strict=True):
        assert (found is None) == (expected is None)  # Tokens.
        if expected is not None:
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def program(body: str, attributes: str = "") -> str:
    return f"""
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(%x: {ROWS} {attributes}) -> {ROWS}
    attributes {{topology = #mpmd.topology<<"m1": <["x"=2, "y"=2]>>>}} {{
  %0 = mpmd.fragment<mesh="m1", origin=["f"]> (%x) (%a: {T}) {{
{body}
  }} : ({ROWS}) -> {ROWS}
  return %0 : {ROWS}
}}
"""


SUMMED = f"""
    %b = sdy.manual_computation(%a) in_shardings=[<@mesh, [{{"x"}}, {{"y"}}]>]
        out_shardings=[<@mesh, [{{"x"}}, {{"y"}}]>] manual_axes={{"x", "y"}} (%p: tensor<2x4xf32>) {{
      %s = "stablehlo.all_reduce"(%p) <{{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}}> ({{
      ^bb0(%l: tensor<f32>, %r: tensor<f32>):
        %t = stablehlo.add %l, %r : tensor<f32>
        stablehlo.return %t : tensor<f32>
      }}) : (tensor<2x4xf32>) -> tensor<2x4xf32>
      sdy.return %s : tensor<2x4xf32>
    }} : ({T}) -> {T}
    mpmd.return %b : {T}"""


def test_collectives_of_a_fragment_are_run() -> None:
    """On one device they are an error."""
    (found,) = run(program(SUMMED), [X])
    left, right = X[:, :4], X[:, 4:]
    np.testing.assert_array_equal(found, np.hstack([left + right] * 2))
    with pytest.raises(ExecutionError, match="needs all devices of its mesh"):
        run(program(SUMMED), [X], "one")


def test_devices_that_disagree_are_an_error() -> None:
    """The sharding says that devices along `y` hold the same, and each adds its number."""
    body = f"""
    %b = sdy.manual_computation(%a) in_shardings=[<@mesh, [{{"x"}}, {{}}]>]
        out_shardings=[<@mesh, [{{"x"}}, {{}}]>] manual_axes={{"x", "y"}} (%p: tensor<2x8xf32>) {{
      %i = stablehlo.partition_id : tensor<ui32>
      %f = stablehlo.convert %i : (tensor<ui32>) -> tensor<f32>
      %c = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
      %s = stablehlo.add %p, %c : tensor<2x8xf32>
      sdy.return %s : tensor<2x8xf32>
    }} : ({T}) -> {T}
    mpmd.return %b : {T}"""
    with pytest.raises(ExecutionError) as caught:
        run(program(body), [X])
    assert str(caught.value).startswith(
        '-:5:8: error: fragment "f" cannot be run on the devices of its mesh: result #0 of @main:'
        " devices 0 and 1 should hold the same part, but device 1 has 1.0 instead of 0.0 at [0, 0]"
    )


def test_donation_is_checked_as_on_one_device() -> None:
    body = f"%b = stablehlo.tanh %a : {T}\nmpmd.return %b : {T}"
    text = program(body).replace(
        'origin=["f"]> (%x)', 'origin=["f"]> (%x) {arg_attrs = [{jax.buffer_donor = true}]}'
    )
    with pytest.raises(ExecutionError, match="is donated, but it is argument #0"):
        run(text, [X])
    marked = text.replace(f"{ROWS} )", f"{ROWS} {{jax.buffer_donor = true}})")
    np.testing.assert_allclose(run(marked, [X])[0], np.tanh(X), rtol=1e-6)


def test_other_devices_are_an_error() -> None:
    with pytest.raises(ExecutionError, match="expected 'one' or 'simulated', found 'tpu'"):
        interpret(program(SUMMED), [X], devices="tpu")  # type: ignore[arg-type]
