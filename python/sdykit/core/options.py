"""Options of passes and pipelines: typed dataclass fields, parsed from pipeline text."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import textwrap
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeVar, get_args, get_origin

from sdykit.core.pass_base import Pass, Pipeline
from sdykit.core.suggestions import nearest
from sdykit.errors import PassLoadError, PipelineError

HasOptions = TypeVar("HasOptions", bound=Pass | Pipeline)


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """One option: `name` as it is typed, and the dataclass field that it sets."""

    name: str
    field: str
    type: Any
    default: Any
    help: str
    former_values: Mapping[str, str]
    """The choice for each former name of one; former names are still accepted."""

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that a `Literal` option takes; empty for other types."""
        return get_args(self.type) if get_origin(self.type) is Literal else ()

    @property
    def metavar(self) -> str:
        """The text that `--help` prints after the equals sign."""
        if self.choices:
            return "|".join(self.choices)
        if get_origin(self.type) is tuple:
            return dataclasses.replace(self, type=get_args(self.type)[0]).metavar + ",..."
        return f"<{_TYPES[self.type]}>"

    @property
    def default_text(self) -> str:
        """The default as it is typed; empty if the option must be given, or has none."""
        if self.default is dataclasses.MISSING or self.default is None:
            return ""
        if isinstance(self.default, tuple):
            return ",".join(map(_value_text, self.default))
        return _value_text(self.default)


_TYPES = {bool: "true|false", int: "int", float: "number", str: "text"}
"""The types of options beside `Literal` and tuples, and how `--help` shows their values."""


def _value_text(value: Any) -> str:
    return quoted(str(value).lower() if isinstance(value, bool) else str(value))


def quoted(text: str) -> str:
    """Return a value as it is typed: in quotes if it has to be.

    Raises:
        PipelineError: it holds both kinds of quotes, so that nothing can stand around it.
    """
    if not any(mark in text for mark in "'\"{} \t\n"):
        return text
    if "'" in text and '"' in text:
        raise PipelineError(f"found both kinds of quotes in the value {text}; expected one or none")
    return f"'{text}'" if '"' in text else f'"{text}"'


@cache
def option_specs(cls: type[Pass] | type[Pipeline]) -> tuple[OptionSpec, ...]:
    """Return the options of a pass or pipeline class, in the order of its fields.

    Raises:
        PassLoadError: a field has a type that no text can be parsed into, or the class is
            not a dataclass.
    """
    fields = dataclasses.fields(cls)
    _check_is_dataclass(cls, {field.name for field in fields})
    if not fields:
        return ()
    try:
        hints = typing.get_type_hints(cls)
    except NameError as error:
        raise PassLoadError(f"pass '{cls.name}': the type of an option: {error}") from None
    helps = _field_docstrings(cls)
    return tuple(_spec(cls, field, hints[field.name], helps) for field in fields)


def _spec(
    cls: type, field: dataclasses.Field[Any], type_: Any, helps: dict[str, str]
) -> OptionSpec:
    name, default = field.name.replace("_", "-"), field.default
    if field.default_factory is not dataclasses.MISSING:
        default = field.default_factory()
    if type_ == bool | None:  # None if it is not given.
        type_ = bool
    if not _can_parse(type_):
        raise PassLoadError(
            f"pass '{cls.name}': option '{name}' has the type {type_}; expected"
            " bool, bool | None, int, float, str, Literal['a', 'b'] or tuple[T, ...] of those"
        )
    former_values = field.metadata.get("former_values", {})
    return OptionSpec(name, field.name, type_, default, helps.get(field.name, ""), former_values)


def _can_parse(type_: Any) -> bool:
    if get_origin(type_) is Literal:
        return all(isinstance(choice, str) for choice in get_args(type_))
    if get_origin(type_) is tuple:
        of = get_args(type_)
        return (
            len(of) == 2
            and of[1] is Ellipsis
            and get_origin(of[0]) is not tuple
            and _can_parse(of[0])
        )
    return type_ in _TYPES


def _check_is_dataclass(cls: type, fields: set[str]) -> None:
    """Check that no annotation is left without the decorator, which makes fields of them."""
    for name, annotation in vars(cls).get("__annotations__", {}).items():
        if (
            name not in fields
            and "ClassVar" not in str(annotation)
            and name not in ("name", "anchor")
        ):
            raise PassLoadError(
                f"pass '{cls.name}': '{name}' looks like an option, but the class lacks"
                " @dataclass(frozen=True)"
            )


def _field_docstrings(cls: type) -> dict[str, str]:
    """Return the strings below the fields of a class and its bases, from their source."""
    docs: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if dataclasses.is_dataclass(base):
            docs |= _own_field_docstrings(base)
    return docs


def _own_field_docstrings(cls: type) -> dict[str, str]:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    except (OSError, SyntaxError):  # Defined where there is no source.
        return {}
    assert isinstance(tree, ast.ClassDef)
    docs = {}
    for field, text in zip(tree.body, tree.body[1:], strict=False):
        if not (isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr)):
            continue
        if isinstance(field.target, ast.Name) and isinstance(text.value, ast.Constant):
            docs[field.target.id] = inspect.cleandoc(str(text.value.value))
    return docs


def make(cls: type[HasOptions], text: str) -> HasOptions:
    """Return a pass or pipeline with the options in the text between its braces.

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
            raise PipelineError(f"pass '{cls.name}': option '{key}' is given twice; expected once")
        values[spec.field] = _parse_value(cls.name, spec, value)
    for spec in specs.values():
        if spec.default is dataclasses.MISSING and spec.field not in values:
            raise PipelineError(f"pass '{cls.name}': option '{spec.name}' must be given")
    try:
        return cls(**values)
    except (TypeError, ValueError) as error:  # From the checks in a `__post_init__`.
        raise PipelineError(f"pass '{cls.name}': {error}") from error


def _unknown_option(name: str, key: str, known: list[str]) -> str:
    if not known:
        return f"pass '{name}' has no options, found '{key}'"
    close = nearest(key, known)
    hint = f"; did you mean '{close}'?" if close else f"; it has {', '.join(known)}"
    return f"pass '{name}' has no option '{key}'{hint}"


def check_option_names(name: str, text: str, known: list[str]) -> None:
    """Check that a pass has all options given in the text between its braces.

    Raises:
        PipelineError: an option is unknown.
    """
    for key, _ in split_options(text):
        if key not in known:
            raise PipelineError(_unknown_option(name, key, known))


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
        text = spec.former_values.get(text, text)
        if text not in spec.choices:
            raise bad("one of " + ", ".join(spec.choices))
        return text
    if get_origin(spec.type) is tuple:
        element = dataclasses.replace(spec, type=get_args(spec.type)[0])
        return tuple(_parse_value(name, element, part) for part in text.split(",") if part)
    try:
        return spec.type(text)
    except ValueError:
        raise bad("an integer" if spec.type is int else "a number") from None


_CLOSING = {"{": "}", "'": "'", '"': '"'}


def split_options(text: str) -> list[tuple[str, str | None]]:
    """Split `a=1 b={x y} c='z' d` into names and values, which may be in braces or quotes.

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
    """Return the position of the brace or quote that closes the one at `at`.

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
        other = "'" if opener == '"' else '"'
        raise PipelineError(
            f"'{_CLOSING[opener]}' expected to close '{text[at:]}'; a value that contains"
            f" {opener} has to be enclosed in {other}"
        )
    return end
