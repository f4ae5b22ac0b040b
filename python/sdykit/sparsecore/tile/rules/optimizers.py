"""The rules of the optimizers.

The operations and their order are those of `docs/sparsecore-reference.md`, "Updates".
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping

from sdykit.sparsecore.optimizers import FTRL, Optimizer, RowWiseAdagrad
from sdykit.sparsecore.tile.builder.numbers import Number
from sdykit.sparsecore.tile.rules.rule import Reduction, Result, RuleInputs, Scalars, Slots

Rule = Callable[[Optimizer, Number, Number, Slots, Scalars], tuple[Number, Slots]]


def apply_rule(
    optimizer: Optimizer, width: int, inputs: RuleInputs
) -> Generator[Reduction, Number, Result]:
    """Return a vector of the row and of its slots after the update.

    Args:
        optimizer: the optimizer, which decides the rule.
        width: the number of columns that are not padding.
        inputs: the vectors that the rule is called with.
    """
    if isinstance(optimizer, RowWiseAdagrad):
        row, slots = yield from _row_wise_adagrad(width, inputs)
    else:
        row, slots = RULES[optimizer.name](optimizer, *inputs)
    if optimizer.min_value is not None:
        row = row.at_least(optimizer.min_value)
    if optimizer.max_value is not None:
        row = row.at_most(optimizer.max_value)
    return row, slots


def _sgd(_: Optimizer, g: Number, w: Number, slots: Slots, h: Scalars) -> tuple[Number, Slots]:
    return w - h["learning_rate"] * g, slots


def _adagrad(_: Optimizer, g: Number, w: Number, slots: Slots, h: Scalars) -> tuple[Number, Slots]:
    a = slots["accumulator"] + g * g
    return w - (h["learning_rate"] * g) / a.sqrt(), {"accumulator": a}


def _row_wise_adagrad(width: int, inputs: RuleInputs) -> Generator[Reduction, Number, Result]:
    g, w, slots, h = inputs
    a = slots["accumulator"] + (yield Reduction("arith.addf", g * g)) / float(width)
    return w - (h["learning_rate"] / (a.sqrt() + h["epsilon"])) * g, {"accumulator": a}


def _adagrad_momentum(
    _: Optimizer, g: Number, w: Number, slots: Slots, h: Scalars
) -> tuple[Number, Slots]:
    a, m, k, beta2 = slots["accumulator"], slots["momentum"], h["momentum"], h["beta2"]
    squared = g * g
    decayed = beta2 * a + (1 - beta2) * squared
    a = (a + squared).where(beta2.compare("oeq", 1.0), decayed)
    scaled = (a + h["epsilon"]).power(-1 / h["exponent"]) * g
    m = k * m + scaled
    step = (k * m + scaled).where(h["use_nesterov"].compare("une", 0.0), m)
    return w - h["learning_rate"] * step, {"accumulator": a, "momentum": m}


def _adam(_: Optimizer, g: Number, w: Number, slots: Slots, h: Scalars) -> tuple[Number, Slots]:
    m, v = slots["momentum"], slots["velocity"]
    m = m + (1 - h["beta_1"]) * (g - m)
    v = v + (1 - h["beta_2"]) * (g * g - v)
    w = w - (h["alpha_t"] * m) / (v.sqrt() + h["epsilon_hat"])
    return w, {"momentum": m, "velocity": v}


def _ftrl(
    optimizer: Optimizer, g: Number, w: Number, slots: Slots, h: Scalars
) -> tuple[Number, Slots]:
    assert isinstance(optimizer, FTRL)
    is_multiplied = optimizer.multiply_linear_by_learning_rate
    lr, l1 = h["learning_rate"], h["l1_regularization_strength"]
    l2, beta = h["l2_regularization_strength"], h["beta"]
    old = slots["accumulator"]
    a = old + g * g
    exponent = -h["learning_rate_power"]
    root = a.power(exponent)
    growth = root - old.power(exponent)
    if is_multiplied:
        linear = (slots["linear"] + lr * g) - growth * w
        denominator = (root + 2 * (lr * l2)) + beta
        bound = l1 * lr
    else:
        linear = (slots["linear"] + g) - (growth / lr) * w
        denominator = (root + beta) / lr + 2 * l2
        bound = l1
    shrunk = linear.at_least(-bound).at_most(bound) - linear
    numerator = (-linear).where(l1.compare("oeq", 0.0), shrunk)
    return numerator / denominator, {"accumulator": a, "linear": linear}


def _laprop(_: Optimizer, g: Number, w: Number, slots: Slots, h: Scalars) -> tuple[Number, Slots]:
    b1, decay = h["b1"], h["decay_rate"]
    nu = slots["nu"] * decay + (1 - decay) * (g * g + h["eps"])
    mu = b1 * slots["mu"] + (1 - b1 * b1).sqrt() * (g / nu.sqrt())
    return w - h["learning_rate"] * mu, {"mu": mu, "nu": nu}


def _f2a(_: Optimizer, g: Number, w: Number, slots: Slots, h: Scalars) -> tuple[Number, Slots]:
    local_step = slots["local_step"] + 1
    ratio = h["global_step"].at_least(1) / local_step
    frequency = ratio.power(h["rho"]).at_most(h["max_lr_multiplier"])
    a = slots["accumulator"] + g * g
    decay = h["l1_regularization_strength"] * w.sign() + h["l2_regularization_strength"] * w
    w = w - h["learning_rate"] * ((g * frequency) / a.sqrt() + decay)
    return w, {"accumulator": a, "local_step": local_step}


RULES: Mapping[str, Rule] = {
    "sgd": _sgd,
    "adagrad": _adagrad,
    "adagrad_momentum": _adagrad_momentum,
    "adam": _adam,
    "ftrl": _ftrl,
    "laprop": _laprop,
    "f2a": _f2a,
}
"""The rules that reduce nothing over a row, by the name of the optimizer."""
