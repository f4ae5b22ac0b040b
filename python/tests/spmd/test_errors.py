"""What cannot be run is told with its place, what was found and what was expected."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sdykit import spmd

F = 'sdy.mesh @mesh = <["a"=2]>\nfunc.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{\n{}\n}}'
ONES = np.ones(4, np.float32)
SAME = "return %x : tensor<4xf32>"


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([], "@main takes 1 argument, found 0"),
        ([None], "argument #0 of @main: expected an array, found None"),
        ([np.ones(3, np.float32)], r"argument #0 of @main: expected shape \(4,\), found \(3,\)"),
        ([np.ones(4)], "argument #0 of @main: expected dtype float32, found float64"),
        ([[[1], [1, 2]]], "argument #0 of @main: expected an array, and numpy cannot make one"),
    ],
)
def test_inputs_that_do_not_fit(inputs: list[Any], message: str) -> None:
    with pytest.raises(spmd.SpmdError, match=message):
        spmd.run(F.format(SAME), inputs)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            '%0 = "stablehlo.custom_call"(%x) {call_target_name = "xla_ffi_python_cpu_callback"}'
            f" : (tensor<4xf32>) -> tensor<4xf32>\n{SAME}",
            "^-:3:6: error: the op calls a Python function of the process that lowered the program",
        ),
        (
            '%t = stablehlo.create_token : !stablehlo.token\n%o = "stablehlo.outfeed"(%x, %t)'
            f' {{outfeed_config = ""}} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token\n{SAME}',
            "^-:4:6: error: 'stablehlo.outfeed' op communicates with something outside",
        ),
        (
            "%c = stablehlo.constant dense<4> : tensor<1xi64>\n%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
            "%0 = stablehlo.rng %z, %z, %c, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>)"
            " -> tensor<4xf32>\nreturn %0 : tensor<4xf32>",
            "^-:5:6: error: 'stablehlo.rng' op makes other numbers on each device",
        ),
        (
            '%0 = "stablehlo.custom_call"(%x) {call_target_name = "no_such_target"}'
            " : (tensor<4xf32>) -> tensor<4xf32>\nreturn %0 : tensor<4xf32>",
            "^XLA cannot run the program of a device: .*no_such_target",
        ),
    ],
)
def test_ops_that_cannot_be_run(body: str, message: str) -> None:
    with pytest.raises(spmd.SpmdError, match=message):
        spmd.run(F.format(body), [ONES], collectives="implicit")


def test_meshes_of_different_sizes() -> None:
    text = """
sdy.mesh @one = <["a"=2]>
sdy.mesh @two = <["a"=4]>
func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@one, [{"a"}]>},
                %y: tensor<4xf32> {sdy.sharding = #sdy.sharding<@two, [{"a"}]>}) {
  return
}"""
    message = "expected meshes of one number of devices, found: @one has 2, @two has 4"
    with pytest.raises(spmd.SpmdError, match=message):
        spmd.run(text, [ONES, ONES], collectives="implicit")


def test_modules_and_arguments() -> None:
    with pytest.raises(spmd.SpmdError, match=r"^-:1:1: error: "):
        spmd.run("nothing", [])
    with pytest.raises(spmd.SpmdError, match=r"expected an ir.Module or its text, found int"):
        spmd.run(3, [])  # type: ignore[arg-type]
    with pytest.raises(spmd.SpmdError, match="the module has no function @f; it has @main"):
        spmd.run(F.format(SAME), [ONES], "f")
    with pytest.raises(spmd.SpmdError, match="devices: expected 'simulated', found 'tpu'"):
        spmd.run(F.format(SAME), [ONES], devices="tpu")  # type: ignore[arg-type]
    with pytest.raises(
        spmd.SpmdError, match="collectives: expected 'explicit', 'implicit', 'insert'"
    ):
        spmd.run(F.format(SAME), [ONES], collectives="all")  # type: ignore[arg-type]
