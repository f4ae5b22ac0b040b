"""The LLVM functions of a phase: the body that runs iterations, and the C function around it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sdykit.sparsecore.codegen.emission.emitter import ONCE
from sdykit.sparsecore.codegen.runtime_functions import PREFIX

_NAME = re.compile(r"%[adhs]\d+\b")
"""The name of a buffer (a), a dynamic size (d), a buffer that agents share (h) or one in the arena (s),
with its number."""


_DEFINITION = re.compile(r"  (%\S+) = (?:getelementptr|phi ptr|select) ")
_POINTER = re.compile(r"\bptr>?(?: align \d+)? (%[\w.]+)")
_INCOMING = re.compile(r"\[ (%[\w.]+),")
_WRITES = ("  store ", "  call void ")
_PREFETCH = "@llvm.prefetch."
_RUNTIME = f" @{PREFIX}"


@dataclass(frozen=True, slots=True)
class Body:
    """The function that runs iterations; buffers are parameters, since only these can be `noalias`.

    Attributes:
        text: the instructions.
        parameters: the type and attributes of each parameter, by name: `%begin`, `%end` and the
            buffers and sizes that the instructions use.
    """

    text: str
    parameters: dict[str, str]

    def define(self, name: str) -> str:
        """Return the definition under a name."""
        parameters = ", ".join(f"{words} {each}" for each, words in self.parameters.items())
        head = f"define internal void @{name}({parameters})"
        return f"{head} noinline nounwind {{\n{self.text}\n}}"

    def wrap(
        self,
        name: str,
        wrapper: str,
        offsets: Sequence[int],
        shared: Sequence[tuple[int, int]] = (),
    ) -> str:
        """Return the definition of the C function that calls the body.

        Args:
            name: the name of the body.
            wrapper: the name of the C function.
            offsets: the offsets of the buffers in the arena, in bytes.
            shared: the buffers that agents share, as `Translator.shared` has them.
        """
        arguments = ", ".join(
            f"{words.split()[0]} {each}" for each, words in self.parameters.items()
        )
        lines = [*loads(arguments, offsets, shared), f"call void @{name}({arguments})", "ret void"]
        text = "\n".join(f"  {line}" for line in lines)
        parameters = "ptr %buffers, ptr %dims, i64 %begin, i64 %end, ptr %scratch"
        return f"define void @{wrapper}({parameters}) {ONCE} {{\nentry:\n{text}\n}}"


def used_in(text: str) -> set[str]:
    """Return the names of buffers and sizes that instructions use."""
    return set(_NAME.findall(text))


def loads(
    text: str, offsets: Sequence[int] = (), shared: Sequence[tuple[int, int]] = ()
) -> list[str]:
    """Return instructions that load from C's arrays the buffers and sizes that others use.

    Args:
        text: the instructions that use them.
        offsets: the offsets of the buffers in the arena, in bytes.
        shared: the buffers that agents share, as `Translator.shared` has them.
    """
    lines = []
    for name in sorted(used_in(text)):
        kind, number = name[1], int(name[2:])
        if kind == "s":
            pointer = f"getelementptr inbounds i8, ptr %scratch, i64 {offsets[number]}"
            lines.append(f"{name} = {pointer}")
            continue
        if kind == "h":
            lines += _shared(name, *shared[number])
            continue
        type_, array = ("ptr", "%buffers") if kind == "a" else ("i64", "%dims")
        pointer = f"getelementptr inbounds {type_}, ptr {array}, i64 {number}"
        lines += [f"{name}.at = {pointer}", f"{name} = load {type_}, ptr {name}.at"]
    return lines


def _shared(name: str, memory: int, offset: int) -> list[str]:
    return [
        f"{name}.at = getelementptr inbounds i8, ptr %scratch, i64 {memory}",
        f"{name}.start = load ptr, ptr {name}.at",
        f"{name} = getelementptr inbounds i8, ptr {name}.start, i64 {offset}",
    ]


def find_written(text: str, buffers: Iterable[str]) -> set[str]:
    """Find the buffers that a function may write to.

    Pointers are made by `getelementptr`, `phi` and `select` only, and the first pointer of a store
    or call is the one that is written through; a function of the runtime writes through all that are
    not `readonly`.

    Args:
        text: the instructions, each on a line.
        buffers: the names of the parameters that are buffers.

    Returns:
        The names of the buffers that are written on any path through the function.
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
        elif _RUNTIME in line:
            targets += _POINTER.findall(line)
        elif line.startswith(_WRITES) and _PREFETCH not in line:
            targets += _POINTER.findall(line)[:1]
    reached: set[str] = set()
    while targets:
        pointer = targets.pop()
        if pointer not in reached:
            reached.add(pointer)
            targets += sources.get(pointer, [])
    return reached & set(buffers)
