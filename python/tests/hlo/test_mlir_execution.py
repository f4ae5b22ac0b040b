"""Programs compute the same when translated to MLIR, and when read from jaxlib's MLIR."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from jaxlib import xla_client

from sdykit import hlo
from sdykit.hlo.from_mlir import from_mlir
from sdykit.hlo.to_mlir import to_mlir
from sdykit.mlir import ir, make_context
from support.amounts import examples
from support.hlo.mlir_comparison import imported
from support.hlo.random_programs.execution import execute, same_bits
from support.hlo.random_programs.programs import Program, programs

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


def run(mlir: str, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return the results of a module on XLA's CPU client."""
    device: Any = jax.devices("cpu")[0]
    options = xla_client.CompileOptions()
    options.executable_build_options.debug_options.xla_backend_optimization_level = 0
    devices = xla_client.DeviceList((device,))
    executable = device.client.compile_and_load(mlir, devices, options)
    placed = [jax.device_put(array, device) for array in inputs]
    return [np.asarray(array) for array in executable.execute(placed)]


def check(text: str, inputs: Sequence[np.ndarray]) -> None:
    wanted = execute(text, inputs)
    ours = str(to_mlir(hlo.read(text), make_context()))
    assert same_bits(run(ours, inputs), wanted)
    theirs = imported(text)
    back = hlo.to_text(from_mlir(ir.Module.parse(theirs, make_context())))
    assert same_bits(execute(back, inputs), wanted)


@settings(max_examples=examples(60), deadline=None, derandomize=True, suppress_health_check=SLOW)
@given(programs())
def test_random_programs_compute_the_same_through_mlir(program: Program):
    check(program.text, program.inputs)


def layers(x: jax.Array, weights: jax.Array) -> tuple[jax.Array, jax.Array]:
    hidden = jnp.tanh(x @ weights)
    scores = jax.nn.softmax(hidden @ hidden.T, axis=-1)
    return jnp.sum((scores @ x) ** 2), jnp.sort(hidden, axis=0)


def padded(x: jax.Array, weights: jax.Array) -> jax.Array:
    wide = jnp.pad(x, ((1, 2), (0, 1)), constant_values=3.0)
    low = jax.lax.dynamic_slice(wide, (1, jnp.argmax(weights[0]) % 2), (3, 4))
    return jnp.where(low > 0, low, jnp.flip(low, 0)).astype(jnp.bfloat16)


@pytest.mark.parametrize("function", [layers, padded])
def test_programs_from_jax_compute_the_same_through_mlir(function: Any):
    rng = np.random.default_rng(3)
    inputs = [rng.standard_normal(shape).astype(np.float32) for shape in ((5, 8), (8, 8))]
    check(jax.jit(function).lower(*inputs).as_text("hlo"), inputs)


def test_layouts_that_a_custom_call_requires_are_kept():
    """LAPACK requires column-major matrices."""
    rng = np.random.default_rng(4)
    matrix = rng.standard_normal((3, 3)).astype(np.float32)
    text = jax.jit(jnp.linalg.cholesky).lower(matrix).as_text("hlo")
    assert "operand_layout_constraints={f32[3,3]{0,1}}" in text
    check(text, [matrix @ matrix.T + np.eye(3, dtype=np.float32)])


def test_programs_that_differ_in_one_operation_have_different_results():
    text = "ENTRY %e {\n %p = f32[2] parameter(0)\n ROOT %n = f32[2] negate(%p)\n}\n"
    inputs = [np.array([1.0, 2.0], np.float32)]
    other = str(to_mlir(hlo.read(text.replace("negate", "abs")), make_context()))
    assert not same_bits(run(other, inputs), execute(text, inputs))


OTHER_OPS = """\
HloModule m

%halves (x: f32[4]) -> (f32[2], f32[2]) {
  %x = f32[4] parameter(0)
  %lower = f32[2] slice(%x), slice={[0:2]}
  %upper = f32[2] slice(%x), slice={[2:4]}
  ROOT %both = (f32[2], f32[2]) tuple(%lower, %upper)
}

%argmin (a: f32[], i: s32[], b: f32[], j: s32[]) -> (f32[], s32[]) {
  %a = f32[] parameter(0)
  %i = s32[] parameter(1)
  %b = f32[] parameter(2)
  %j = s32[] parameter(3)
  %less = pred[] compare(%a, %b), direction=LT
  %value = f32[] select(%less, %a, %b)
  %index = s32[] select(%less, %i, %j)
  ROOT %pair = (f32[], s32[]) tuple(%value, %index)
}

ENTRY %main (x: f32[4], n: s32[4]) -> (f32[2], f32[4], f32[], s32[], c64[4], u32[4], s32[4]) {
  %x = f32[4] parameter(0)
  %n = s32[4] parameter(1)
  %split = (f32[2], f32[2]) call(%x), to_apply=%halves
  %held = (f32[2], f32[2]) opt-barrier(%split)
  %upper = f32[2] get-tuple-element(%held), index=1
  %stepped = f32[2] slice(%x), slice={[0:4:2]}
  %at = s32[] constant(1)
  %updated = f32[4] dynamic-update-slice(%x, %stepped, %at)
  %small = f32[4] reduce-precision(%updated), exponent_bits=5, mantissa_bits=3
  %infinite = f32[] constant(inf)
  %none = s32[] constant(-1)
  %best = (f32[], s32[]) reduce(%x, %n, %infinite, %none), dimensions={0}, to_apply=%argmin
  %value = f32[] get-tuple-element(%best), index=0
  %index = s32[] get-tuple-element(%best), index=1
  %z = c64[4] constant({(1, -2), (0, inf), (0.5, 0), (-inf, 1)})
  %bits = u32[4] bitcast-convert(%x)
  %zeros = u32[4] count-leading-zeros(%bits)
  %lowest = s32[] constant(-3)
  %highest = s32[] constant(3)
  %clamped = s32[4] clamp(%lowest, %n, %highest)
  ROOT %result = (f32[2], f32[4], f32[], s32[], c64[4], u32[4], s32[4]) tuple(%upper, %updated, %value, %index, %z, /*index=5*/%zeros, %clamped)
}
"""


def test_ops_that_random_programs_lack_compute_the_same():
    text = OTHER_OPS
    inputs = [
        np.array([3.5, -1.25, 0.0, 7.0], np.float32),
        np.array([-9, 5, 2, 8], np.int32),
    ]
    check(text, inputs)
