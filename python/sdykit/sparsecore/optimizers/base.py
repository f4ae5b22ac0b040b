"""The base class of all optimizers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.optimizers import fields
from sdykit.sparsecore.optimizers.fields import number

Hyperparameters = dict[str, "np.float32 | np.bool"]
"""The scalars of one step by name, in the order in which the update of a row takes them."""


@dataclasses.dataclass(frozen=True)
class Optimizer:
    """The base class of all optimizers. Tables of equal optimizers may share a stack.

    Raises:
        SparseCoreError: a field is not a number, or is out of its range once rounded to float32.
    """

    learning_rate: float = number(fields.FINITE)
    min_value: float | None = dataclasses.field(default=None, kw_only=True)
    """Smallest value of the table after an update; slots are not clipped."""
    max_value: float | None = dataclasses.field(default=None, kw_only=True)
    """Largest value of the table after an update; slots are not clipped."""

    name: ClassVar[str] = ""
    """The short name, for instance `adagrad_momentum`."""
    slot_fields: ClassVar[Mapping[str, str]] = {}
    """The field that holds the initial value of each slot variable, or "": it is 0."""
    is_element_wise: ClassVar[bool] = True
    """Whether the elements of a row are updated independently of each other. Otherwise tables of
    different widths cannot share a stack, since a stack pads narrow rows."""

    def __post_init__(self) -> None:
        if type(self) is Optimizer:
            raise SparseCoreError(
                "optimizer: Optimizer has no update rule; expected one of its subclasses, "
                "for instance SGD(0.01)"
            )
        fields.check_fields(self.name, self)

    @property
    def slots(self) -> dict[str, float]:
        """The initial values of the slot variables, by name."""
        return {
            slot: getattr(self, field) if field else 0.0 for slot, field in self.slot_fields.items()
        }

    @property
    def row_slots(self) -> tuple[str, ...]:
        """The slot variables of shape `[rows, 1]`; others have the table's shape."""
        return ()

    def hyperparameters(
        self, step: int | None = None, learning_rate: float | None = None
    ) -> Hyperparameters:
        """Return the scalars of one step: float32, except for flags.

        Args:
            step: the number of the step, from 0. None is 0; for LaProp it is a constant decay.
            learning_rate: the learning rate of this step, if it follows a schedule.

        Raises:
            SparseCoreError: the step is not an integer >= 0, or the learning rate is out of its
                range.
        """
        fields.check_step(self.name, step)
        if learning_rate is not None:
            allowed = fields.range_of(type(self), "learning_rate")
            fields.check_number(self.name, "learning_rate", learning_rate, allowed)
        rate = self.learning_rate if learning_rate is None else learning_rate
        return {"learning_rate": np.float32(rate), **self._other_hyperparameters(step)}

    def _other_hyperparameters(self, step: int | None) -> Hyperparameters:
        """Return the scalars after the learning rate."""
        del step
        return {}

    def _constants(self, *names: str) -> Hyperparameters:
        """Return fields that are the same in every step, rounded to float32."""
        return {name: np.float32(getattr(self, name)) for name in names}
