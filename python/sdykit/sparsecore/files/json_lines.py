"""The lines of keys in JSON text, for errors about their values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

Keys = tuple[str, ...]
"""A key, after those of the objects that it is in; an element of an array has its number."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')


def line_of(text: str, keys: Sequence[str]) -> int:
    """Return the line of a key, or of the innermost object around it that is there.

    Args:
        text: valid JSON text.
        keys: the key, after those of the objects that it is in.
    """
    wanted, depth, found = tuple(keys), 0, 0
    for here, position in _keys(text):
        if depth < len(here) and here == wanted[: len(here)]:
            depth, found = len(here), position
    return _line(text, found)


def first_repeat(text: str) -> tuple[str, int]:
    """Return the first key that its object has had before, and its line.

    Args:
        text: valid JSON text, with such a key.
    """
    seen: set[Keys] = set()
    for here, position in _keys(text):
        if here in seen:
            return here[-1], _line(text, position)
        seen.add(here)
    raise AssertionError("no key is there twice")


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _keys(text: str) -> Iterator[tuple[Keys, int]]:
    """Yield every key with its position."""
    path: list[str] = []
    in_object: list[bool] = []
    is_key = False
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in "{[":
            in_object.append(token == "{")
            path.append("0")
            is_key = token == "{"
        elif token in "}]":
            in_object.pop()
            path.pop()
            is_key = False
        elif token == ",":
            is_key = in_object[-1]
            path[-1] = path[-1] if is_key else str(int(path[-1]) + 1)
        elif is_key:
            path[-1] = json.loads(token)
            is_key = False
            yield tuple(path), match.start()
