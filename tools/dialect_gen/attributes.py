"""Writes the views of attributes and types: a Python module for each `.td` file with some."""

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

_PACKAGE = "sdykit.dialects"
_OF_MLIR_TBLGEN = ("ops_gen", "enums_gen")
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
    """A view class that is to be written."""

    definition: Definition
    elements: tuple[Element, ...]
    fields: dict[str, Field]

    def write(self, methods: Mapping[str, str]) -> str:
        """Return the text of the class; `methods` has the mixin classes and their modules."""
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
    annotations = _return_annotations(package / dialect / "formats.py")
    found = []
    for definition in scope.views.values():
        if definition.dialect != dialect:
            continue
        try:
            _check_module(definition)
            elements = parse_format(definition.assembly_format)
            fields = {p.name: scope.field(p) for p in definition.parameters}
            _check_names(elements, fields)
            fields = _annotated(fields, elements, annotations)
        except FormatError as error:
            raise FormatError(f"{definition.record}: {error}") from None
        found.append(ViewClass(definition, elements, fields))
    return found


def write_views(dialect: str, records: Records, package: Path) -> dict[str, str]:
    """Return the modules with the attributes and types of a dialect: name -> content.

    A module has the views of one `.td` file, so that code written by hand can stand between two
    of them: it imports the views of one and is imported by the other. In `package/<dialect>`,
    `formats.py` has the custom formats, and a class `<View>Methods` in a file `*methods.py` becomes
    a base of that view.
    """
    methods = _method_modules(package / dialect)
    modules: dict[str, list[ViewClass]] = {}
    for view in view_classes(dialect, records, package):
        modules.setdefault(view.definition.module, []).append(view)
    return {
        module: _write_module(module, views, _scope(dialect, records), records, methods)
        for module, views in modules.items()
    }


def _write_module(
    module: str,
    views: Sequence[ViewClass],
    scope: Scope,
    records: Records,
    methods: Mapping[str, str],
) -> str:
    dialect = views[0].definition.dialect
    body = "\n\n\n".join(view.write(methods) for view in views)
    imports = sorted(
        [
            *_format_imports(dialect, body),
            *_enum_imports(body, scope, records),
            *_method_imports(dialect, body, methods),
            *_view_imports(module, dialect, body, scope),
        ]
    )
    header = _header(module, dialect, body, imports)
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


def _header(module: str, dialect: str, body: str, imports: Sequence[str]) -> str:
    bases = ", ".join(_used(("AttributeView", "TypeView"), body))
    texts = ", ".join(_used(_HELPERS, body))
    source = f"dialects/{dialect}/{module.removesuffix('_gen')}.td"
    lines = "\n".join(
        [
            f"from {_PACKAGE}.base import {bases}",
            *imports,
            f"from {_PACKAGE}.text import {texts}",
        ]
    )
    return f'''\
# Generated from {source} by tools/generate_dialects.py; do not edit.
"""Views of the attributes and types in `{source}`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

{lines}'''


def _used(names: Sequence[str], body: str) -> list[str]:
    return [name for name in names if re.search(rf"\b{name}\b", body)]


def _format_imports(dialect: str, body: str) -> list[str]:
    return [f"from {_PACKAGE}.{dialect} import formats"] if "formats." in body else []


def _enum_imports(body: str, scope: Scope, records: Records) -> list[str]:
    return [
        f"from {_PACKAGE}.{enum_dialect(records, name)}.enums_gen import {name}"
        for name in _used(sorted(scope.enums.values()), body)
    ]


def _method_imports(dialect: str, body: str, methods: Mapping[str, str]) -> list[str]:
    owners = {name: f"{dialect}.{methods[name]}" for name in _used(sorted(methods), body)}
    return _imports(owners)


def _view_imports(module: str, dialect: str, body: str, scope: Scope) -> list[str]:
    """Import the views of other modules that fields hold."""
    found = [scope.views[name] for name in _used(sorted(scope.views), body)]
    owners = {each.class_name: f"{each.dialect}.{each.module}" for each in found}
    own = f"{dialect}.{module}"
    return _imports({name: owner for name, owner in owners.items() if owner != own})


def _imports(owners: Mapping[str, str]) -> list[str]:
    """Return the import statements for some names: name -> module in the package."""
    names: dict[str, list[str]] = {}
    for name, module in owners.items():
        names.setdefault(module, []).append(name)
    return [f"from {_PACKAGE}.{module} import {', '.join(each)}" for module, each in names.items()]


def _check_module(definition: Definition) -> None:
    if definition.module in _OF_MLIR_TBLGEN:
        file = definition.module.replace("_gen", ".td")
        raise FormatError(
            f"it is in {file}, and mlir-tblgen's output goes to {definition.module}.py; move it to"
            " a file of attributes or types, such as attrs.td"
        )


def _check_names(elements: Sequence[Element], fields: Mapping[str, Field]) -> None:
    used = {name for element in elements for name in parameters_of(element)}
    if any(isinstance(element, Params | Struct) for element in elements):
        used |= set(fields)
    if unknown := used - set(fields):
        raise FormatError(f"the format names {sorted(unknown)}, which is no parameter")
    if missing := set(fields) - used:
        raise FormatError(f"the format lacks the parameter {sorted(missing)}")


def _is_glued(elements: Sequence[Element], fields: Mapping[str, Field]) -> bool:
    """Return whether the body may begin with a word without a space, as custom text and enums do."""
    match [element for element in elements if not isinstance(element, Space)]:
        case [Custom(), *_]:
            return True
        case [Variable(name), *_]:
            return fields[name].parser.startswith("parser.enum")
    return False


def _annotated(
    fields: dict[str, Field], elements: Sequence[Element], annotations: Mapping[str, str]
) -> dict[str, Field]:
    """Add the annotations that ODS does not have, from the result types of the custom formats."""
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
    """Return the lines of the fields; trailing optional ones have a default."""
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


def _method_modules(package: Path) -> dict[str, str]:
    """Return the classes in the files `*methods.py`, and the names of their modules."""
    found: dict[str, str] = {}
    for path in sorted(package.glob("*methods.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found |= {node.name: path.stem for node in tree.body if isinstance(node, ast.ClassDef)}
    return found
