"""The text of a module, split into parts and lines that can be compared."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

_OP_AND_SYMBOL = re.compile(r'\s*"?(?P<op>[\w.]+)"?.*?(?P<symbol>@(?:[\w$.-]+|"[^"]*"))')
_SIGNATURE = re.compile(r"\s*func\.func ")
_OPEN, _CLOSE = "([{<", ")]}>"


@dataclass(frozen=True)
class Part:
    """The lines of an op at the top level of a module, or of the text around such ops."""

    name: str
    """The op and its symbol, such as `func.func @main`; unique within the module."""

    lines: tuple[str, ...]


def split_parts(text: str) -> list[Part]:
    """Split printed IR into the ops of the module's body.

    A part begins at each line that is indented by two blanks and does not close a region; the
    line of the module itself and the aliases are parts of their own. Each argument and result
    of a function gets a line.
    """
    groups: list[list[str]] = []
    for line in text.splitlines():
        if not groups or _starts_part(line, groups[-1]):
            groups.append([])
        groups[-1] += _wrap_signature(line) if _SIGNATURE.match(line) else [line]
    seen: Counter[str] = Counter()
    return [_part(group, seen) for group in groups]


def _starts_part(line: str, group: list[str]) -> bool:
    indent = len(line) - len(line.lstrip())
    if indent == 0:
        return not (line.startswith("#") and group[0].startswith("#"))
    return indent == 2 and line[2] not in "})^"


def _part(lines: list[str], seen: Counter[str]) -> Part:
    match = _OP_AND_SYMBOL.match(lines[0])
    name = f"{match['op']} {match['symbol']}" if match else lines[0].strip()
    name = "aliases" if name.startswith("#") else name
    seen[name] += 1
    return Part(name if seen[name] == 1 else f"{name} ({seen[name]})", tuple(lines))


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|->|[()\[\]{}<>,:]')


def _nested(line: str) -> Iterator[tuple[int, str, list[str]]]:
    """Yield the brackets, commas and colons of a line that are not inside quotes.

    Yields position, character, and the open brackets there, outermost first, including the
    one that the character itself opens or closes.
    """
    opened: list[str] = []
    for match in _TOKEN.finditer(line):
        char = match[0]
        if len(char) > 1:
            continue
        if char in _OPEN:
            opened.append(char)
        yield match.start(), char, opened
        if char in _CLOSE and opened:
            opened.pop()


def type_at_end(line: str) -> str:
    """Return the text after the last ` : ` of a line outside of brackets, or an empty text."""
    start = len(line)
    for at, char, opened in _nested(line):
        if char == ":" and not opened and line[at - 1 : at + 2] == " : ":
            start = at + 2
    return line[start:]


def _wrap_signature(line: str) -> list[str]:
    """Break `func.func @f(%arg0: T {...}, ...) -> (T {...}, ...) {` after each comma."""
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    pieces, start = [], 0
    for at, char, opened in _nested(line):
        begins = char == "(" and line[at + 1 : at + 2] != ")"
        if opened == ["("] and (begins or char == ","):
            pieces.append(line[start : at + 1])
            start = at + 1
    pieces.append(line[start:])
    return [pieces[0], *(indent + piece.strip() for piece in pieces[1:] if piece.strip())]
