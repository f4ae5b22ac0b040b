"""Which operations `-async-wrap` takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Facts:
    """What an operation is chosen by."""

    names: tuple[str, ...]
    """What it may be called by."""
    attribute: Callable[[str], str | None]
    """Gives the text of an attribute, frontend attributes among them; None if it has none."""
    custom_call_target: str | None
    """What it calls, if it is a custom call."""


@dataclass(frozen=True)
class Choice:
    """The criteria; what is empty is none. An operation has to meet all of them."""

    names: tuple[str, ...]
    attribute: str
    custom_call_targets: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.names or self.attribute or self.custom_call_targets)

    def takes(self, facts: Facts) -> bool:
        """Tell whether an operation meets the criteria."""
        if self.names and not set(self.names) & set(facts.names):
            return False
        if self.custom_call_targets and facts.custom_call_target not in self.custom_call_targets:
            return False
        return not self.attribute or self._has_attribute(facts)

    def _has_attribute(self, facts: Facts) -> bool:
        name, equals, value = self.attribute.partition("=")
        found = facts.attribute(name)
        return found is not None and (not equals or found == value)
