"""The criteria by which `-async-wrap` chooses operations, and warnings of those that match none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sdykit.core.options import nearest
from sdykit.passes.async_hlo._program import Facts

_MAX_LISTED = 8


@dataclass(frozen=True)
class Choice:
    """Criteria of which an operation has to meet all; an empty one is none."""

    names: tuple[str, ...]
    attribute: str
    custom_call_targets: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.names or self.attribute or self.custom_call_targets)

    def matches(self, facts: Facts) -> bool:
        """Return whether an operation meets the criteria."""
        if self.names and not set(self.names) & set(facts.names):
            return False
        if self.custom_call_targets and facts.custom_call_target not in self.custom_call_targets:
            return False
        return not self.attribute or self._has_attribute(facts)

    def _has_attribute(self, facts: Facts) -> bool:
        name, equals, value = self.attribute.partition("=")
        found = facts.attribute(name)
        return found is not None and (not equals or found == value)

    def without(self, facts: Iterable[Facts]) -> Choice:
        """Return the choice without the names and targets that operations have."""
        names, targets = dict.fromkeys(self.names), dict.fromkeys(self.custom_call_targets)
        for each in facts:
            if not names and not targets:
                break
            targets.pop(each.custom_call_target or "", None)
            for name in each.names:
                names.pop(name, None)
        return Choice(tuple(names), self.attribute, tuple(targets))

    def not_found_in(self, facts: Iterable[Facts]) -> Iterator[str]:
        """Yield a warning for each criterion that no operation meets, with names close to it."""
        facts = list(facts)
        left = self.without(facts)
        known = dict.fromkeys(name for each in facts for name in each.names)
        for name in left.names:
            yield f"no operation is called '{name}'{_hint(name, known)}"
        targets = dict.fromkeys(filter(None, (each.custom_call_target for each in facts)))
        for target in left.custom_call_targets:
            yield f"no custom call has the target '{target}'{_hint(target, targets)}"
        name, _, value = self.attribute.partition("=")
        values = dict.fromkeys(filter(None, (each.attribute(name) for each in facts if name)))
        if name and not values:
            attributes = dict.fromkeys(name for each in facts for name in each.attribute_names())
            yield f"no operation has the attribute '{name}'{_hint(name, attributes)}"
        elif value and value not in values:
            yield f"no attribute '{name}' has the value '{value}'{_hint(value, values)}"


def _hint(name: str, known: Iterable[str]) -> str:
    close = nearest(name, known)
    if close:
        return f"; did you mean '{close}'?"
    # Names of single instructions are no help in a list.
    listed = [each for each in known if not each.startswith("%")][: _MAX_LISTED + 1]
    if not listed:
        return ""
    more = ", ..." if len(listed) > _MAX_LISTED else ""
    return f"; there is {', '.join(listed[:_MAX_LISTED])}{more}"
