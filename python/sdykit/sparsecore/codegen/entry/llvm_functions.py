"""The LLVM functions of a phase: what runs iterations, and the C functions around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_NAME = re.compile(r"%[ads]\d+\b")
"""A buffer, a size or a part of the arena; their numbers are those of the arguments."""
ONCE = "noinline optnone nounwind"
"""Attributes of functions that run once in a call: to optimize them takes longer than they do."""


@dataclass(frozen=True, slots=True)
class Body:
    """What runs iterations. Buffers are arguments of it, since only those can be `noalias`.

    Attributes:
        text: its instructions.
        parameters: `%begin`, `%end` and those that it uses: name to type and attributes.
    """

    text: str
    parameters: dict[str, str]

    def define(self, name: str) -> str:
        """Write the definition."""
        parameters = ", ".join(f"{words} {each}" for each, words in self.parameters.items())
        head = f"define internal void @{name}({parameters})"
        return f"{head} noinline nounwind {{\n{self.text}\n}}"

    def wrap(self, name: str, wrapper: str, offsets: Sequence[int]) -> str:
        """Write the C function that calls it.

        Args:
            name: of the body.
            wrapper: name of the C function.
            offsets: of the parts of the arena, in bytes.
        """
        arguments = ", ".join(
            f"{words.split()[0]} {each}" for each, words in self.parameters.items()
        )
        lines = [*loads(arguments, offsets), f"call void @{name}({arguments})", "ret void"]
        text = "\n".join(f"  {line}" for line in lines)
        parameters = "ptr %buffers, ptr %dims, i64 %begin, i64 %end, ptr %scratch"
        return f"define void @{wrapper}({parameters}) {ONCE} {{\nentry:\n{text}\n}}"


def used_in(text: str) -> set[str]:
    """Find buffers, sizes and parts of the arena that instructions use."""
    return set(_NAME.findall(text))


def loads(text: str, offsets: Sequence[int] = ()) -> list[str]:
    """Write what C gives in arrays to the names that instructions use.

    Args:
        text: the instructions.
        offsets: of the parts of the arena, in bytes.
    """
    lines = []
    for name in sorted(used_in(text)):
        kind, number = name[1], int(name[2:])
        if kind == "s":
            pointer = f"getelementptr inbounds i8, ptr %scratch, i64 {offsets[number]}"
            lines.append(f"{name} = {pointer}")
            continue
        type_, array = ("ptr", "%buffers") if kind == "a" else ("i64", "%dims")
        pointer = f"getelementptr inbounds {type_}, ptr {array}, i64 {number}"
        lines += [f"{name}.at = {pointer}", f"{name} = load {type_}, ptr {name}.at"]
    return lines
