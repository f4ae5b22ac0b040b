"""The optimizers one by one."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np

from sdykit.sparsecore.errors import SparseCoreError, nearest
from sdykit.sparsecore.optimizers import fields
from sdykit.sparsecore.optimizers.base import Hyperparameters, Optimizer
from sdykit.sparsecore.optimizers.fields import number
from sdykit.sparsecore.optimizers.rounding import power


@dataclasses.dataclass(frozen=True)
class SGD(Optimizer):
    """Stochastic gradient descent: `w -= lr * g`."""

    name = "sgd"


@dataclasses.dataclass(frozen=True)
class Adagrad(Optimizer):
    """Adagrad: `a += g^2; w -= lr * g / sqrt(a)`."""

    initial_accumulator_value: float = number(fields.NOT_NEGATIVE, 0.1)

    name = "adagrad"
    slot_fields: ClassVar[Mapping[str, str]] = {"accumulator": "initial_accumulator_value"}


@dataclasses.dataclass(frozen=True)
class RowWiseAdagrad(Optimizer):
    """Adagrad with one accumulator for each row: `a += mean(g^2); w -= lr / (sqrt(a) + eps) * g`.

    It is `EXACT_ROWWISE_ADAGRAD` of fbgemm and torchrec, whose defaults it has: the accumulator
    starts at 0, and `epsilon` is added to its root. The mean is over the table's own columns,
    without padding.
    """

    epsilon: float = number(fields.NOT_NEGATIVE, 1e-8)
    initial_accumulator_value: float = number(fields.NOT_NEGATIVE, 0.0)

    name = "row_wise_adagrad"
    slot_fields: ClassVar[Mapping[str, str]] = {"accumulator": "initial_accumulator_value"}
    is_element_wise: ClassVar[bool] = False

    @property
    def row_slots(self) -> tuple[str, ...]:
        return ("accumulator",)

    def _other_hyperparameters(self, step: int | None) -> Hyperparameters:
        del step
        return self._constants("epsilon")


@dataclasses.dataclass(frozen=True)
class AdagradMomentum(Optimizer):
    """Adagrad with momentum of the scaled gradients, and optionally Nesterov's step."""

    momentum: float = number(fields.UNIT, 0.9)
    beta2: float = number(fields.UNIT, 1.0)
    """The decay of the accumulator; 1 sums the squares instead."""
    epsilon: float = number(fields.NOT_NEGATIVE, 1e-10)
    exponent: float = number(fields.POSITIVE, 2.0)
    """The degree of the accumulator's root: 2 is the square root."""
    use_nesterov: bool = False
    initial_accumulator_value: float = number(fields.NOT_NEGATIVE, 0.1)
    initial_momentum_value: float = number(fields.FINITE, 0.0)

    name = "adagrad_momentum"
    slot_fields: ClassVar[Mapping[str, str]] = {
        "accumulator": "initial_accumulator_value",
        "momentum": "initial_momentum_value",
    }

    def _other_hyperparameters(self, step: int | None) -> Hyperparameters:
        del step
        return {
            **self._constants("momentum", "beta2", "epsilon", "exponent"),
            "use_nesterov": np.bool(self.use_nesterov),
        }


@dataclasses.dataclass(frozen=True)
class Adam(Optimizer):
    """Adam with the bias correction in the learning rate (arXiv:1412.6980, end of section 2).

    Its first hyperparameter is `alpha_t = lr * sqrt(1 - b2^(t+1)) / (1 - b1^(t+1))`, its last
    `epsilon_hat = eps * sqrt(1 - b2^(t+1))`.
    """

    beta_1: float = number(fields.DECAY, 0.9)
    beta_2: float = number(fields.DECAY, 0.999)
    epsilon: float = number(fields.NOT_NEGATIVE, 1e-8)

    name = "adam"
    slot_fields: ClassVar[Mapping[str, str]] = {"momentum": "", "velocity": ""}

    def hyperparameters(
        self, step: int | None = None, learning_rate: float | None = None
    ) -> Hyperparameters:
        rate = super().hyperparameters(step, learning_rate)["learning_rate"]
        one, count = np.float32(1), (step or 0) + 1
        beta_1, beta_2 = np.float32(self.beta_1), np.float32(self.beta_2)
        correction = np.sqrt(one - power(beta_2, count))
        return {
            "alpha_t": np.float32(rate * correction / (one - power(beta_1, count))),
            "beta_1": beta_1,
            "beta_2": beta_2,
            "epsilon_hat": np.float32(np.float32(self.epsilon) * correction),
        }


@dataclasses.dataclass(frozen=True)
class FTRL(Optimizer):
    """Follow the regularized leader."""

    learning_rate: float = number(fields.NOT_ZERO)
    learning_rate_power: float = number(fields.NOT_POSITIVE, -0.5)
    l1_regularization_strength: float = number(fields.NOT_NEGATIVE, 0.0)
    l2_regularization_strength: float = number(fields.NOT_NEGATIVE, 0.0)
    beta: float = number(fields.NOT_NEGATIVE, 0.0)
    initial_accumulator_value: float = number(fields.NOT_NEGATIVE, 0.1)
    initial_linear_value: float = number(fields.FINITE, 0.0)
    multiply_linear_by_learning_rate: bool = False
    """Whether the slot holds `lr * linear`, which avoids divisions by the learning rate."""

    name = "ftrl"
    slot_fields: ClassVar[Mapping[str, str]] = {
        "accumulator": "initial_accumulator_value",
        "linear": "initial_linear_value",
    }

    def _other_hyperparameters(self, step: int | None) -> Hyperparameters:
        del step
        return self._constants(
            "learning_rate_power",
            "l1_regularization_strength",
            "l2_regularization_strength",
            "beta",
        )


