"""`sdykit spmd`: what it prints, the files it writes, and its errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PROGRAM = """
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>},
    %w: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
"""
FUNCTION = """
import jax
from jax.sharding import PartitionSpec as P

def step(x):
    return jax.lax.with_sharding_constraint(x, P("data")).sum(0)

def example_arguments():
    return (jax.ShapeDtypeStruct((16, 8), "float32"),)
"""
ROTATED = """
sdy.mesh @mesh = <["a"=2]>
func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<4xf32> {
  %0 = sdy.all_gather [{"a"}] %x out_sharding=<@mesh, [{}]> : tensor<4xf32>
  %1 = stablehlo.add %x, %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<4xf32>
  %2 = sdy.all_reduce {"a"} %0 out_sharding=<@mesh, [{}]> : tensor<4xf32>
  return %2 : tensor<4xf32>
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "f.mlir"
    path.write_text(PROGRAM)
    return path


def test_a_run_on_random_inputs(sdykit: Callable, program: Path) -> None:
    result = sdykit("spmd", "run", program.name, "--seed=3")
    assert (result.code, result.err) == (0, "")
    first, second = result.out.splitlines()
    assert first == "8 devices"
    assert second.startswith("result #0  float32[8, 4]  from -")
    assert sdykit("spmd", "run", program.name, "--seed=3").out == result.out
    assert sdykit("spmd", "run", program.name, "--seed=4").out != result.out


@pytest.mark.parametrize("names", [("arg0", "arg1"), ("arr_0", "arr_1")])
def test_arrays_from_a_file_to_a_file(
    sdykit: Callable, program: Path, names: tuple[str, str]
) -> None:
    of = np.random.default_rng(0)
    arrays = [of.standard_normal(shape).astype(np.float32) for shape in ((8, 16), (16, 4))]
    given: dict[str, Any] = dict(zip(names, arrays, strict=True))
    np.savez(program.with_name("in.npz"), **given)
    result = sdykit(
        "spmd", "run", program.name, "--inputs=in.npz", "-o", "out.npz", "--local=l.mlir"
    )
    assert (result.code, result.out, result.err) == (0, "", "")
    found = np.load(program.with_name("out.npz"))
    assert found.files == ["result0"]
    np.testing.assert_allclose(found["result0"], arrays[0] @ arrays[1], rtol=1e-5, atol=1e-5)
    assert "stablehlo.all_reduce" in program.with_name("l.mlir").read_text()


def test_a_check(sdykit: Callable, program: Path) -> None:
    result = sdykit("spmd", "check", program.name, "--bisect")
    expected = (0, "8 devices compute the same result as one device\n", "")
    assert (result.code, result.out, result.err) == expected


def test_a_check_of_a_jax_function(sdykit: Callable, program: Path) -> None:
    program.with_name("m.py").write_text(FUNCTION)
    result = sdykit("spmd", "check", "m.py:step", "--mesh=data=4")
    assert result.out == "4 devices compute the same result as one device\n"
    assert (result.code, result.err) == (0, "")


def test_the_arguments_of_a_function_may_be_given_as_shapes(
    sdykit: Callable, program: Path
) -> None:
    program.with_name("m.py").write_text("def double(x):\n    return x * 2\n")
    result = sdykit("spmd", "run", "m.py:double", "--shapes=f32[8,2]")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("1 device\nresult #0  float32[8, 2]  from ")
    assert "expected --shapes, such as" in sdykit("spmd", "run", "m.py:double").err


NO_RULE = """
sdy.mesh @mesh = <["a"=4]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @foo(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""


def test_warnings_are_told_once(sdykit: Callable, program: Path) -> None:
    program.write_text(NO_RULE)
    result = sdykit("spmd", "check", program.name)
    assert result.code == 1
    warnings = [line for line in result.err.splitlines() if ": warning: " in line]
    assert len(warnings) == 1
    assert warnings[0].startswith("f.mlir:4:8: warning: custom call @foo is unknown")


def test_an_error_of_a_pass_is_called_one_once(sdykit: Callable, program: Path) -> None:
    program.write_text("")
    result = sdykit("spmd", "check", program.name)
    assert result.code == 1
    assert result.err.startswith("sdykit spmd: error: f.mlir:0:0: 'builtin.module' op propagation")


def test_a_wrong_program_has_its_first_wrong_op_named(sdykit: Callable, program: Path) -> None:
    program.write_text(ROTATED)
    result = sdykit("spmd", "check", program.name, "--bisect")
    assert result.code == 1
    first, second, third = result.out.splitlines()
    assert first.startswith("result #0 of @main: ")
    assert second.startswith("f.mlir:6:8: the first op that differs: ")
    assert third.startswith('  %2 = sdy.all_reduce {"a"} %')


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "f.mlir", "--bisect"], "--bisect is for `sdykit spmd check`, found it with run"),
        (
            ["check", "f.mlir", "-o", "x.npz"],
            "-o is for `sdykit spmd run`; expected no output of check",
        ),
        (
            ["run", "f.mlir", "--mesh=a=2"],
            "--mesh is for functions, FILE.py:FUNCTION; found 'f.mlir'",
        ),
        (["run", "f.mlir", "--tolerance=0"], "--tolerance is for `sdykit spmd check`, found it"),
        (["run", "f.mlir", "--seed=-1"], "seed: found -1; expected 0 or more"),
        (
            ["check", "f.mlir", "--tolerance=nan"],
            "tolerance: found nan; expected a finite number from 0",
        ),
        (["check", "f.mlir", "--tolerance=-1"], "tolerance: found -1.0; expected a finite number"),
        (["run", "f.mlir", "--shapes=f32[8]"], "--shapes is for functions, FILE.py:FUNCTION;"),
        (["run", "m.py:step", "--shapes=f32[8"], "--shapes: cannot read 'f32[8'; expected such as"),
        (
            ["run", "m.py:step", "--shapes=f32[99999999999999999999]"],
            "--shapes: [99999999999999999999] has more than 9223372036854775807 elements",
        ),
        (
            ["run", "m.py:step", "--mesh=a=3000000000"],
            "--mesh: 'a=3000000000' has more than 2147483647 devices",
        ),
        (["run", "f.mlir", "--inputs=text.npz"], "text.npz: expected an npz file of arrays: found"),
        (["run", "f.mlir", "--inputs=no.npz"], "cannot read 'no.npz': No such file or directory"),
        (["run", "f.mlir", "--inputs=f.mlir"], "f.mlir: expected an npz file of arrays: "),
        (["run", "f.mlir", "--inputs=one.npz"], "one.npz: found x; expected arg0, arg1"),
        (["run", "f.mlir", "--function=g"], "the module has no function @g; it has @main"),
        (
            ["run", "f.mlir", "-o", "no/out.npz"],
            "cannot open output file 'no/out.npz': No such file",
        ),
        (["run", "f.mlir", "-o", "f.mlir"], "f.mlir"),
        (["run", "bad.mlir"], "error: bad.mlir:1:1: custom op 'nothing' is unknown"),
    ],
)
def test_errors(sdykit: Callable, program: Path, arguments: list[str], message: str) -> None:
    np.savez(program.with_name("one.npz"), x=np.zeros(3))
    program.with_name("bad.mlir").write_text("nothing")
    program.with_name("text.npz").write_text("neither zip nor npy")
    program.with_name("m.py").write_text(FUNCTION)
    result = sdykit("spmd", *arguments)
    assert result.code == 1
    assert message in result.err
    assert "Traceback" not in result.err
    assert program.read_text() == PROGRAM
