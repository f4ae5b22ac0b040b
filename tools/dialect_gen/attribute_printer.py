"""Writes the printer of an attribute or type from its assembly format.

Spaces are printed by the rules of `mlir-tblgen` (mlir/tools/mlir-tblgen/
AttrOrTypeFormatGen.cpp), with the same two flags.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

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
)
from dialect_gen.attribute_parser import list_until, snake_case
from dialect_gen.fields import Field

_INDENT = "    "
_WIDTH = 80


@dataclass
class _Text:
    """A piece of an f-string."""

    content: str


@dataclass
class _Branch:
    """Pieces that depend on a condition."""

    condition: str
    then: list[_Text | _Branch]
    otherwise: list[_Text | _Branch]


_Piece = _Text | _Branch


@dataclass
class _Printer:
    fields: Mapping[str, Field]
    space: bool = True
    """Whether a space is due before the next element."""
    after_punctuation: bool = False
    pieces: list[_Piece] = field(default_factory=list)

    def elements(self, elements: Sequence[Element], anchor: tuple[str, ...] = ()) -> None:
        for element in elements:
            match element:
                case Literal(text):
                    self.literal(text)
                case Space(text):
                    self.blank(text)
                case Variable(name):
                    self.variable(name, guarded=name in anchor)
                case Custom(name, arguments):
                    values = ", ".join(f"self.{argument}" for argument in arguments)
                    self.before_value()
                    self.put(f"{{formats.print_{snake_case(name)}({values})}}")
                case Params():
                    self.before_value()
                    texts = [f"{{{value.printed()}}}" for value in self.fields.values()]
                    self.put(", ".join(texts))
                case Struct(names):
                    self.struct([self.fields[name] for name in names or self.fields])
                case Optional():
                    self.optional(element)

    def put(self, text: str) -> None:
        self.pieces.append(_Text(text))

    def literal(self, text: str) -> None:
        if self.space and _space_before(text, self.after_punctuation):
            self.put(" ")
        self.put(text.replace("{", "{{").replace("}", "}}"))
        self.space = text not in {"<", "(", "{", "["}
        self.after_punctuation = not (text[0] == "_" or text[0].isalpha())

    def blank(self, text: str) -> None:
        if text:
            self.put(text)
        else:
            self.after_punctuation = True
        self.space = False

    def before_value(self) -> None:
        if self.space or not self.after_punctuation:
            self.put(" ")
        self.space, self.after_punctuation = True, False

    def variable(self, name: str, *, guarded: bool) -> None:
        value = self.fields[name]
        if value.is_optional and not guarded:
            inner = self.nested()
            inner.before_value()
            inner.put(f"{{{value.printed()}}}")
            self.pieces.append(_Branch(value.present(), inner.pieces, []))
            self.space, self.after_punctuation = True, False
            return
        self.before_value()
        self.put(f"{{{value.printed()}}}")

    def struct(self, values: Sequence[Field]) -> None:
        if all(value.is_optional for value in values):
            raise FormatError("a struct of optional parameters only is not supported")
        self.before_value()
        texts = [
            f"{value.name}={value.present()} and {value.text()}"
            if value.is_optional
            else f"{value.name}={value.text()}"
            for value in values
        ]
        self.put(f"{{print_struct({', '.join(texts)})}}")

    def optional(self, element: Optional) -> None:
        condition = " or ".join(self.fields[name].present() for name in element.anchor)
        then, otherwise = self.nested(), self.nested()
        then.elements(element.then, element.anchor)
        otherwise.elements(element.otherwise, element.anchor)
        # As in mlir-tblgen, the space after the group depends on its second side.
        self.space, self.after_punctuation = otherwise.space, otherwise.after_punctuation
        if list_until(element):
            self.pieces += otherwise.pieces  # the text of an empty list is empty
        elif element.anchor_in_then:
            self.pieces.append(_Branch(condition, then.pieces, otherwise.pieces))
        else:
            self.pieces.append(_Branch(condition, otherwise.pieces, then.pieces))

    def nested(self) -> _Printer:
        return _Printer(self.fields, self.space, self.after_punctuation)


def _space_before(text: str, after_punctuation: bool) -> bool:
    if len(text) != 1 and text != "->":
        return True
    closing_only = ">)}],"
    return text[0] not in (closing_only if after_punctuation else "<>(){}[],")


def write_printer(elements: Sequence[Element], fields: Mapping[str, Field]) -> list[str]:
    """Return the statements of a function that returns the text after the name."""
    printer = _Printer(fields)
    printer.elements(elements)
    pieces = printer.pieces
    branches = [index for index, piece in enumerate(pieces) if isinstance(piece, _Branch)]
    if not branches:
        return f"return {_expression(pieces)}".split("\n")
    first, last = branches[0], branches[-1]
    lines = f"text = {_expression(pieces[:first])}".split("\n")
    lines += _statements(pieces[first : last + 1])
    tail = pieces[last + 1 :]
    result = f"return text + {_expression(tail)}" if tail else "return text"
    return lines + result.split("\n")


def can_be_empty(elements: Sequence[Element]) -> bool:
    """Return whether the text after the name can be empty."""
    return not any(
        isinstance(element, Literal | Variable | Params | Struct) for element in elements
    )


def _statements(pieces: Sequence[_Piece]) -> list[str]:
    lines: list[str] = []
    run: list[_Piece] = []
    for piece in [*pieces, None]:
        if isinstance(piece, _Text):
            run.append(piece)
            continue
        if run:
            lines += f"text += {_expression(run)}".split("\n")
            run = []
        if piece is not None:
            lines += _branch(piece)
    return lines


def _branch(branch: _Branch) -> list[str]:
    condition, then, otherwise = branch.condition, branch.then, branch.otherwise
    if not then:
        condition, then, otherwise = f"not ({condition})", otherwise, then
    lines = [f"if {condition}:", *[_INDENT + line for line in _statements(then)]]
    if otherwise:
        lines += ["else:", *[_INDENT + line for line in _statements(otherwise)]]
    return lines


def _expression(pieces: Sequence[_Piece]) -> str:
    """Return the f-string of some pieces, in parentheses if it takes several lines."""
    texts = [piece.content for piece in pieces if isinstance(piece, _Text)]
    whole = "".join(texts)
    if re.fullmatch(r"{[^{}]*(?<!!s)}", whole):
        return whole[1:-1]
    if len(whole) <= _WIDTH:
        return _string(whole)
    lines = [""]
    for text in texts:
        if lines[-1] and len(lines[-1]) + len(text) > _WIDTH:
            lines.append("")
        lines[-1] += text
    return "\n".join(["(", *[_INDENT + _string(line) for line in lines], ")"])


def _string(text: str) -> str:
    """Return the Python text of a string in which braces enclose expressions."""
    if "{" not in text.replace("{{", ""):
        return f'"{text.replace("{{", "{").replace("}}", "}")}"'
    return f'f"{text}"'
