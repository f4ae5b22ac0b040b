"""Writing `_<dialect>_attrs_gen.py`: the views of attributes and types."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dialect_gen.assembly_format import (
    Custom,
    Element,
    FormatError,
    Optional,
    Params,
    Space,
    Struct,
    Variable,
    parameters_of,
    parse_format,
)
from dialect_gen.attribute_parser import snake_case, write_parser
from dialect_gen.attribute_printer import can_be_empty, write_printer
from dialect_gen.fields import Field, Scope
from dialect_gen.records import Definition, Records, definitions, enum_classes, enum_dialect

_HELPERS = (
    "TextParser",
    "boolean",
    "print_integers",
    "print_strings",
    "print_struct",
    "print_view",
    "print_views",
    "quote",
    "symbol_text",
)


@dataclass(frozen=True)
class ViewClass:
    """A view, ready to be written."""

    definition: Definition
    elements: tuple[Element, ...]
    fields: dict[str, Field]

    def write(self, methods: frozenset[str]) -> str:
        """Return the class; `methods` names the classes written by hand."""
        try:
            parser = write_parser(self.elements, self.fields)
            printer = write_printer(self.elements, self.fields)
        except FormatError as error:
            raise FormatError(f"{self.definition.record}: {error}") from None
        name = self.definition.class_name
        bases = ["TypeView" if self.definition.is_type else "AttributeView"]
        if f"{name}Methods" in methods:
            bases.insert(0, f"{name}Methods")
        lines = [
            "@dataclass(frozen=True, slots=True)",
            f"class {name}({', '.join(bases)}):",
            textwrap.indent(_docstring(self.definition), "    "),
            "",
            f'    NAME: ClassVar[str] = "{self.definition.full_name}"',
        ]
        if _is_glued(self.elements, self.fields):
            lines.append("    GLUED: ClassVar[bool] = True")
        lines += ["", *_field_lines(self.fields)]
        lines += ["    @classmethod", "    def parse_body(cls, parser: TextParser) -> Self:"]
        lines += ["        " + line for line in parser]
        arguments = textwrap.wrap(", ".join(self.fields), 84)
        if len(arguments) > 1:
            arguments = ["", *["    " + line for line in arguments], ""]
        result = "return cls(" + "\n".join(arguments) + ")"
        lines += ["        " + line for line in result.split("\n")]
        lines.append("")
        lines += ["    def print_body(self) -> str:"]
        lines += ["        " + line for line in printer]
        return "\n".join(line.rstrip() for line in lines)


def view_classes(dialect: str, records: Records, package: Path) -> list[ViewClass]:
    """Return the views of a dialect.

    Raises:
        FormatError: an assembly format or a parameter is not supported.
    """
    scope = _scope(dialect, records)
    annotations = _return_annotations(package / f"_{dialect}_formats.py")
    found = []
    for definition in scope.views.values():
        if definition.dialect != dialect:
            continue
        try:
            elements = parse_format(definition.assembly_format)
            fields = {p.name: scope.field(p) for p in definition.parameters}
            _check_names(elements, fields)
            fields = _annotated(fields, elements, annotations)
        except FormatError as error:
            raise FormatError(f"{definition.record}: {error}") from None
        found.append(ViewClass(definition, elements, fields))
    return found


def write_attributes(dialect: str, records: Records, package: Path) -> str:
    """Return the module with the attributes and types of a dialect.

    `package` holds what is written by hand: `_<dialect>_formats.py` has the custom formats,
    and a class `<View>Methods` in `_<dialect>_methods.py` becomes a base of that view.
    """
    methods = _class_names(package / f"_{dialect}_methods.py")
    views = view_classes(dialect, records, package)
    body = "\n\n\n".join(view.write(methods) for view in views)
    header = _header(dialect, body, records, methods)
    names = sorted(view.definition.class_name for view in views)
    exported = "\n".join(f'    "{name}",' for name in names)
    return f"{header}\n\n__all__ = [\n{exported}\n]\n\n\n{body}\n"


def field_table(views: Sequence[ViewClass]) -> dict[str, list[tuple[str, str, str]]]:
    """Return name, Python type and description of the fields of each view."""
    return {
        view.definition.class_name: [
            (field.name, field.annotation, field.summary) for field in view.fields.values()
        ]
        for view in views
    }


def _scope(dialect: str, records: Records) -> Scope:
    every = definitions(records)
    own = [definition for definition in every if definition.dialect == dialect]
    views = {definition.class_name: definition for definition in (*every, *own)}
    empty = [d.class_name for d in every if can_be_empty(parse_format(d.assembly_format))]
    return Scope(views, enum_classes(records), frozenset(empty))


def _header(dialect: str, body: str, records: Records, methods: frozenset[str]) -> str:
    scope = _scope(dialect, records)
    package = "sdykit.dialects"
    imports = [
        f"from {package} import _{dialect}_formats as formats" if "formats." in body else "",
        *_enum_imports(body, scope, records),
        *_method_imports(dialect, body, methods),
        *_foreign_imports(dialect, body, scope),
        f"from {package}._text import {', '.join(_used(_HELPERS, body))}",
        f"from {package}._views_base import "
        + ", ".join(_used(("AttributeView", "TypeView"), body)),
    ]
    lines = "\n".join(line for line in imports if line)
    return f'''\
# Generated from dialects/{dialect}/*.td by tools/generate_dialects.py; do not edit.
"""Views of the attributes and types of the `{dialect}` dialect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

