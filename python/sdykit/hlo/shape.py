"""Shapes: text that is parsed only where something depends on its parts.

A program carries its shapes as it spells them. Asynchronous instructions depend on the elements
of tuples, and on whether two shapes are equal; `Shape` answers that, one level at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from sdykit.hlo.text.lexis import COMMENT_OF_INDEX, FLAGS

_LAYOUT = re.compile(r"\{[^{}]*+(?:\{[^{}]*+\}[^{}]*+)*+\}", FLAGS)
_SPACE = re.compile(rf"\s++|{COMMENT_OF_INDEX}", FLAGS)
_ARRAY = re.compile(r"([A-Za-z]\w*+)\[([^\](){}]*+)\]", FLAGS)
_WITH_LAYOUT = re.compile(r"\[([^\](){}]*+)\]\{([\d,]*+)\}", FLAGS)
_BRACKETS = re.compile(r"[(){}\[\],]")


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape: a tuple, an array, or something without parts (`opaque[]`, `b(f32[4])`)."""

    text: str

    @property
    def elements(self) -> tuple[Shape, ...] | None:
        """The elements of a tuple; None if it is not one."""
        return _elements(self.text)

    @property
    def element_type(self) -> str | None:
        """`f32` of an array; None if it is not one."""
        array = _ARRAY.match(self.text)
        return array[1] if array else None

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The sizes of an array as written: `4`, or `<=4` if bounded."""
        array = _ARRAY.match(self.text)
        return tuple(array[2].replace(" ", "").split(",")) if array and array[2].strip() else ()

    def same(self, other: Shape) -> bool:
        """Whether the two are equal if layouts do not count."""
        return same_shape(self.text, other.text)

    def __str__(self) -> str:
        return self.text


def parse_shape(text: str) -> Shape:
    """Return the shape that a text stands for."""
    return Shape(text)


def same_shape(a: str, b: str) -> bool:
    """Whether two shapes, as text, are equal if layouts do not count."""
    return a == b or _SPACE.sub("", without_layouts(a)) == _SPACE.sub("", without_layouts(b))


def equal_shape(a: str, b: str) -> bool:
    """Whether two shapes, as text, are equal; no layout is the layout `{n,...,1,0}`."""
    return a == b or _with_layouts(a) == _with_layouts(b)


def tuple_shape(elements: Iterable[str]) -> str:
    """Return a tuple as XLA prints it, with an index before every fifth element."""
    numbered = [
        f"/*index={at}*/{text}" if at and at % 5 == 0 else text for at, text in enumerate(elements)
    ]
    return f"({', '.join(numbered)})"


def leaves(text: str) -> dict[tuple[int, ...], str]:
    """Return all parts of a shape that are not tuples, by index, in order; in linear time."""
    text = _SPACE.sub(" ", text)
    found = dict[tuple[int, ...], str]()
    path = list[int]()  # The index of the part that is being read.
    start, depth = 0, 0  # Where it starts, and how many brackets are open in it.
    for bracket in _BRACKETS.finditer(text):
        sign, part = bracket[0], text[start : bracket.start()].strip()
        if sign == "(" and not part and not depth:
            path.append(0)
            start = bracket.end()
        elif sign in "({[":
            depth += 1
        elif depth:
            depth -= sign in ")}]"
        elif path:
            if part:
                found[tuple(path)] = part
            path[-1] += 1
            start = bracket.end()
            if sign == ")":
                path.pop()
    rest = text[start:].strip()
    return {(): rest} if rest else found


def part_of(shape: Shape, index: tuple[int, ...]) -> Shape | None:
    """Return the part of a shape at an index; None if it has none there."""
    for number in index:
        if shape.elements is None or number >= len(shape.elements):
            return None
        shape = shape.elements[number]
    return shape


@lru_cache(maxsize=8192)
def without_layouts(text: str) -> str:
    """Return a shape without layouts, as in the signature of a computation."""
    return _LAYOUT.sub("", text) if "{" in text else text


@lru_cache(maxsize=4096)
def _with_layouts(text: str) -> str:
    return _WITH_LAYOUT.sub(_drop_default, _SPACE.sub("", text))


def _drop_default(array: re.Match[str]) -> str:
    rank = array[1].count(",") + 1 if array[1] else 0
    default = ",".join([str(axis) for axis in range(rank - 1, -1, -1)])
    return f"[{array[1]}]" if array[2] == default else array[0]


@lru_cache(maxsize=4096)
def _elements(text: str) -> tuple[Shape, ...] | None:
    text = _SPACE.sub(" ", text).strip()
    if not (text.startswith("(") and text.endswith(")")):
        return None
    parts, depth, start = list[str](), 0, 1
    for bracket in _BRACKETS.finditer(text):
        if bracket[0] in "({[":
            depth += 1
        elif bracket[0] in ")}]":
            depth -= 1
        elif depth == 1:
            parts.append(text[start : bracket.start()].strip())
            start = bracket.end()
    last = text[start:-1].strip()
    return tuple([Shape(part) for part in ([*parts, last] if parts or last else [])])
