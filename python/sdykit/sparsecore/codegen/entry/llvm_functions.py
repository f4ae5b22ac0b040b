"""The LLVM functions of a phase: what runs iterations, and the C functions around it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sdykit.sparsecore.codegen.emission.emitter import ONCE

_NAME = re.compile(r"%[ads]\d+\b")
"""A buffer, a size or a part of the arena; their numbers are those of the arguments."""


_DEFINITION = re.compile(r"  (%\S+) = (?:getelementptr|phi ptr|select) ")
_POINTER = re.compile(r"\bptr>?(?: align \d+)? (%[\w.]+)")
_INCOMING = re.compile(r"\[ (%[\w.]+),")
_WRITING = ("  store ", "  call void ")
_READING = "@llvm.prefetch."


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


def written(text: str, buffers: Iterable[str]) -> set[str]:
    """Find which pointers among some are written through.

    Pointers are made by `getelementptr`, `phi` and `select` only, and what is written comes first
    among the pointers of a store or call.

    Args:
        text: instructions, a line each.
        buffers: parameters of the function.

    Returns:
        Those through which the function may write, whatever the path it takes.
    """
    sources: dict[str, list[str]] = {}
    targets: list[str] = []
    for line in text.split("\n"):
        if "ptr" not in line:
            continue
        defined = _DEFINITION.match(line)
        if defined:
            pattern = _INCOMING if " = phi " in line else _POINTER
            sources[defined[1]] = pattern.findall(line)
        elif line.startswith(_WRITING) and _READING not in line:
            targets += _POINTER.findall(line)[:1]
    reached: set[str] = set()
    while targets:
        pointer = targets.pop()
        if pointer not in reached:
            reached.add(pointer)
            targets += sources.get(pointer, [])
    return reached & set(buffers)
