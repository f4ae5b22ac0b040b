"""Parsing the command line as LLVM's command-line library does.

`argparse` cannot: `-flag=value` is the only form of an optional value, `-flag value` of a
required one takes whatever follows, passes are flags whose order counts, and one dash
is as good as two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sdykit.errors import SdykitError
from sdykit.opt.flags import BY_NAME, FLAGS, IGNORED, Flag, Kind, default

_LARGEST_COUNT = 2**31 - 1


class UsageError(SdykitError):
    """The command line is wrong."""


@dataclass(frozen=True)
class PassFlag:
    """A pass given as a flag: its name with dashes, the options, and the flag as typed."""

    name: str
    options: str
    typed: str

    def __str__(self) -> str:
        return f"{self.name}{{{self.options}}}" if self.options else self.name


@dataclass(frozen=True)
class Arguments:
    """A parsed command line: the input, passes in order, and a value for every flag."""

    input: str
    passes: tuple[PassFlag, ...]
    values: dict[str, Any]

    def __getattr__(self, field: str) -> Any:
        try:
            return self.values[field]
        except KeyError:
            raise AttributeError(field) from None


def parse(argv: Sequence[str]) -> Arguments:
    """Parse the arguments after the program's name.

    A name that is no flag of the driver is taken for a pass; whether there is one is
    seen later.

    Raises:
        UsageError: a value is missing or wrong, or there are two inputs.
    """
    values = {flag.field: default(flag) for flag in FLAGS}
    inputs: list[str] = []
    passes: list[PassFlag] = []
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        if word == "--":
            inputs += rest
            break
        if word == "-" or not word.startswith("-"):
            inputs.append(word)
            continue
        name, equals, text = word[2 if word.startswith("--") else 1 :].partition("=")
        name = name.replace("_", "-")
        flag = BY_NAME.get(name)
        if flag is None:
            if name not in IGNORED:
                passes.append(PassFlag(name, _unbraced(text), word))
            continue
        if not equals and flag.takes_next:
            if not rest:
                raise UsageError(f"for the {_spelled(flag)} option: requires a value!")
            text, equals = rest.pop(0), "="
        value = _value(flag, text if equals else None)
        if flag.kind in (Kind.NAMES, Kind.FILES):
            value = values[flag.field] + value
        values[flag.field] = value
    if len(inputs) > 1:
        raise UsageError(
            f"Too many positional arguments specified: {', '.join(inputs)};"
            " can specify at most 1, the input file"
        )
    return Arguments(inputs[0] if inputs else "-", tuple(passes), values)


def _unbraced(options: str) -> str:
    """Take `{a=1 b=2}` for `a=1 b=2`: both are seen on command lines."""
    return options[1:-1] if options.startswith("{") and options.endswith("}") else options


def _spelled(flag: Flag) -> str:
    return f"-{flag.name}" if len(flag.name) == 1 else f"--{flag.name}"


def _value(flag: Flag, text: str | None) -> Any:
    if flag.kind is Kind.BOOL:
        return _bool(flag, text)
    if text is None:
        return flag.when_bare
    if flag.kind is Kind.COUNT:
        if not text.isdecimal() or int(text) > _LARGEST_COUNT:
            raise UsageError(
                f"for the {_spelled(flag)} option: '{text}' value invalid for uint argument!"
            )
        return int(text)
    if flag.kind is Kind.NAMES:
        return tuple(name.replace("_", "-") for name in text.split(",") if name)
    if flag.kind is Kind.FILES:
        return (text,)
    if flag.choices and text not in flag.choices:
        raise UsageError(
            f"for the {_spelled(flag)} option: Cannot find option named '{text}'!"
            f" Try one of {', '.join(flag.choices)}"
        )
    return text


def _bool(flag: Flag, text: str | None) -> bool:
    if text in (None, "", "true", "TRUE", "True", "1"):
        return True
    if text in ("false", "FALSE", "False", "0"):
        return False
    raise UsageError(
        f"for the {_spelled(flag)} option: '{text}' is invalid value for boolean argument!"
        " Try 0 or 1"
    )
