"""A number with its range and its source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sdykit.sparsecore.errors import SparseCoreError

ASSUMED: Final = "assumed"


@dataclass(frozen=True)
class Number:
    """A number that times follow from.

    Attributes:
        value: the value that is expected.
        low: the lowest value that it may have.
        high: the highest one.
        unit: the unit, "" if it is a ratio.
        source: where it is published, or a text that begins with `assumed` or `fitted`.

    Raises:
        SparseCoreError: it is negative, or not in its range.
    """

    value: float
    low: float
    high: float
    unit: str
    source: str

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.value <= self.high:
            raise SparseCoreError(
                f"the value is {self.value:g} in a range of {self.low:g} to {self.high:g}; expected "
                "0 <= low <= value <= high"
            )

    @property
    def is_assumed(self) -> bool:
        """Whether nothing that is published says what it is."""
        return self.source.startswith(ASSUMED)
