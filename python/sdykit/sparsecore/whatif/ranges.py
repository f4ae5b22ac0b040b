"""Numbers that are known up to a range."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Range:
    """A number, and the ends of the range that it is in; exact if all are equal."""

    value: float
    low: float
    high: float

    @property
    def spread(self) -> tuple[float, float]:
        """The ends, divided by the number."""
        if not self.value:
            return 1.0, 1.0
        return self.low / self.value, self.high / self.value

    @property
    def is_exact(self) -> bool:
        """Whether the number is known."""
        return self.low == self.high


def exact(value: float) -> Range:
    """Return a number as a range of this number only."""
    return Range(value, value, value)
