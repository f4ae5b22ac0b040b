"""The kinds of settings: which values a setting can have, and how a flag's text is read."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sdykit.sparsecore.config.sanitizer import parse_sanitizer
from sdykit.sparsecore.errors import shown, suggestion

INT32_MAX: Final = 2**31 - 1

LOG_MODULES: Final = ("best_fit_allocator",)
"""The modules whose log levels `vmodule` can set."""


class Kind:
    """A kind of setting."""

    def expected(self) -> str:
        """Describe the values, in words that follow "expected" in an error."""
        raise NotImplementedError

    def checked(self, value: object) -> object:
        """Return the value as the configuration stores it.

        Raises:
            ValueError: it is not a value of this kind; the text, if there is one, says why.
        """
        raise NotImplementedError

    def parsed(self, text: str) -> object:
        """Convert the text after the equals sign of a flag to a value for `checked`.

        Raises:
            ValueError: the text is not a value of this kind.
        """
        return text


_WORDS: Final[dict[str, bool]] = {
    **dict.fromkeys(("true", "t", "yes", "y", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "0"), False),
}
"""The words that libtpu's flags take for true and false."""


class Boolean(Kind):
    """True or false."""

    def expected(self) -> str:
        return "true or false"

    def checked(self, value: object) -> object:
        if not isinstance(value, bool):
            raise ValueError
        return value

    def parsed(self, text: str) -> object:
        if text.lower() not in _WORDS:
            raise ValueError
        return _WORDS[text.lower()]


@dataclass(frozen=True)
class Integer(Kind):
    """An integer from `low` to `high`, ends included."""

    low: int
    high: int = INT32_MAX

    def expected(self) -> str:
        return f"an integer from {self.low} to {self.high}"

    def checked(self, value: object) -> object:
        number = _index(value)
        if not self.low <= number <= self.high:
            raise ValueError
        return number

    def parsed(self, text: str) -> object:
        # int() also takes 1_000 and digits of other scripts, which flags do not.
        if not re.fullmatch(r"[+-]?[0-9]{1,20}", text):
            raise ValueError
        return int(text)


class FileName(Kind):
    """The name of a file; empty for none."""

    def expected(self) -> str:
        return "the name of a file, or nothing"

    def checked(self, value: object) -> object:
        return _text(value)


@dataclass(frozen=True)
class Word(Kind):
    """One of `words`."""

    words: tuple[str, ...]

    def expected(self) -> str:
        return " or ".join(self.words)

    def checked(self, value: object) -> object:
        word = _text(value)
        if word not in self.words:
            raise ValueError
        return word


class SanitizerText(Kind):
    """A text that `parse_sanitizer` reads."""

    def expected(self) -> str:
        return "text such as 'cores_to_sanitize: [TC, SC_SCS, SC_TILE], sanitizer_mode: LOCAL_ONLY'"

    def checked(self, value: object) -> object:
        parse_sanitizer(_text(value))
        return value


class LogLevels(Kind):
    """A text that `parse_log_levels` reads, about modules in `LOG_MODULES`."""

    def expected(self) -> str:
        return "text such as 'best_fit_allocator=1'"

    def checked(self, value: object) -> object:
        for module in parse_log_levels(_text(value)):
            if module not in LOG_MODULES:
                raise ValueError(f"no module '{module}' logs; {suggestion(module, LOG_MODULES)}")
        return value


class PerTable(Kind):
    """A dictionary from tables' names to limits, or None."""

    def expected(self) -> str:
        return "None, or a dictionary from tables' names to integers"

    limit: Final = Integer(1)

    def checked(self, value: object) -> object:
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise ValueError
        # A copy: the configuration stays as it is when the caller's dictionary changes.
        return {self._table(name): self._limit(name, value[name]) for name in value}

    def _table(self, name: object) -> str:
        if not isinstance(name, str) or not name:
            raise ValueError(
                f"a table's name is {shown(name)}; expected a string that is not empty"
            )
        return name

    def _limit(self, name: object, value: object) -> object:
        try:
            return self.limit.checked(value)
        except ValueError:
            raise ValueError(
                f"the limit of table {name!r} is {shown(value)}; expected {self.limit.expected()}"
            ) from None


def parse_log_levels(text: str) -> dict[str, int]:
    """Return the levels of `module=level,module=level`, by module.

    Raises:
        ValueError: the text is something else.
    """
    levels = {}
    for part in filter(None, text.split(",")):
        match = re.fullmatch(r"\s*([^\s=]+)=([0-9]{1,9})\s*", part)
        if not match:
            raise ValueError
        levels[match[1]] = int(match[2])
    return levels


def _index(value: object) -> int:
    """Return an integer of Python or numpy as a Python integer.

    Raises:
        ValueError: it is not an integer.
    """
    if isinstance(value, bool):
        raise ValueError
    try:
        return operator.index(value)  # pyright: ignore[reportArgumentType]
    except TypeError:
        raise ValueError from None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError
    return value


def setting(default: object, kind: Kind) -> Any:
    """Declare a field of the configuration."""
    return field(default=default, metadata={"kind": kind, "flag": False})


def flag(default: object, kind: Kind) -> Any:
    """Declare a field of the configuration that is a flag as well."""
    return field(default=default, metadata={"kind": kind, "flag": True})
