"""The setting of the sanitizer of buffers: a message in protobuf's text format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from sdykit.sparsecore.chip.cores import CORES
from sdykit.sparsecore.errors import suggestion

MODES: Final = ("LOCAL_ONLY",)
"""`LOCAL_ONLY`: each core checks its own buffers."""


@dataclass(frozen=True)
class Sanitizer:
    """The cores whose buffers are checked for changes by an operation that does not own them."""

    cores: tuple[str, ...]
    """Some of `CORES`, each once, in the order of the text."""
    mode: str = MODES[0]


class _Token(NamedTuple):
    text: str
    column: int

    def refuse(self, expected: str) -> ValueError:
        found = f"'{self.text}'" if self.text else "the end"
        return ValueError(f"found {found} at column {self.column}; {expected}")


_TOKEN = re.compile(r"(?P<space>\s+|#[^\n]*)|\w+|[^\w\s]")


def parse_sanitizer(text: str) -> Sanitizer | None:
    """Read `cores_to_sanitize: [TC, SC_TILE], sanitizer_mode: LOCAL_ONLY`.

    As in any message of this format, fields may be separated by commas, semicolons or white space,
    and a field with several values may be repeated.

    Returns:
        The sanitizer, or None if no core is named.

    Raises:
        ValueError: the text is not such a message; the error has the column.
    """
    tokens = _tokens(text)
    token = next(tokens)
    cores: list[str] = []
    mode = ""
    while token.text:
        name = token
        if name.text not in ("cores_to_sanitize", "sanitizer_mode"):
            raise name.refuse(suggestion(name.text, ("cores_to_sanitize", "sanitizer_mode")))
        _take(next(tokens), ":")
        if name.text == "cores_to_sanitize":
            cores += _values(tokens)
        elif mode:
            raise name.refuse("expected it once")
        else:
            mode = _one_of(next(tokens), MODES)
        token = next(tokens)
        if token.text in (",", ";"):
            token = next(tokens)
    if not cores:
        return None
    return Sanitizer(tuple(dict.fromkeys(cores)), mode or MODES[0])


def _tokens(text: str) -> Iterator[_Token]:
    """Yield the tokens of the text, then empty tokens forever."""
    for match in _TOKEN.finditer(text):
        if not match["space"]:
            yield _Token(match[0], match.start() + 1)
    while True:
        yield _Token("", len(text) + 1)


def _values(tokens: Iterator[_Token]) -> list[str]:
    first = next(tokens)
    if first.text != "[":
        return [_one_of(first, CORES)]
    token = next(tokens)
    if token.text == "]":
        return []
    cores = [_one_of(token, CORES)]
    while (token := next(tokens)).text != "]":
        _take(token, ",")
        cores.append(_one_of(next(tokens), CORES))
    return cores


def _one_of(token: _Token, words: tuple[str, ...]) -> str:
    if token.text not in words:
        raise token.refuse(suggestion(token.text, words))
    return token.text


def _take(token: _Token, mark: str) -> None:
    if token.text != mark:
        raise token.refuse(f"expected '{mark}'")
