"""Parses the `assemblyFormat` of attributes and types.

For example, the one of `#sdy.mesh`:

    `<` `[` (`]`) : ($axes^ `]`)? (`,` `device_ids` `` `=` `` `[` $device_ids^ `]`)? `>`
"""

from __future__ import annotations

import re
from dataclasses import dataclass


class FormatError(Exception):
    """An assembly format is wrong, or uses what the generator does not support."""


@dataclass(frozen=True)
class Literal:
    """Text between backticks; it is several tokens if it contains punctuation."""

    text: str


@dataclass(frozen=True)
class Space:
    """Blanks between backticks; an empty text suppresses the space here."""

    text: str


@dataclass(frozen=True)
class Variable:
    """`$name`."""

    name: str


@dataclass(frozen=True)
class Struct:
    """`struct($a, $b)`, or `struct(params)`, which has no names."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class Params:
    """`params`: all parameters, separated by commas."""


@dataclass(frozen=True)
class Custom:
    """`custom<Name>($a, $b)`."""

    name: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Optional:
    """`(then)?` or `(then) : (otherwise)?`, with `^` after the anchor."""

    then: tuple[Element, ...]
    otherwise: tuple[Element, ...]
    anchor: tuple[str, ...]
    """The parameters of the anchor: if one is present, the side that holds `^` is printed."""
    anchor_in_then: bool


Element = Literal | Space | Variable | Struct | Params | Custom | Optional

_TOKEN = re.compile(r"\s*(`[^`]*`|\$\w+|\w+|[()<>,:?^])")


def parse_format(text: str) -> tuple[Element, ...]:
    """Return the elements of an assembly format.

    Raises:
        FormatError: the text does not follow the grammar.
    """
    reader = _Reader(text)
    elements = reader.elements()
    reader.expect("")
    if reader.anchor:
        raise FormatError(f"anchor outside of a group in {text!r}")
    return elements


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[str] = []
        position = 0
        while position < len(text.rstrip()):
            match = _TOKEN.match(text, position)
            if match is None:
                raise FormatError(f"cannot read {text[position:]!r} in format {text!r}")
            self.tokens.append(match[1])
            position = match.end()
        self.tokens.append("")
        self.anchor: tuple[str, ...] = ()

    def take(self) -> str:
        return self.tokens.pop(0)

    def accept(self, token: str) -> bool:
        if self.tokens[0] != token:
            return False
        self.take()
        return True

    def expect(self, token: str) -> None:
        if not self.accept(token):
            raise FormatError(f"expected {token!r}, found {self.tokens[0]!r} in {self.text!r}")

    def elements(self) -> tuple[Element, ...]:
        found: list[Element] = []
        while self.tokens[0] not in {"", ")"}:
            found.append(self.element())
            if self.accept("^"):
                if self.anchor:
                    raise FormatError(f"two anchors in a group of {self.text!r}")
                self.anchor = parameters_of(found[-1])
        return tuple(found)

    def element(self) -> Element:
        token = self.take()
        if token.startswith("`"):
            inner = token[1:-1]
            return Literal(inner) if inner.strip() else Space(inner)
        if token.startswith("$"):
            return Variable(token[1:])
        if token == "(":
            return self.optional()
        if token == "params":
            return Params()
        if token == "struct":
            return Struct(self.arguments())
        if token == "custom":
            self.expect("<")
            name = self.take()
            self.expect(">")
            return Custom(name, self.arguments())
        raise FormatError(f"unsupported directive {token!r} in {self.text!r}")

    def arguments(self) -> tuple[str, ...]:
        self.expect("(")
        names: list[str] = []
        while not self.accept(")"):
            token = self.take()
            if token.startswith("$"):
                names.append(token[1:])
            elif token not in {",", "params"}:
                raise FormatError(f"unsupported argument {token!r} in {self.text!r}")
        return tuple(names)

    def optional(self) -> Optional:
        outer, self.anchor = self.anchor, ()
        then = self.elements()
        self.expect(")")
        anchor_in_then = bool(self.anchor)
        otherwise: tuple[Element, ...] = ()
        if self.accept(":"):
            self.expect("(")
            otherwise = self.elements()
            self.expect(")")
        self.expect("?")
        anchor, self.anchor = self.anchor, outer
        if not anchor:
            raise FormatError(f"a group without anchor in {self.text!r}")
        return Optional(then, otherwise, anchor, anchor_in_then)


def parameters_of(element: Element) -> tuple[str, ...]:
    """Return the names of the parameters that an element reads."""
    match element:
        case Variable(name):
            return (name,)
        case Struct(names) | Custom(_, names):
            return names
        case Optional(then, otherwise):
            return tuple(name for inner in (*then, *otherwise) for name in parameters_of(inner))
    return ()
