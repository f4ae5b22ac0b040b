"""What the status of a program may say."""

from __future__ import annotations

from sdykit.sparsecore.tile import _entry_checks, _ids, _index_checks
from sdykit.sparsecore.tile.spec import LookupSpec, TileSpec


def messages_of(spec: TileSpec) -> tuple[str, ...]:
    """Return the messages, from number 1 on: those of what the program reads."""
    if spec.layout == "ids":
        return _ids.MESSAGES
    if isinstance(spec, LookupSpec) and spec.has_index:
        return _index_checks.MESSAGES
    return _entry_checks.MESSAGES
