"""An explanation as JSON: the fields of the data model under their names."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from sdykit.explain.model import Explanation, Op, SourceLine, TensorSharding

FORMAT = 1
"""The number of the format; it changes with fields that go or change their meaning."""


def as_json(explanation: Explanation) -> dict[str, Any]:
    """Return an explanation as what `json.dumps` takes.

    The keys are the fields of `Explanation` and of what is in it, less those that have their default.
    Source lines and shardings are numbers of entries of `sources` and `shardings`. The text of an op is
    left out if it is the line of it.
    """
    writer = _Writer(explanation.lines)
    found = writer.converted(explanation)
    sources = [writer.entry(each) for each in writer.sources]
    shardings = [writer.entry(each) for each in writer.shardings]
    return {"format": FORMAT, **found, "sources": sources, "shardings": shardings}


def json_text(explanation: Explanation) -> str:
    """Return an explanation as the text of a JSON document."""
    return json.dumps(as_json(explanation), separators=(",", ":"), ensure_ascii=False)


class _Writer:
    def __init__(self, lines: tuple[str, ...]) -> None:
        self._lines = lines
        self.sources: dict[SourceLine, int] = {}
        self.shardings: dict[TensorSharding, int] = {}

    def converted(self, value: Any) -> Any:
        """Return a value of the data model for JSON; sources and shardings become numbers."""
        if isinstance(value, SourceLine):
            return self.sources.setdefault(value, len(self.sources))
        if isinstance(value, TensorSharding):
            return self.shardings.setdefault(value, len(self.shardings))
        if is_dataclass(value):
            return self.entry(value)
        if isinstance(value, tuple):
            return [self.converted(each) for each in value]
        if isinstance(value, dict):
            return {name: self.converted(each) for name, each in value.items()}
        return value

    def entry(self, value: Any) -> dict[str, Any]:
        """Return the fields of an object that have not their default."""
        found = {}
        for name, default in _defaults(type(value)):
            each = getattr(value, name)
            if each != default:
                found[name] = self.converted(each)
        if isinstance(value, Op) and value.text == self._lines[value.line - 1].strip():
            del found["text"]
        return found


@cache
def _defaults(kind: Any) -> tuple[tuple[str, Any], ...]:
    return tuple((each.name, each.default) for each in fields(kind))
