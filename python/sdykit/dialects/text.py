"""Reading and writing the texts of attributes and types, as MLIR's lexer does.

The generated views (`sdy/mesh_attrs_gen.py`) and the custom formats (`sdy/formats.py`) use
`TextParser`, which has a method for each element of an assembly format.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, Self, TypeVar

from sdykit.errors import AttributeSyntaxError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from enum import Enum

_Item = TypeVar("_Item")
_View = TypeVar("_View", bound="Nestable")
_Enum = TypeVar("_Enum", bound="Enum")

# What MLIR prints for `@""`, and cannot parse.
EMPTY_SYMBOL = "@<<INVALID EMPTY SYMBOL>>"

_STRING = r'"(?:[^"\\\n\v\f]|\\(?:["\\nt]|[0-9a-fA-F]{2}))*"'
_WORD = r"[A-Za-z_][A-Za-z0-9_$.]*"
# What none of these matches is white space, and `findall` steps over it. `#a.b<` is one
# token since MLIR allows no space before the `<`.
_TOKEN = re.compile(
    rf"{_WORD}|{_STRING}|@{_WORD}|@{_STRING}|{re.escape(EMPTY_SYMBOL)}"
    rf"|[#!]{_WORD}<?|0x[0-9a-fA-F]+|[0-9]+\.[0-9]*(?:[eE][-+]?[0-9]+)?|[0-9]+|->|::"
    r"|//[^\n]*|[^ \t\r\n]"
)
_END = "\n"

_BARE_WORD = re.compile(_WORD)
_PLAIN = re.compile(r"[ !#-\[\]-~]*")
_ESCAPE = re.compile(rb'\\(?:["\\nt]|[0-9a-fA-F]{2})')
_ESCAPED_BYTES = {b'\\"': b'"', b"\\\\": b"\\", b"\\n": b"\n", b"\\t": b"\t"}
_LONG = 400
_INT64_MIN, _INT64_MAX = -(2**63), 2**63 - 1


class Nestable(Protocol):
    """What can stand inside an attribute: a view (`sdykit.dialects.base.View`)."""

    @classmethod
    def parse_full(cls, parser: TextParser) -> Self:
        """Consume a full text, `#sdy.mesh<...>`."""
        ...

    @classmethod
    def parse_body(cls, parser: TextParser) -> Self:
        """Consume what follows the name."""
        ...

    def print_body(self) -> str:
        """Return what follows the name."""
        ...


def quote(value: str) -> str:
    """Return a string as MLIR prints it: quoted, with all but printable ASCII escaped.

    Bytes that are not UTF-8 in MLIR are surrogate escapes in Python, as in file names.
    """
    if _PLAIN.fullmatch(value):
        return f'"{value}"'
    return '"' + "".join(map(_escape_byte, value.encode("utf-8", "surrogateescape"))) + '"'


def _escape_byte(byte: int) -> str:
    if byte == 0x5C:
        return "\\\\"
    return chr(byte) if 0x20 <= byte < 0x7F and byte != 0x22 else f"\\{byte:02X}"


def unquote(token: str) -> str:
    """Return the value of a string token, which includes its quotes."""
    if "\\" not in token:
        return token[1:-1]
    raw = _ESCAPE.sub(_unescape, token[1:-1].encode("utf-8", "surrogateescape"))
    return raw.decode("utf-8", "surrogateescape")


def _unescape(match: re.Match[bytes]) -> bytes:
    escape = match.group()
    return _ESCAPED_BYTES.get(escape) or bytes.fromhex(escape[1:].decode())


def symbol_text(name: str) -> str:
    """Return a reference to a symbol: `@name` or `@"odd name"`."""
    if _BARE_WORD.fullmatch(name):
        return "@" + name
    return "@" + quote(name) if name else EMPTY_SYMBOL


def boolean(value: bool) -> str:
    """Return `true` or `false`."""
    return "true" if value else "false"


def print_view(view: Nestable) -> str:
    """Return the text of an attribute inside another: its body, or its full text if that is empty."""
    return view.print_body() or str(view)


def print_views(views: Iterable[Nestable]) -> str:
    """Return the text of a list of attributes inside another."""
    return ", ".join([view.print_body() or str(view) for view in views])


def print_integers(values: Iterable[int]) -> str:
    """Return the text of a list of numbers."""
    return ", ".join(map(str, values))


def print_strings(values: Iterable[str]) -> str:
    """Return the text of a list of strings."""
    return ", ".join(map(quote, values))


def print_struct(**texts: str | bool) -> str:
    """Return `name = text, ...`, without absent fields, whose text is empty or `False`."""
    return ", ".join(f"{name} = {text}" for name, text in texts.items() if text)


class TextParser:
    """The tokens of a text, and a position in them.

    A method consumes what it is named after, or raises `AttributeSyntaxError`.

    Args:
        text: the text.
        what: the name of what the text should hold, for errors: `#sdy.mesh`.
    """

    __slots__ = ("index", "text", "tokens", "what")

    def __init__(self, text: str, what: str) -> None:
        self.text = text
        self.what = what
        self.tokens: list[str] = _TOKEN.findall(text)
        if "//" in text:
            self.tokens = [token for token in self.tokens if token[:2] != "//"]
        self.tokens.append(_END)
        self.index = 0

    def fail(self, expected: str) -> NoReturn:
        """Raise an error at the current token, with its line and column."""
        spans = [m for m in _TOKEN.finditer(self.text) if m.group()[:2] != "//"]
        at_end = self.index >= len(spans)
        found = "the end of the text" if at_end else f"`{self.tokens[self.index]}`"
        offset = len(self.text) if at_end else spans[self.index].start()
        line = self.text.count("\n", 0, offset) + 1
        column = offset - self.text.rfind("\n", 0, offset)
        where = f"column {column}" if line == 1 else f"line {line}, column {column}"
        text = self.text
        if len(text) > _LONG:
            text = f"...{text[max(0, offset - _LONG // 2) : offset + _LONG // 2]}..."
        raise AttributeSyntaxError(
            f"bad {self.what}: {where}: expected {expected}, found {found}, in: {text}"
        )

    def peek(self, literal: str) -> bool:
        """Return whether the next token is `literal`."""
        return self.tokens[self.index] == literal

    def accept(self, literal: str) -> bool:
        """Consume `literal` if it is the next token; return whether it was."""
        if self.tokens[self.index] != literal:
            return False
        self.index += 1
        return True

    def expect(self, literal: str) -> None:
        """Consume `literal`."""
        if self.tokens[self.index] != literal:
            self.fail(f"`{literal}`")
        self.index += 1

    def end(self) -> None:
        """Check that all tokens are consumed."""
        if self.tokens[self.index] != _END:
            self.fail("the end of the text")

    def string(self) -> str:
        """Consume a string, and return its value."""
        token = self.tokens[self.index]
        if token[0] != '"' or token == '"':
            self.fail("a string")
        self.index += 1
        return unquote(token) if "\\" in token else token[1:-1]

    def integer(self) -> int:
        """Consume a signed integer of 64 bits."""
        start = self.index
        if self.tokens[start] == "-":
            self.index += 1
        token = self.tokens[self.index]
        if token.isdecimal() and token.isascii():
            # A number of more digits is out of range, and `int` refuses very long ones.
            value = int(token) if len(token) < 20 else _INT64_MAX + 2
        elif token[:2] == "0x":
            value = int(token, 16)
        else:
            self.fail("an integer")
        if start != self.index:
            value = -value
        if not _INT64_MIN <= value <= _INT64_MAX:
            self.fail("an integer of 64 bits")
        self.index += 1
        return value

    def keyword(self, expected: str = "a keyword") -> str:
        """Consume a word, and return it; `expected` describes it in errors."""
        token = self.tokens[self.index]
        if not _BARE_WORD.match(token):
            self.fail(expected)
        self.index += 1
        return token

    def is_keyword(self) -> bool:
        """Return whether the next token is a word."""
        return _BARE_WORD.match(self.tokens[self.index]) is not None

    def symbol(self, expected: str = "a symbol name") -> str:
        """Consume `@name`, and return the name."""
        token = self.tokens[self.index]
        if token[0] != "@" or token == "@":
            self.fail(expected)
        self.index += 1
        if token[1] == '"':
            return unquote(token[1:])
        return "" if token == EMPTY_SYMBOL else token[1:]

    def comma_separated(self, item: Callable[[], _Item]) -> tuple[_Item, ...]:
        """Consume at least one item, and more after commas."""
        items = [item()]
        while self.tokens[self.index] == ",":
            self.index += 1
            items.append(item())
        return tuple(items)

    def nested(self, kind: type[_View]) -> _View:
        """Consume an attribute inside another: its body, or its full text."""
        if self.tokens[self.index][0] in "#!":
            return kind.parse_full(self)
        return kind.parse_body(self)

    def nested_list(self, kind: type[_View]) -> tuple[_View, ...]:
        """Consume at least one nested attribute, and more after commas."""
        items = [self.nested(kind)]
        while self.tokens[self.index] == ",":
            self.index += 1
            items.append(self.nested(kind))
        return tuple(items)

    def nested_list_until(self, close: str, kind: type[_View]) -> tuple[_View, ...]:
        """Consume a list of nested attributes, which may be empty, and `close`."""
        if self.accept(close):
            return ()
        items = self.nested_list(kind)
        self.expect(close)
        return items

    def list_until(self, close: str, item: Callable[[], _Item]) -> tuple[_Item, ...]:
        """Consume a list, which may be empty, and `close`."""
        if self.accept(close):
            return ()
        items = self.comma_separated(item)
        self.expect(close)
        return items

    def boolean(self) -> bool:
        """Consume `true` or `false`."""
        if self.accept("true"):
            return True
        if self.accept("false"):
            return False
        self.fail("`true` or `false`")

    def enum(self, cases: type[_Enum]) -> _Enum:
        """Consume the name of an enum case, as a word or a string."""
        token = self.tokens[self.index]
        name = unquote(token) if token[0] == '"' and token != '"' else token
        for case in cases:
            if str(case) == name:
                self.index += 1
                return case
        self.fail(" or ".join(f"`{case}`" for case in cases))

    def struct(
        self, readers: Mapping[str, Callable[[], Any]], required: Sequence[str]
    ) -> dict[str, Any]:
        """Consume `name = value` for each required name, and optionally for others.

        Args:
            readers: for each name, the method that consumes its value.
            required: the names that must be present.
        """
        values: dict[str, Any] = {}
        while True:
            name = self.tokens[self.index]
            if name not in readers or name in values:
                left = [f"`{name}`" for name in readers if name not in values]
                self.fail(" or ".join(left))
            self.index += 1
            self.expect("=")
            values[name] = readers[name]()
            missing = [name for name in required if name not in values]
            if len(values) == len(readers) or not (missing or self.peek(",")):
                return values
            self.expect(",")

    def foreign(self) -> str:
        """Consume an attribute or type of another dialect, and return its text.

        The text ends before a comma or a closing bracket that is not opened in it.
        """
        start, depth = self.index, 0
        while True:
            token = self.tokens[self.index]
            if token == _END or (depth == 0 and token in {",", ">", ")", "]", "}", "="}):
                break
            if token[-1] in "<([{" and token[0] != '"':
                depth += 1
            elif token in {">", ")", "]", "}"}:
                depth -= 1
            self.index += 1
        if start == self.index or depth:
            self.fail("an attribute or type")
        spans = [m.span() for m in _TOKEN.finditer(self.text) if m.group()[:2] != "//"]
        return self.text[spans[start][0] : spans[self.index - 1][1]]