{lines}'''


def _used(names: Sequence[str], body: str) -> list[str]:
    return [name for name in names if re.search(rf"\b{name}\b", body)]


def _enum_imports(body: str, scope: Scope, records: Records) -> list[str]:
    return [
        f"from sdykit.dialects._{enum_dialect(records, name)}_enums_gen import {name}"
        for name in _used(sorted(scope.enums.values()), body)
    ]


def _method_imports(dialect: str, body: str, methods: frozenset[str]) -> list[str]:
    used = _used(sorted(methods), body)
    return [f"from sdykit.dialects._{dialect}_methods import {', '.join(used)}"] if used else []


def _foreign_imports(dialect: str, body: str, scope: Scope) -> list[str]:
    """Import the views of other dialects that fields hold."""
    modules: dict[str, list[str]] = {}
    for name in _used(sorted(scope.views), body):
        owner = scope.views[name].dialect
        if owner != dialect:
            modules.setdefault(owner, []).append(name)
    return [
        f"from sdykit.dialects._{owner}_attrs_gen import {', '.join(names)}"
        for owner, names in sorted(modules.items())
    ]


def _check_names(elements: Sequence[Element], fields: Mapping[str, Field]) -> None:
    used = {name for element in elements for name in parameters_of(element)}
    if any(isinstance(element, Params | Struct) for element in elements):
        used |= set(fields)
    if unknown := used - set(fields):
        raise FormatError(f"the format names {sorted(unknown)}, which is no parameter")
    if missing := set(fields) - used:
        raise FormatError(f"the format lacks the parameter {sorted(missing)}")


def _is_glued(elements: Sequence[Element], fields: Mapping[str, Field]) -> bool:
    """Whether the body may begin with a word and no space, as custom text and enums do."""
    match [element for element in elements if not isinstance(element, Space)]:
        case [Custom(), *_]:
            return True
        case [Variable(name), *_]:
            return fields[name].parser.startswith("parser.enum")
    return False


def _annotated(
    fields: dict[str, Field], elements: Sequence[Element], annotations: Mapping[str, str]
) -> dict[str, Field]:
    """Take the annotations that ODS does not tell from the custom formats."""
    for custom in _customs(elements):
        if len(custom.arguments) != 1 or fields[custom.arguments[0]].annotation:
            continue
        name = custom.arguments[0]
        parser = f"parse_{snake_case(custom.name)}"
        if parser not in annotations:
            raise FormatError(f"{parser} is missing, or has no result type")
        fields[name] = replace(fields[name], annotation=annotations[parser])
    return {name: replace(f, annotation=f.annotation or "str") for name, f in fields.items()}


def _customs(elements: Sequence[Element]) -> list[Custom]:
    found: list[Custom] = []
    for element in elements:
        if isinstance(element, Custom):
            found.append(element)
        elif isinstance(element, Optional):
            found += _customs((*element.then, *element.otherwise))
    return found


def _field_lines(fields: Mapping[str, Field]) -> list[str]:
    """Return the fields; those at the end that are optional have their default."""
    ordered = list(fields.values())
    required = [index for index, field in enumerate(ordered) if not field.is_optional]
    last_required = required[-1] if required else -1
    lines: list[str] = []
    for index, field in enumerate(ordered):
        default = f" = {field.default}" if index > last_required else ""
        lines.append(f"    {field.name}: {field.annotation}{default}")
        if field.summary:
            lines.append(f'    """{field.summary}"""')
    return [*lines, ""]


def _docstring(definition: Definition) -> str:
    text = definition.summary
    if definition.description:
        text += f"\n\n{definition.description}\n"
    prefix = "r" if "\\" in text else ""
    return f'{prefix}"""{text}"""'


def _return_annotations(path: Path) -> dict[str, str]:
    """Return the result types of the functions in a file."""
    if not path.is_file():
        return {}
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return {node.name: ast.unparse(node.returns) for node in functions if node.returns}


def _class_names(path: Path) -> frozenset[str]:
    if not path.is_file():
        return frozenset()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.ClassDef))
