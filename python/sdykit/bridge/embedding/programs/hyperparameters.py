"""Hyperparameters of a step whose number or learning rate may be known only when it runs."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sdykit.bridge import ffi
from sdykit.bridge.embedding.checks import as_array, describe, to_int32
from sdykit.bridge.errors import BridgeError
from sdykit.sparsecore.optimizers import F2A, Adam, LaProp, Optimizer
from sdykit.sparsecore.specs import INT32_MAX

_PROGRAM = """
func.func @{name}(%step: memref<i32> {{sparsecore.name = "step"}},
                  %rate: memref<f32> {{sparsecore.name = "learning_rate"}},
                  {results},
                  %status: memref<8xi64> {{sparsecore.status}})
    attributes {{sparsecore.entry, sparsecore.messages = ["",
      "step: it is {{1}}; expected 0 or more"]}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {{
    %none = arith.constant 0 : i32
    %s = memref.load %step[] : memref<i32>
    %negative = arith.cmpi slt, %s, %none : i32
    scf.if %negative {{
      %bad = arith.constant 1 : i64
      %found = arith.extsi %s : i32 to i64
      memref.store %bad, %status[%c0] : memref<8xi64>
      memref.store %found, %status[%c1] : memref<8xi64>
    }}
    %lr = memref.load %rate[] : memref<f32>
    %one = arith.constant 1.0 : f32
    %unit = arith.constant 1.0 : f64
    %now = arith.sitofp %s : i32 to f64
    %next = arith.addf %now, %unit : f64
    {body}
  }}
  return
}}
"""
# `power` is taken in float64 and rounded once, as `sdykit.sparsecore.optimizers.rounding.power`.
_POWER = """
    %wide_{0} = arith.extf %{1} : f32 to f64
    %exact_{0} = math.powf %wide_{0}, %{2} : f64
    %power_{0} = arith.truncf %exact_{0} : f64 to f32
    %rest_{0} = arith.subf %one, %power_{0} : f32
"""
_ADAM = (
    _POWER.format("1", "beta_1", "next")
    + _POWER.format("2", "beta_2", "next")
    + """
    %correction = math.sqrt %rest_2 : f32
    %scaled = arith.mulf %lr, %correction : f32
    %alpha_t = arith.divf %scaled, %rest_1 : f32
    %epsilon_hat = arith.mulf %epsilon, %correction : f32
"""
)
_LAPROP = (
    _POWER.format("1", "b2", "now")
    + _POWER.format("2", "b2", "next")
    + """
    %scaled = arith.mulf %b2, %rest_1 : f32
    %decay_rate = arith.divf %scaled, %rest_2 : f32
"""
)
_F2A = """
    %global_step = arith.truncf %now : f64 to f32
"""


@dataclasses.dataclass(frozen=True)
class _Rule:
    """How hyperparameters are computed from step and learning rate.

    Attributes:
        body: the ops, as MLIR text.
        constants: the fields of the optimizer that they use.
        results: the hyperparameters that they compute.
    """

    body: str
    constants: tuple[str, ...]
    results: tuple[str, ...]


_RULES: Mapping[type[Optimizer], _Rule] = {
    Adam: _Rule(_ADAM, ("beta_1", "beta_2", "epsilon"), ("alpha_t", "epsilon_hat")),
    LaProp: _Rule(_LAPROP, ("b2",), ("decay_rate",)),
    F2A: _Rule(_F2A, (), ("global_step",)),
}


def step_hyperparameters(
    where: str, optimizer: Optimizer, step: Any, learning_rate: Any
) -> dict[str, jax.Array]:
    """Return the hyperparameters of a step, bit for bit those of `optimizer.hyperparameters`.

    A flag is 1 or 0.

    Args:
        where: the name of the function, for errors.
        optimizer: the optimizer.
        step: an integer, an int32 scalar of JAX, or None.
        learning_rate: a number, a float32 scalar of JAX, or None: that of the optimizer.

    Raises:
        BridgeError: a value is none of these.
        SparseCoreError: a value that is known when this is traced is out of its range.
    """
    if isinstance(step, np.ndarray) and step.dtype.kind in "iu" and not step.ndim:
        step = step.item()  # JAX would keep the lower 32 bits of int64.
    count, rate = _known(step, Integral), _known(learning_rate, Real)
    values = optimizer.hyperparameters(count, rate)
    scalars = {name: jnp.asarray(value, jnp.float32) for name, value in values.items()}
    # Checked also if the optimizer does not use it.
    if isinstance(step, Real) and not isinstance(step, Integral):
        raise BridgeError(f"{where}: step is {step!r}; expected an integer")
    step_now = _scalar(where, "step", step, jnp.int32, 0)
    rate_now = _scalar(where, "learning_rate", learning_rate, jnp.float32, optimizer.learning_rate)
    if count is step and rate is learning_rate:
        return scalars
    if "learning_rate" in scalars:
        scalars["learning_rate"] = rate_now
    rule = _RULES.get(type(optimizer))
    # Without a step LaProp's decay is constant.
    if rule is None or step is None:
        return scalars
    scalar = jax.ShapeDtypeStruct((), jnp.float32)
    program = _text(optimizer, rule)
    found = ffi.call(program, [step_now, rate_now], [scalar] * len(rule.results))
    return {**scalars, **dict(zip(rule.results, found, strict=True))}


def _known(value: Any, kind: type) -> Any:
    """Return a value that is known now; None: there is none, or it is traced."""
    return value if isinstance(value, kind) else None


def _text(optimizer: Optimizer, rule: _Rule) -> str:
    constants = "".join(
        f"    %{name} = arith.constant 0x{np.float32(getattr(optimizer, name)).view(np.uint32):08X}"
        " : f32\n"
        for name in rule.constants
    )
    stores = "".join(
        f"    memref.store %{name}, %out_{name}[] : memref<f32>\n" for name in rule.results
    )
    results = ", ".join(
        f'%out_{name}: memref<f32> {{sparsecore.name = "{name}"}}' for name in rule.results
    )
    body = constants + rule.body + stores
    return _PROGRAM.format(name=f"{optimizer.name}_step", results=results, body=body)


def _scalar(where: str, name: str, value: Any, dtype: Any, default: float) -> jax.Array:
    given = default if value is None else value
    if isinstance(given, Real):
        if isinstance(given, Integral) and dtype == jnp.int32 and int(given) > INT32_MAX:
            raise BridgeError(f"{where}: {name} is {given}; expected at most {INT32_MAX}")
        return jnp.asarray(np.asarray(given, dtype))
    array = as_array(where, name, given)
    kind = jnp.integer if dtype == jnp.int32 else jnp.floating
    if array.ndim or not jnp.issubdtype(array.dtype, kind):
        raise BridgeError(f"{where}: {name} is {describe(array)}; expected {jnp.dtype(dtype)}[]")
    return to_int32(array) if dtype == jnp.int32 else array.astype(dtype)
