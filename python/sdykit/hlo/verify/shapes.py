"""Compare shapes for the verifier, and print those that differ."""

from __future__ import annotations

import re

from sdykit.hlo import shape

_COMMENT = re.compile(r"/\*.*?\*/")


def same_shape(one: str, other: str, layout_sensitive: bool) -> bool:
    """Whether two shapes are equal; a missing layout is the default one."""
    return shape.equal_shape(one, other) if layout_sensitive else shape.same_shape(one, other)


def versus(one: str, other: str) -> str:
    """Return `one vs other`, with layouts only if these are the difference."""
    if shape.same_shape(one, other):
        return f"{one} vs {other}"
    return f"{brief(one)} vs {brief(other)}"


def brief(text: str) -> str:
    """Return a shape without layouts and comments."""
    return shape.without_layouts(_COMMENT.sub("", text))
