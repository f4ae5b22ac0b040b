"""Each optimizer of the matrix: jax-tpu-embedding's specification of it, and ours."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax_tpu_embedding.sparsecore.lib.nn import embedding_spec as specs

from sdykit.sparsecore import optimizers as ours

RATE = 0.1


@dataclasses.dataclass(frozen=True)
class Optimizer:
    """An optimizer.

    Attributes:
        library: what a program for jax-tpu-embedding says.
        reference: the same for the reference, which takes the hyperparameters of each step.
    """

    library: specs.OptimizerSpec
    reference: ours.Optimizer

    def hyperparameters(self, step: int) -> dict[str, np.ndarray]:
        """Return the library's values by the reference's names."""
        names = self.reference.hyperparameters(step)
        return dict(zip(names, _values(self.library, step), strict=True))


@functools.cache
def _values(optimizer: specs.OptimizerSpec, step: int) -> list[np.ndarray]:
    return [np.asarray(value) for value in _compiled(optimizer)(jnp.int32(step))]


@functools.cache
def _compiled(optimizer: specs.OptimizerSpec) -> Callable[..., Any]:
    return jax.jit(optimizer.get_hyperparameters)


@functools.cache
def make_optimizer(name: str, rate: str) -> Optimizer:
    """Make the optimizer of a case, with a constant learning rate or a schedule."""
    library, reference = OPTIMIZERS[name]
    return Optimizer(library(_schedule if rate == "schedule" else RATE), reference)


def _schedule(step: Any) -> Any:
    return RATE / (1.0 + step)


def _momentum(gradient: Any, table: Any, velocity: Any, rate: Any) -> Any:
    """Return a user's own update, with slots that its initializer did not set to 0."""
    velocity = 0.75 * velocity + gradient
    return table - rate * velocity, velocity


def _custom(rate: Any) -> specs.CustomOptimizerSpec:
    return specs.CustomOptimizerSpec(
        learning_rate=rate,
        custom_computation_fn=_momentum,
        slot_variable_initializers_tuple=(jax.nn.initializers.constant(0.5),),
        short_name_str="momentum",
    )


NESTEROV = {"momentum": 0.8, "beta2": 0.9, "exponent": 3.0, "use_nesterov": True}
REGULARIZED: dict[str, Any] = {
    "learning_rate_power": -0.4,
    "l1_regularization_strength": 0.02,
    "l2_regularization_strength": 0.1,
    "beta": 0.5,
}
F2A = {"l1_regularization_strength": 0.01, "l2_regularization_strength": 0.02}

OPTIMIZERS: dict[str, tuple[Callable[[Any], specs.OptimizerSpec], ours.Optimizer]] = {
    "sgd": (specs.SGDOptimizerSpec, ours.SGD(RATE)),
    "adagrad": (specs.AdagradOptimizerSpec, ours.Adagrad(RATE)),
    "adagrad_momentum": (specs.AdagradMomentumOptimizerSpec, ours.AdagradMomentum(RATE)),
    "adagrad_momentum, nesterov": (
        lambda rate: specs.AdagradMomentumOptimizerSpec(rate, **NESTEROV),
        ours.AdagradMomentum(RATE, **NESTEROV),
    ),
    "adam": (specs.AdamOptimizerSpec, ours.Adam(RATE)),
    "ftrl": (lambda rate: specs.FTRLOptimizerSpec(rate, **REGULARIZED), ours.FTRL(RATE)),
    "ftrl, multiplied": (
        lambda rate: specs.FTRLOptimizerSpec(
            rate, **REGULARIZED, multiply_linear_by_learning_rate=True
        ),
        ours.FTRL(RATE, multiply_linear_by_learning_rate=True),
    ),
    "laprop": (specs.LaPropOptimizerSpec, ours.LaProp(RATE)),
    "f2a": (lambda rate: specs.F2AOptimizerSpec(rate, **F2A), ours.F2A(RATE)),
    "custom": (
        _custom,
        ours.Custom(RATE, update=_momentum, slot_values=(("velocity", 0.5),)),
    ),
}
