"""Writes the parser of an attribute or type from its assembly format."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from dialect_gen.assembly_format import (
    Custom,
    Element,
    FormatError,
    Literal,
    Optional,
    Params,
    Space,
    Struct,
    Variable,
    parameters_of,
)
from dialect_gen.fields import Field

_INDENT = "    "


def write_parser(elements: Sequence[Element], fields: Mapping[str, Field]) -> list[str]:
    """Return the statements of a parser, which assign a variable for each field."""
    lines: list[str] = []
    for element in elements:
        lines += _statements(element, fields)
    return lines


def snake_case(name: str) -> str:
    """Return `MeshOrRef` as `mesh_or_ref`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def list_until(element: Optional) -> tuple[str, str] | None:
    """Return list and closing literal of the idiom ``(`]`) : ($list^ `]`)?``."""
    match element:
        case Optional((Literal(close),), (Variable(name), Literal(again)), (anchor,), False) if (
            close == again and name == anchor
        ):
            return name, close
    return None


def _statements(element: Element, fields: Mapping[str, Field]) -> list[str]:
    match element:
        case Literal(text):
            return [f'parser.expect("{text}")']
        case Space():
            return []
        case Variable(name):
            return [f"{name} = {fields[name].parser}"]
        case Custom(name, arguments):
            return [f"{', '.join(arguments)} = formats.parse_{snake_case(name)}(parser)"]
        case Params():
            return _params(fields)
        case Struct(names):
            return _struct([fields[name] for name in names or fields])
        case Optional():
            return _optional(element, fields)
    raise FormatError(f"unsupported element {element}")


def _params(fields: Mapping[str, Field]) -> list[str]:
    lines: list[str] = []
    for field in fields.values():
        if field.is_optional:
            raise FormatError(f"optional parameter {field.name} in `params` is not supported")
        lines += ['parser.expect(",")'] if lines else []
        lines.append(f"{field.name} = {field.parser}")
    return lines


def _struct(fields: Sequence[Field]) -> list[str]:
    """Return the statements that parse `name = value` for some fields, in any order."""
    readers = ", ".join(f'"{field.name}": lambda: {field.parser}' for field in fields)
    required = ", ".join(f'"{field.name}"' for field in fields if not field.is_optional)
    lines = [f"values = parser.struct({{{readers}}}, [{required}])"]
    for field in fields:
        value = (
            f'.get("{field.name}", {field.default})' if field.is_optional else f'["{field.name}"]'
        )
        lines.append(f"{field.name} = values{value}")
    return lines


def _optional(element: Optional, fields: Mapping[str, Field]) -> list[str]:
    if idiom := list_until(element):
        name, close = idiom
        field = fields[name]
        if field.item:
            return [f'{name} = parser.nested_list_until("{close}", {field.item})']
        item = field.parser.removeprefix("parser.comma_separated(").removesuffix(")")
        return [f'{name} = parser.list_until("{close}", {item})']
    first, *rest = [inner for inner in element.then if not isinstance(inner, Space)]
    if not isinstance(first, Literal):
        raise FormatError("a group that does not begin with a literal is not supported")
    then_names = [name for inner in element.then for name in parameters_of(inner)]
    else_names = [name for inner in element.otherwise for name in parameters_of(inner)]
    then = write_parser(rest, fields) + _defaults(else_names, fields)
    otherwise = write_parser(element.otherwise, fields) + _defaults(then_names, fields)
    lines = [f'if parser.accept("{first.text}"):']
    lines += [_INDENT + line for line in then or ["pass"]]
    if otherwise:
        lines += ["else:", *[_INDENT + line for line in otherwise]]
    return lines


def _defaults(names: Sequence[str], fields: Mapping[str, Field]) -> list[str]:
    for name in names:
        if not fields[name].is_optional:
            raise FormatError(f"parameter {name} is in a group, but not optional")
    return [f"{name} = {fields[name].default}" for name in names]
