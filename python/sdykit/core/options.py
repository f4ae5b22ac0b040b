"""Options of passes and pipelines: typed dataclass fields, parsed from pipeline text."""

from __future__ import annotations

import ast
import dataclasses
import difflib
import inspect
import textwrap
import typing
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeVar, get_args, get_origin

from sdykit.core.pass_base import Pass, Pipeline
from sdykit.errors import PipelineError

HasOptions = TypeVar("HasOptions", bound=Pass | Pipeline)


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """One option: `name` as it is typed, and the dataclass field behind it."""

    name: str
    field: str
    type: Any
    default: Any
    help: str

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that a `Literal` option takes; empty for other types."""
        return get_args(self.type) if get_origin(self.type) is Literal else ()

    @property
    def metavar(self) -> str:
        """What `--help` prints behind the equals sign."""
        if self.choices:
            return "|".join(self.choices)
        if get_origin(self.type) is tuple:
            return f"<{get_args(self.type)[0].__name__},...>"
        return f"<{self.type.__name__}>"


@cache
def option_specs(cls: type[Pass] | type[Pipeline]) -> tuple[OptionSpec, ...]:
    """List the options of a pass or pipeline class, in the order of its fields."""
    fields = dataclasses.fields(cls)
    if not fields:
        return ()
    hints, helps = typing.get_type_hints(cls), _field_docstrings(cls)
    return tuple(
        OptionSpec(
            field.name.replace("_", "-"),
            field.name,
            hints[field.name],
            field.default,
            helps.get(field.name, ""),
        )
        for field in fields
    )


def _field_docstrings(cls: type) -> dict[str, str]:
    """Read the strings below the fields of a class and its bases from their source."""
    docs: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if dataclasses.is_dataclass(base):
            docs |= _own_field_docstrings(base)
    return docs


def _own_field_docstrings(cls: type) -> dict[str, str]:
    tree = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    assert isinstance(tree, ast.ClassDef)
    docs = {}
    for field, text in zip(tree.body, tree.body[1:], strict=False):
        if not (isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr)):
            continue
        if isinstance(field.target, ast.Name) and isinstance(text.value, ast.Constant):
            docs[field.target.id] = inspect.cleandoc(str(text.value.value))
    return docs


def make(cls: type[HasOptions], text: str) -> HasOptions:
    """Make a pass or pipeline from the text between the braces of its options.

    Raises:
        PipelineError: an option is unknown, given twice, or its value cannot be read.
    """
    specs = {spec.name: spec for spec in option_specs(cls)}
    values: dict[str, Any] = {}
    for key, value in split_options(text):
        spec = specs.get(key.replace("_", "-"))
        if spec is None:
            raise PipelineError(_unknown_option(cls.name, key, list(specs)))
        if spec.field in values:
            raise PipelineError(f"pass '{cls.name}': option '{key}' is given twice")
        values[spec.field] = _parse_value(cls.name, spec, value)
    return cls(**values)


def _unknown_option(name: str, key: str, known: list[str]) -> str:
    if not known:
        return f"pass '{name}' has no options, found '{key}'"
    close = difflib.get_close_matches(key, known, n=1)
    hint = f"; did you mean '{close[0]}'?" if close else f"; it has {', '.join(known)}"
    return f"pass '{name}' has no option '{key}'{hint}"


def _parse_value(name: str, spec: OptionSpec, text: str | None) -> Any:
    def bad(expected: str) -> PipelineError:
        found = "no value" if text is None else f"'{text}'"
        return PipelineError(
            f"pass '{name}': option '{spec.name}' expects {expected}, found {found}"
        )

    if spec.type is bool:
        # A bare flag switches on, as with LLVM's command-line library.
        word = "true" if text is None else text.lower()
        if word not in ("true", "1", "false", "0"):
            raise bad("true or false")
        return word in ("true", "1")
    if text is None:
        raise bad("a value")
    if spec.choices:
        if text not in spec.choices:
            raise bad("one of " + ", ".join(spec.choices))
        return text
    if get_origin(spec.type) is tuple:
        element = dataclasses.replace(spec, type=get_args(spec.type)[0])
        return tuple(_parse_value(name, element, part) for part in text.split(",") if part)
    try:
        return spec.type(text)
    except ValueError:
        raise bad({int: "an integer", float: "a number"}[spec.type]) from None


_CLOSING = {"{": "}", "'": "'", '"': '"'}


def split_options(text: str) -> list[tuple[str, str | None]]:
    """Split `a=1 b={x y} c='z' d` into pairs; a value may be braced or quoted.

    Raises:
        PipelineError: a brace or quote is not closed, or a key is missing.
    """
    pairs: list[tuple[str, str | None]] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        end = at
        while end < len(text) and not text[end].isspace() and text[end] != "=":
            end += 1
        key = text[at:end]
        if not key:
            raise PipelineError(f"option name expected before '=' in '{text}'")
        if end == len(text) or text[end] != "=":
            pairs.append((key, None))
            at = end
            continue
        value, at = _option_value(text, end + 1)
        pairs.append((key, value))
    return pairs


def _option_value(text: str, at: int) -> tuple[str, int]:
    if at < len(text) and text[at] in _CLOSING:
        end = closing(text, at)
        return text[at + 1 : end], end + 1
    end = at
    while end < len(text) and not text[end].isspace():
        end = closing(text, end) + 1 if text[end] in _CLOSING else end + 1
    return text[at:end], end


def closing(text: str, at: int) -> int:
    """Find the brace or quote that closes the one at `at`.

    Raises:
        PipelineError: there is none.
    """
    opener = text[at]
    if opener in "'\"":
        end = text.find(opener, at + 1)
    else:
        depth, end = 0, at
        while end < len(text):
            if text[end] in "'\"":
                end = closing(text, end)
            elif text[end] in "{}":
                depth += 1 if text[end] == "{" else -1
                if depth == 0:
                    break
            end += 1
        else:
            end = -1
    if end < 0:
        raise PipelineError(f"'{_CLOSING[opener]}' expected to close '{text[at:]}'")
    return end
