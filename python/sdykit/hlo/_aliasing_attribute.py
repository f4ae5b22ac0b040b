"""The text of `output_to_operand_aliasing`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sdykit.hlo.shape import Shape

NAME = "output_to_operand_aliasing"

_INDEX = r"\s*(?:\d+\s*(?:,\s*\d+\s*)*)?"
_ENTRY = re.compile(
    rf"\s*\{{(?P<output>{_INDEX})\}}\s*:\s*"
    rf"\(\s*(?P<operand>\d+)\s*,\s*\{{(?P<index>{_INDEX})\}}\s*(?:,\s*[\w-]+\s*)?\)\s*"
)


@dataclass(frozen=True, slots=True)
class Alias:
    """One entry: the output at an index and the operand at an index are one buffer."""

    output: tuple[int, ...]
    operand: int
    operand_index: tuple[int, ...]


def parse_aliases(text: str) -> list[Alias] | None:
    """Read `{{0}: (1, {}), ...}`; None if it is not of this form."""
    body = text.strip()
    if not (body.startswith("{") and body.endswith("}")):
        return None
    aliases: list[Alias] = []
    at, end = 1, len(body) - 1
    while at < end:
        match = _ENTRY.match(body, at, end)
        if match is None or (match.end() < end and body[match.end()] != ","):
            return None
        operand, index = int(match["operand"]), _index(match["index"])
        aliases.append(Alias(_index(match["output"]), operand, index))
        at = match.end() + 1
        if at == end:
            return None  # It ends in a comma.
    return aliases


def part_of(shape: Shape, index: tuple[int, ...]) -> Shape | None:
    """Find the part of a shape at an index; None if it has none there."""
    for number in index:
        if shape.elements is None or number >= len(shape.elements):
            return None
        shape = shape.elements[number]
    return shape


def index_text(index: tuple[int, ...]) -> str:
    """Write an index as XLA does: `{1,0}`."""
    return "{" + ",".join(map(str, index)) + "}"


def _index(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.replace(",", " ").split())
