"""The optimizers: their fields, slot variables, and the hyperparameters of a step.

`sdykit.sparsecore.reference` defines how an optimizer updates a row. The names of fields
and slots, their order and their defaults are those of jax-tpu-embedding 0.1.0. Read `base` first,
then `rules`; `rounding` has the arithmetic in float32 that the reference and the compiler share.
"""

from sdykit.sparsecore.optimizers.base import Hyperparameters, Optimizer
from sdykit.sparsecore.optimizers.rules import (
    F2A,
    FTRL,
    OPTIMIZERS,
    SGD,
    Adagrad,
    AdagradMomentum,
    Adam,
    Custom,
    LaProp,
    RowWiseAdagrad,
    make_optimizer,
)

__all__ = [
    "F2A",
    "FTRL",
    "OPTIMIZERS",
    "SGD",
    "Adagrad",
    "AdagradMomentum",
    "Adam",
    "Custom",
    "Hyperparameters",
    "LaProp",
    "Optimizer",
    "RowWiseAdagrad",
    "make_optimizer",
]
