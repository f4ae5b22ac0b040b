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
"""The scalars of one step, in the order in which the update of a row takes them."""


@dataclasses.dataclass(frozen=True)
class Optimizer:
    """What all optimizers have. Equal optimizers may share a stack of tables.

    Raises:
        SparseCoreError: a field is no number, or outside its range once rounded to float32.
    """

    learning_rate: float = number(fields.FINITE)
    min_value: float | None = dataclasses.field(default=None, kw_only=True)
    """Smallest value of the table after an update; slots are not clipped."""
    max_value: float | None = dataclasses.field(default=None, kw_only=True)
    """Largest value of the table after an update; slots are not clipped."""

    name: ClassVar[str] = ""
    """Short name, for instance `adagrad_momentum`."""
    slot_fields: ClassVar[Mapping[str, str]] = {}
    """Slot variable -> the field that holds its initial value; "" is 0."""
    is_element_wise: ClassVar[bool] = True
    """Whether the elements of a row are updated independently of each other. Otherwise tables of
    different widths cannot share a stack, in which narrow rows are padded."""

    def __post_init__(self) -> None:
        if type(self) is Optimizer:
            raise SparseCoreError(
                "optimizer: Optimizer has no update rule; expected one of its subclasses, "
                "for instance SGD(0.01)"
            )
        fields.check_fields(self.name, self)

    @property
    def slots(self) -> dict[str, float]:
        """Slot variables and their initial values."""
        return {
            slot: getattr(self, field) if field else 0.0 for slot, field in self.slot_fields.items()
        }

    @property
    def row_slots(self) -> tuple[str, ...]:
        """Slot variables with one number for each row, `[rows, 1]`; others have the table's shape."""
        return ()

    def hyperparameters(
        self, step: int | None = None, learning_rate: float | None = None
    ) -> Hyperparameters:
        """Give the scalars of one step, float32 but for flags.

        Args:
            step: counts from 0; `None` is 0, but for LaProp, whose decay is then constant.
            learning_rate: of this step, if it follows a schedule.

        Raises:
            SparseCoreError: the step is no integer >= 0, or the learning rate out of its range.
        """
        fields.check_step(self.name, step)
        if learning_rate is not None:
            allowed = fields.range_of(type(self), "learning_rate")
            fields.check_number(self.name, "learning_rate", learning_rate, allowed)
        rate = self.learning_rate if learning_rate is None else learning_rate
        return {"learning_rate": np.float32(rate), **self._other_hyperparameters(step)}

    def _other_hyperparameters(self, step: int | None) -> Hyperparameters:
        """Give what follows the learning rate."""
        del step
        return {}

    def _constants(self, *names: str) -> Hyperparameters:
        """Give fields that are the same in every step."""
        return {name: np.float32(getattr(self, name)) for name in names}
