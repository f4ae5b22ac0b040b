"""What features, tables and gradients mean to a user, in dense float64 numpy.

Nothing here knows of devices, partitions, stacks or buffers: a table is `[vocabulary, dim]`, a
feature is a list of samples. The rules are those of the optimizers' papers and documentation.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Array = np.ndarray
Slots = tuple[Array, ...]
Values = Mapping[str, Any]


@dataclasses.dataclass(frozen=True, eq=False)
class Samples:
    """A feature's batch: ids and weights of each sample."""

    ids: list[Array]
    weights: list[Array]

    def matrix(self, vocabulary: int, combiner: str) -> Array:
        """Return `[samples, vocabulary]`, which maps a table to activations."""
        found = np.zeros((len(self.ids), vocabulary))
        for row, ids, weights in zip(found, self.ids, self.weights, strict=True):
            np.add.at(row, ids, _normalized(weights.astype(np.float64), combiner))
        return found

    def touched(self, vocabulary: int) -> Array:
        """Tell which rows are named."""
        found = np.zeros(vocabulary, bool)
        found[np.concatenate(self.ids)] = True
        return found


def _normalized(weights: Array, combiner: str) -> Array:
    norm = {"sum": 1.0, "mean": weights.sum(), "sqrtn": np.sqrt((weights**2).sum())}[combiner]
    return weights / norm if len(weights) else weights


def quantized(table: Array, low: float, high: float, buckets: int) -> Array:
    """Return the nearest of `buckets` values from `low` to `high`."""
    step = (high - low) / (buckets - 1)
    return low + step * np.rint((np.clip(table, low, high) - low) / step)


def updated(
    name: str, variables: tuple[Array, ...], gradient: Array, touched: Array, values: Values
) -> tuple[Array, ...]:
    """Return a table and its slots after a step of the optimizer; other rows stay as they are."""
    wide = tuple(array.astype(np.float64) for array in variables)
    after = RULES[name](gradient, wide[0], wide[1:], values)
    return tuple(np.where(touched[:, None], new, old) for new, old in zip(after, wide, strict=True))


def _sgd(g: Array, w: Array, slots: Slots, h: Values) -> tuple[Array, ...]:
    return (w - h["learning_rate"] * g,)


def _adagrad(g: Array, w: Array, slots: Slots, h: Values) -> tuple[Array, ...]:
    a = slots[0] + g**2
    return w - h["learning_rate"] * g / np.sqrt(a), a


def _adagrad_momentum(g: Array, w: Array, slots: Slots, h: Values) -> tuple[Array, ...]:
    a, m = slots
    b = h["beta2"]
    a = a + g**2 if b == 1 else b * a + (1 - b) * g**2
    s = g * (a + h["epsilon"]) ** (-1 / h["exponent"])
    m = h["momentum"] * m + s
    step = h["momentum"] * m + s if h["use_nesterov"] else m
    return w - h["learning_rate"] * step, a, m


def _adam(g: Array, w: Array, slots: Slots, h: Values) -> tuple[Array, ...]:
    m = h["beta_1"] * slots[0] + (1 - h["beta_1"]) * g
    v = h["beta_2"] * slots[1] + (1 - h["beta_2"]) * g**2
    return w - h["alpha_t"] * m / (np.sqrt(v) + h["epsilon_hat"]), m, v


def _ftrl(g: Array, w: Array, slots: Slots, h: Values) -> tuple[Array, ...]:
    lr, power = h["learning_rate"], -h["learning_rate_power"]
    a = slots[0] + g**2
    linear = slots[1] + g - (a**power - slots[0] ** power) / lr * w
    l1, l2 = h["l1_regularization_strength"], h["l2_regularization_strength"]
    shrunk = np.sign(linear) * np.maximum(np.abs(linear) - l1, 0)
    return -shrunk / ((a**power + h["beta"]) / lr + 2 * l2), a, linear


def _ftrl_multiplied(g: Array, w: Array, slots: Slots, h: Values) -> tuple[Array, ...]:
    """Return FTRL with `lr * linear` in the slot: the same table."""
    lr = h["learning_rate"]
    w, a, linear = _ftrl(g, w, (slots[0], slots[1] / lr), h)
    return w, a, linear * lr


def _laprop(g: Array, w: Array, slots: Slots, h: Values) -> tuple[Array, ...]:
    mu, nu = slots
    nu = h["decay_rate"] * nu + (1 - h["decay_rate"]) * (g**2 + h["eps"])
    mu = h["b1"] * mu + np.sqrt(1 - h["b1"] ** 2) * g / np.sqrt(nu)
    return w - h["learning_rate"] * mu, mu, nu


def _f2a(g: Array, w: Array, slots: Slots, h: Values) -> tuple[Array, ...]:
    a, steps = slots[0] + g**2, slots[1] + 1
    frequency = (np.maximum(h["global_step"], 1) / steps) ** h["rho"]
    frequency = np.minimum(frequency, h["max_lr_multiplier"])
    l1, l2 = h["l1_regularization_strength"], h["l2_regularization_strength"]
    decay = l1 * np.sign(w) + l2 * w
    return w - h["learning_rate"] * (g * frequency / np.sqrt(a) + decay), a, steps


def _momentum(g: Array, w: Array, slots: Slots, h: Values) -> tuple[Array, ...]:
    velocity = 0.75 * slots[0] + g
    return w - h["learning_rate"] * velocity, velocity


RULES: Mapping[str, Callable[[Array, Array, Slots, Values], tuple[Array, ...]]] = {
    "sgd": _sgd,
    "adagrad": _adagrad,
    "adagrad_momentum": _adagrad_momentum,
    "adagrad_momentum, nesterov": _adagrad_momentum,
    "adam": _adam,
    "ftrl": _ftrl,
    "ftrl, multiplied": _ftrl_multiplied,
    "laprop": _laprop,
    "f2a": _f2a,
    "custom": _momentum,
}
