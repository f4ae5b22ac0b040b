"""The update of rows and their slots by each optimizer.

Every `+ - * /` and `sqrt` below is one operation on float32, rounded once, in the order in which
it is written; none may be contracted (`a * b + c` rounds twice), reassociated or replaced by an
approximation. `power` is rounded once as well, see `sdykit.sparsecore.optimizers.rounding`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.optimizers import FTRL, Custom, Optimizer
from sdykit.sparsecore.optimizers.rounding import at_least, at_most, power, row_sum, sign
from sdykit.sparsecore.reference import checks

Rows = np.ndarray
"""float32 `[rows, dim]`, or `[rows, 1]` for some slots.

It is not typed as float32: in numpy's stubs the quotient of two float32 is a float64.
"""
Slots = dict[str, Rows]
Scalars = dict[str, Any]
Rule = Callable[[Rows, Rows, Slots, Scalars], tuple[Rows, Slots]]


def update_rows(
    optimizer: Optimizer,
    gradient: Rows,
    table: Rows,
    slots: Mapping[str, Rows],
    hyperparameters: Mapping[str, npt.ArrayLike],
) -> tuple[Rows, Slots]:
    """Return rows and their slots after an update; the arguments are not changed.

    Args:
        optimizer: the optimizer, which determines the rule and the limits of the table's values.
        gradient: the gradient of each row, summed over the batch, float32 `[rows, dim]`.
        table: the rows, float32 of the same shape.
        slots: the optimizer's slots by name, float32 of the same shape; those of `row_slots` are
            `[rows, 1]`.
        hyperparameters: the scalars of the step, as `optimizer.hyperparameters(step)` returns them.

    Raises:
        SparseCoreError: a slot or hyperparameter is missing or unknown, or has a wrong type or
            shape; or a user's update returns something else than a tuple of such rows.
    """
    checks.check_optimizer(optimizer)
    checks.check_float32("gradient", gradient)
    checks.check_like("table", table, "gradient", gradient)
    slots = checks.checked_slots(optimizer, slots, table)
    scalars = checks.checked_hyperparameters(optimizer, hyperparameters)
    with np.errstate(all="ignore"):
        if isinstance(optimizer, Custom):
            table, slots = _custom(optimizer, gradient, table, slots, scalars)
        elif isinstance(optimizer, FTRL) and optimizer.multiply_linear_by_learning_rate:
            table, slots = _ftrl_multiplied(gradient, table, slots, scalars)
        else:
            table, slots = RULES[optimizer.name](gradient, table, slots, scalars)
    if optimizer.min_value is not None:
        table = at_least(table, np.float32(optimizer.min_value))
    if optimizer.max_value is not None:
        table = at_most(table, np.float32(optimizer.max_value))
    return table, slots


def _sgd(g: Rows, w: Rows, slots: Slots, h: Scalars) -> tuple[Rows, Slots]:
    return w - h["learning_rate"] * g, slots


def _adagrad(g: Rows, w: Rows, slots: Slots, h: Scalars) -> tuple[Rows, Slots]:
    a = slots["accumulator"] + g * g
    return w - (h["learning_rate"] * g) / np.sqrt(a), {"accumulator": a}


def _row_wise_adagrad(g: Rows, w: Rows, slots: Slots, h: Scalars) -> tuple[Rows, Slots]:
    a = slots["accumulator"] + row_sum(g * g) / np.float32(g.shape[1])
    return w - (h["learning_rate"] / (np.sqrt(a) + h["epsilon"])) * g, {"accumulator": a}


def _adagrad_momentum(g: Rows, w: Rows, slots: Slots, h: Scalars) -> tuple[Rows, Slots]:
    a, m, k, beta2 = slots["accumulator"], slots["momentum"], h["momentum"], h["beta2"]
    squared = g * g
    a = a + squared if beta2 == 1 else beta2 * a + (1 - beta2) * squared
    scaled = power(a + h["epsilon"], -1 / h["exponent"]) * g
    m = k * m + scaled
    step = k * m + scaled if h["use_nesterov"] else m
    return w - h["learning_rate"] * step, {"accumulator": a, "momentum": m}


def _adam(g: Rows, w: Rows, slots: Slots, h: Scalars) -> tuple[Rows, Slots]:
    m, v = slots["momentum"], slots["velocity"]
    m = m + (1 - h["beta_1"]) * (g - m)
    v = v + (1 - h["beta_2"]) * (g * g - v)
    w = w - (h["alpha_t"] * m) / (np.sqrt(v) + h["epsilon_hat"])
    return w, {"momentum": m, "velocity": v}


def _ftrl(g: Rows, w: Rows, slots: Slots, h: Scalars) -> tuple[Rows, Slots]:
    lr, l1, l2 = _ftrl_strengths(h)
    a, root, growth = _ftrl_roots(g, slots, h)
    linear = (slots["linear"] + g) - (growth / lr) * w
    denominator = (root + h["beta"]) / lr + 2 * l2
    w = _ftrl_numerator(linear, l1, np.float32(1)) / denominator
    return w, {"accumulator": a, "linear": linear}


def _ftrl_multiplied(g: Rows, w: Rows, slots: Slots, h: Scalars) -> tuple[Rows, Slots]:
    """Return the update of FTRL whose slot holds `lr * linear`."""
    lr, l1, l2 = _ftrl_strengths(h)
    a, root, growth = _ftrl_roots(g, slots, h)
    linear = (slots["linear"] + lr * g) - growth * w
    denominator = (root + 2 * (lr * l2)) + h["beta"]
    w = _ftrl_numerator(linear, l1, lr) / denominator
    return w, {"accumulator": a, "linear": linear}


def _ftrl_strengths(h: Scalars) -> tuple[np.float32, np.float32, np.float32]:
    names = ("learning_rate", "l1_regularization_strength", "l2_regularization_strength")
    lr, l1, l2 = (np.float32(h[name]) for name in names)
    return lr, l1, l2


def _ftrl_roots(g: Rows, slots: Slots, h: Scalars) -> tuple[Rows, Rows, Rows]:
    """Return the new accumulator, its root, and the increase of the root."""
    old = slots["accumulator"]
    new = old + g * g
    exponent = -h["learning_rate_power"]
    root = np.asarray(power(new, exponent))
    return new, root, root - power(old, exponent)


def _ftrl_numerator(linear: Rows, l1: np.float32, scale: np.float32) -> Rows:
    """Return `-linear`, moved towards 0 by `l1 * scale`, and 0 if that would change its sign."""
    if l1 == 0:
        return -linear
    bound = l1 * scale
    return at_most(at_least(linear, -bound), bound) - linear


def _laprop(g: Rows, w: Rows, slots: Slots, h: Scalars) -> tuple[Rows, Slots]:
    b1, decay = h["b1"], h["decay_rate"]
    nu = slots["nu"] * decay + (1 - decay) * (g * g + h["eps"])
    mu = b1 * slots["mu"] + np.sqrt(1 - b1 * b1) * (g / np.sqrt(nu))
    return w - h["learning_rate"] * mu, {"mu": mu, "nu": nu}


def _f2a(g: Rows, w: Rows, slots: Slots, h: Scalars) -> tuple[Rows, Slots]:
    local_step = slots["local_step"] + 1
    ratio = at_least(h["global_step"], np.float32(1)) / local_step
    frequency = at_most(power(ratio, h["rho"]), h["max_lr_multiplier"])
    a = slots["accumulator"] + g * g
    decay = h["l1_regularization_strength"] * sign(w) + h["l2_regularization_strength"] * w
    w = w - h["learning_rate"] * ((g * frequency) / np.sqrt(a) + decay)
    return w, {"accumulator": a, "local_step": local_step}


def _custom(optimizer: Custom, g: Rows, w: Rows, slots: Slots, h: Scalars) -> tuple[Rows, Slots]:
    """Return the results of a user's update, which is called for each row.

    It takes a hyperparameter as an array of the row's shape.
    """
    results = [w.copy(), *(slot.copy() for slot in slots.values())]
    for row in range(len(w)):
        given = [array[row : row + 1].copy() for array in (g, w, *slots.values())]
        wide = [np.full_like(given[1], value) for value in h.values()]
        found = optimizer.update(*given, *wide)
        _check_results(found, slots, given[1:])
        for result, array in zip(results, found, strict=True):
            result[row] = np.asarray(array)[0]
    return results[0], dict(zip(slots, results[1:], strict=True))


def _check_results(found: Any, slots: Slots, models: list[Rows]) -> None:
    """Check that a user's update returned arrays like the rows of the table and the slots."""
    if not isinstance(found, tuple) or len(found) != 1 + len(slots):
        kind = f"a tuple of {len(found)}" if isinstance(found, tuple) else type(found).__name__
        raise SparseCoreError(
            f"optimizer custom: update returned {kind}; expected a tuple of {1 + len(slots)}: "
            f"{', '.join(('table', *slots))}"
        )
    names = ("table", *slots)
    for name, array, model in zip(names, found, models, strict=True):
        checks.check_like(
            f"optimizer custom: update's {name}", np.asarray(array), f"the given {name}", model
        )


RULES: Mapping[str, Rule] = {
    "sgd": _sgd,
    "adagrad": _adagrad,
    "row_wise_adagrad": _row_wise_adagrad,
    "adagrad_momentum": _adagrad_momentum,
    "adam": _adam,
    "ftrl": _ftrl,
    "laprop": _laprop,
    "f2a": _f2a,
}
"""The rules by the name of the optimizer, except FTRL's other form and a user's own update."""
