"""Names of fragments after their origins, the computations of the user that they hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sdykit.dialects import mpmd

INFERRED = "inferred"
"""The name of a fragment without origins."""

_COUNTED = re.compile(r"(.*)_(0|[1-9][0-9]{0,999})", re.DOTALL)


@dataclass
class _Part:
    """A part of a name: a head, and the range of its counters, or none."""

    head: str
    first: int | None = None
    last: int | None = None

    def __str__(self) -> str:
        if self.first is None:
            return self.head
        counters = f"{self.first}" if self.first == self.last else f"{self.first}:{self.last}"
        return f"{self.head}_{counters}"

    def try_extend(self, head: str, counter: int | None) -> bool:
        """Extend the range by a counter next to it, and return whether that was possible."""
        if head != self.head or counter is None or self.first is None or self.last is None:
            return False
        if counter == self.last + 1:
            self.last = counter
        elif counter == self.first - 1:
            self.first = counter
        else:
            return False
        return True


def origins_name(origins: Sequence[mpmd.UserOriginAttr]) -> str:
    """Return the name of a fragment: `f_1:3.g(1)_0` for f_1, f_2, f_3 and g_0 transposed."""
    parts: list[_Part] = []
    for origin in origins:
        head, counter = _split(origin.user_name)
        if origin.transpose_count > 0:
            head += f"({origin.transpose_count})"
        if not parts or not parts[-1].try_extend(head, counter):
            parts.append(_Part(head, counter, counter))
    return ".".join(map(str, parts)) or INFERRED


def _split(name: str) -> tuple[str, int | None]:
    match = _COUNTED.fullmatch(name)
    return (name, None) if match is None else (match[1], int(match[2]))