@dataclasses.dataclass(frozen=True)
class LaProp(Optimizer):
    """LaProp: momentum of scaled gradients (arXiv:2002.04839)."""

    b1: float = number(fields.UNIT, 0.9)
    b2: float = number(fields.DECAY, 0.95)
    eps: float = number(fields.NOT_NEGATIVE, 1e-30)
    initial_slot_value: float = number(fields.FINITE, 0.0)

    name = "laprop"
    slot_fields: ClassVar[Mapping[str, str]] = {
        "mu": "initial_slot_value",
        "nu": "initial_slot_value",
    }

    def _other_hyperparameters(self, step: int | None) -> Hyperparameters:
        one, decay = np.float32(1), np.float32(self.b2)
        if step is not None:
            decay = decay * (one - power(decay, step)) / (one - power(decay, step + 1))
        return {
            "b1": np.float32(self.b1),
            "decay_rate": np.float32(decay),
            "eps": np.float32(self.eps),
        }


@dataclasses.dataclass(frozen=True)
class F2A(Optimizer):
    """Frequency-aware Adagrad: rows that occur rarely take longer steps."""

    rho: float = number(fields.FINITE, 0.5)
    initial_accumulator_value: float = number(fields.NOT_NEGATIVE, 0.1)
    initial_local_step_value: float = number(fields.NOT_NEGATIVE, 0.0)
    l1_regularization_strength: float = number(fields.NOT_NEGATIVE, 0.0)
    l2_regularization_strength: float = number(fields.NOT_NEGATIVE, 0.0)
    max_lr_multiplier: float = number(fields.NOT_NEGATIVE, 1e6)

    name = "f2a"
    slot_fields: ClassVar[Mapping[str, str]] = {
        "accumulator": "initial_accumulator_value",
        "local_step": "initial_local_step_value",
    }

    def _other_hyperparameters(self, step: int | None) -> Hyperparameters:
        return {
            **self._constants(
                "rho",
                "l1_regularization_strength",
                "l2_regularization_strength",
                "max_lr_multiplier",
            ),
            "global_step": np.float32(step or 0),
        }


@dataclasses.dataclass(frozen=True)
class Custom(Optimizer):
    """A user's own update.

    Raises:
        SparseCoreError: `update` is not a function, or another field has no pairs of a name and a
            number.
    """

    update: Callable[..., Any] = dataclasses.field(kw_only=True)
    """`update(gradient, table, *slots, *hyperparameters) -> (table, *slots)`.

    It is called with one row: all arguments are float32 `[1, dim]`, except slots of
    `row_slot_values`, which are `[1, 1]`; all elements of a hyperparameter are equal. It may reduce
    over the row.
    """
    slot_values: tuple[tuple[str, float], ...] = ()
    """The slot variables of the table's shape, with their initial values."""
    more_hyperparameters: tuple[tuple[str, float], ...] = ()
    """Scalars after the learning rate, with their values, which are the same in every step."""
    row_slot_values: tuple[tuple[str, float], ...] = ()
    """The slot variables with one number for each row, which come after the others."""

    name = "custom"
    is_element_wise: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not callable(self.update):
            raise SparseCoreError(
                f"optimizer custom: update is {self.update!r}; expected a function"
            )
        fields.check_pairs(self.name, "slot_values", self.slot_values)
        fields.check_pairs(self.name, "row_slot_values", self.row_slot_values)
        for name in dict(self.slot_values).keys() & dict(self.row_slot_values).keys():
            raise SparseCoreError(
                f"optimizer custom: slot_values and row_slot_values both name {name!r}; "
                "expected it in one"
            )
        fields.check_pairs(self.name, "more_hyperparameters", self.more_hyperparameters)
        if "learning_rate" in dict(self.more_hyperparameters):
            raise SparseCoreError(
                "optimizer custom: more_hyperparameters names 'learning_rate'; "
                "expected other names, it comes first already"
            )

    @property
    def slots(self) -> dict[str, float]:
        return dict((*self.slot_values, *self.row_slot_values))

    @property
    def row_slots(self) -> tuple[str, ...]:
        return tuple(dict(self.row_slot_values))

    def _other_hyperparameters(self, step: int | None) -> Hyperparameters:
        del step
        return {name: np.float32(value) for name, value in self.more_hyperparameters}


_KINDS = (SGD, Adagrad, RowWiseAdagrad, AdagradMomentum, Adam, FTRL, LaProp, F2A, Custom)
OPTIMIZERS: Mapping[str, type[Optimizer]] = {kind.name: kind for kind in _KINDS}
"""The optimizers by name."""


def make_optimizer(name: str, **values: Any) -> Optimizer:
    """Make an optimizer from its name and the values of its fields.

    Raises:
        SparseCoreError: no optimizer or field has the name, or a value is wrong.
    """
    kind = OPTIMIZERS.get(name) if isinstance(name, str) else None
    if kind is None:
        near = nearest(str(name), OPTIMIZERS)
        hint = f"; did you mean {near!r}?" if near else ""
        raise SparseCoreError(
            f"optimizer: the name is {name!r}; expected one of {', '.join(OPTIMIZERS)}{hint}"
        )
    fields.check_names(name, kind, values)
    return kind(**values)
