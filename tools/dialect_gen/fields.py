"""Maps the C++ types of parameters to Python: annotation, parser and printer.

To support another C++ type, add it to `_scalar`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from dialect_gen.assembly_format import FormatError
from dialect_gen.records import Definition, Parameter

_ARRAY = re.compile(r"(?:::)?(?:llvm::)?ArrayRef<(.*)>")
_OPTIONAL = re.compile(r"(?:::)?std::optional<(.*)>")
_STRINGS = {"llvm::StringRef", "StringRef", "std::string", "mlir::StringAttr", "StringAttr"}
_INTEGERS = {"int64_t", "uint64_t", "int32_t", "uint32_t", "unsigned", "int"}
_LIST_PRINTERS = {"str": "print_strings", "int": "print_integers"}
_SYMBOLS = {"FlatSymbolRefAttr", "mlir::FlatSymbolRefAttr"}
# Kept as text: a view holds no reference into a context.
_FOREIGN = re.compile(r"(mlir::)?\w*(Type|Attr|Attribute)")


@dataclass(frozen=True)
class Field:
    """A field of a view.

    Attributes:
        name: the name of the field.
        annotation: the Python type; empty if only the custom format of the field knows it.
        parser: the expression that parses the value.
        printer: the expression that prints the value, for which `{}` stands.
        item: the view class of the elements, if the field is a list of views.
        is_list: whether the field is a list.
        default: the Python text of the default; empty if the field is required.
        summary: the description in ODS.
    """

    name: str
    annotation: str
    parser: str
    printer: str
    item: str = ""
    is_list: bool = False
    default: str = ""
    summary: str = ""

    @property
    def is_optional(self) -> bool:
        """Whether the field may be absent from the text."""
        return bool(self.default)

    def present(self) -> str:
        """Return the condition under which the field is printed."""
        match self.default:
            case "()":
                return f"self.{self.name}"
            case "None":
                return f"self.{self.name} is not None"
            case "False":
                return f"self.{self.name}"
        return f"self.{self.name} != {self.default}"

    def printed(self) -> str:
        """Return the field's text, as an expression in an f-string."""
        return self.printer.format(f"self.{self.name}")

    def text(self) -> str:
        """Return the field's text, as an expression."""
        if self.printer in {"{}", "{}!s"}:
            return f"str(self.{self.name})"
        return self.printed()


@dataclass(frozen=True)
class Scope:
    """The view classes and enums that fields may hold."""

    views: Mapping[str, Definition]
    """By class name, of all dialects."""
    enums: Mapping[str, str]
    """C++ type -> class name."""
    maybe_empty: frozenset[str]
    """View classes whose body may be empty; the full text is printed in its place."""

    def field(self, parameter: Parameter) -> Field:
        """Return the field of a parameter.

        Raises:
            FormatError: its C++ type is not supported.
        """
        default = _default(parameter)
        inner = _OPTIONAL.fullmatch(parameter.cpp_type)
        cpp_type = inner[1] if inner else parameter.cpp_type
        array = _ARRAY.fullmatch(cpp_type)
        if array:
            annotation, parser, printer, item = self._array(array[1])
        else:
            annotation, parser, printer = self._scalar(cpp_type)
            item = ""
        if default == "None" and annotation:
            annotation += " | None"
        return Field(
            name=parameter.name,
            annotation=annotation,
            parser=parser,
            printer=printer,
            item=item,
            is_list=array is not None,
            default=default,
            summary=parameter.summary,
        )

    def _scalar(self, cpp_type: str) -> tuple[str, str, str]:
        """Return annotation, parser and printer."""
        name = cpp_type.removeprefix("::")
        if enum := self.enums.get(cpp_type) or self.enums.get("::" + cpp_type):
            return enum, f"parser.enum({enum})", "{}!s"
        if view := self._view(name):
            printer = "print_view({})" if view in self.maybe_empty else "{}.print_body()"
            return view, f"parser.nested({view})", printer
        if name in _STRINGS:
            return "str", "parser.string()", "quote({})"
        if name in _INTEGERS:
            return "int", "parser.integer()", "{}"
        if name == "bool":
            return "bool", "parser.boolean()", "boolean({})"
        if name in _SYMBOLS:
            return "str", "parser.symbol()", "symbol_text({})"
        if name == "mlir::Attribute":
            return "", "parser.foreign()", "{}"
        if _FOREIGN.fullmatch(name):
            return "str", "parser.foreign()", "{}"
        raise FormatError(f"C++ type {cpp_type} is not supported")

    def _array(self, cpp_type: str) -> tuple[str, str, str, str]:
        """Return annotation, parser and printer of a list, and the view class of its items."""
        view = self._view(cpp_type.removeprefix("::"))
        if view:
            return f"tuple[{view}, ...]", f"parser.nested_list({view})", "print_views({})", view
        annotation, parser, _ = self._scalar(cpp_type)
        if annotation not in _LIST_PRINTERS or not parser.endswith("()"):
            raise FormatError(f"lists of C++ type {cpp_type} are not supported")
        parser = f"parser.comma_separated({parser.removesuffix('()')})"
        return f"tuple[{annotation}, ...]", parser, f"{_LIST_PRINTERS[annotation]}({{}})", ""

    def _view(self, cpp_name: str) -> str:
        name = cpp_name.rpartition("::")[2]
        return name if name in self.views else ""


def _default(parameter: Parameter) -> str:
    if not parameter.default:
        return ""
    if _ARRAY.fullmatch(parameter.cpp_type):
        return "()"
    match parameter.default:
        case "true" | "false":
            return parameter.default.capitalize()
        case text if re.fullmatch(r"-?\d+|\"[^\"]*\"", text):
            return text
        case text if text.endswith("()"):
            return "None"
    raise FormatError(f"default value {parameter.default!r} is not supported")
