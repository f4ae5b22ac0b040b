"""Which buffers a function may write to, found in its LLVM IR."""

from __future__ import annotations

import re
from collections.abc import Iterable

_DEFINITION = re.compile(r"  (%\S+) = (?:getelementptr|phi ptr|select) ")
_POINTER = re.compile(r"\bptr>?(?: align \d+)? (%[\w.]+)")
_INCOMING = re.compile(r"\[ (%[\w.]+),")
_WRITING = ("  store ", "  call void ")
_READING = "@llvm.prefetch."


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
