"""The larger parts of HLO text, read step by step: instructions, operands, headers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sdykit.hlo.text import lexis
from sdykit.hlo.text.scanner import Scanner


class Operand(NamedTuple):
    """An operand as it is written."""

    shape: str | None
    name: str
    start: int
    next_start: int | None
    """The offset of the next operand; None if this is the last."""


class Header(NamedTuple):
    """The text before the instructions of a computation."""

    is_entry: bool
    name: str
    start: int
    """The offset of the name."""
    result: str | None
    """The shape of the result, if there is a signature."""
    end: int
    """The offset one past the brace."""


@dataclass(slots=True)
class Pieces:
    """An instruction in pieces of text, and where they are."""

    root: str | None
    name: str
    shape: str
    opcode: str
    operands: str
    attributes: dict[str, str]
    start: int
    """The offset of the name."""
    operands_start: int
    attribute_starts: dict[str, int]
    end: int


class Phrases(Scanner):
    """Reads step by step what `INSTRUCTION` and `COMPUTATION` match, with any nesting and spacing."""

    def operand(self, at: int, end: int) -> Operand:
        """Read one of the operands that reach to `end`."""
        at = self.space(at)
        if count := lexis.INDEX.match(self.text, at, end):
            at = self.space(count.end())
        found = lexis.OPERAND.match(self.text, at, end)
        if found is not None:
            return Operand(found["shape"], found["name"], at, found.end() if found[3] else None)
        shape, name_start = None, at
        if lexis.SHAPE_AHEAD.match(self.text, at, end):
            shape_end = self.shape(at)
            shape, name_start = self.text[at:shape_end], self.space(shape_end)
        name = lexis.NAMED.match(self.text, name_start, end)
        if name is None:
            self.expected(name_start, "the name of an operand")
        after = self.space(name.end())
        if after < end and not self.looking_at(after, ","):
            self.expected(after, f"',' or ')' after operand {name[0]}")
        return Operand(shape, name[0], at, after + 1 if after < end else None)

    def instruction(self, at: int) -> Pieces:
        """Read an instruction."""
        at = self.space(at)
        root = lexis.ROOT.match(self.text, at)
        start = root.end() if root else at
        name = lexis.NAMED.match(self.text, start)
        if name is None:
            self.expected(start, "an instruction or '}'")
        equals = self.space(name.end())
        if not self.looking_at(equals, "="):
            self.expected(equals, f"'=' after the name {name[0]}")
        shape_start = self.space(equals + 1)
        shape_end = self.shape(shape_start)
        opcode = lexis.OPENING.match(self.text, self.space(shape_end))
        if opcode is None:
            # `x = add(a, b)` looks like a shape, but the shape is missing.
            if lexis.OPENING.match(self.text, shape_start):
                self.expected(shape_start, "a shape")
            self.expected(shape_end, "an opcode with operands in parentheses")
        operands_end = self.balanced(opcode.end() - 1)
        attributes, places, end = self.attributes(operands_end)
        return Pieces(
            root=root[0] if root else None,
            name=name[0],
            shape=self.text[shape_start:shape_end],
            opcode=opcode[1],
            operands=self.text[opcode.end() : operands_end - 1],
            attributes=attributes,
            start=start,
            operands_start=opcode.end(),
            attribute_starts=places,
            end=end,
        )

    def attribute_start(self, at: int, key: str) -> int:
        """Return the offset of an attribute of the instruction that starts at `at`."""
        return self.instruction(at).attribute_starts[key]

    def _parameters(self, at: int) -> int:
        """Read `(name: shape, ...)`."""
        at = self.space(at + 1)
        while not self.looking_at(at, ")"):
            if count := lexis.INDEX.match(self.text, at):
                at = self.space(count.end())
            name = lexis.NAMED.match(self.text, at)
            if name is None:
                self.expected(at, "a parameter `name: shape`")
            colon = self.space(name.end())
            if not self.looking_at(colon, ":"):
                self.expected(colon, f"':' after parameter {name[0]}")
            at = self.space(self.shape(self.space(colon + 1)))
            if self.looking_at(at, ","):
                at = self.space(at + 1)
            elif not self.looking_at(at, ")"):
                self.expected(at, "',' or ')'")
        return at + 1

    def header(self, at: int) -> Header:
        """Read the text before the instructions of a computation."""
        found = lexis.COMPUTATION.match(self.text, at)
        if found is not None:
            entry, start = found["entry"] is not None, found.start("name")
            return Header(entry, found["name"], start, found["result"], found.end())
        at = self.space(at)
        entry = lexis.ENTRY.match(self.text, at)
        start = entry.end() if entry else at
        name = lexis.NAMED.match(self.text, start)
        if name is None:
            self.expected(start, "a computation")
        at, result = self.space(name.end()), None
        if self.looking_at(at, "("):
            at = self.space(self._parameters(at))
            if not self.looking_at(at, "->"):
                self.expected(at, "'->' and the shape of the result")
            at = self.space(at + 2)
            end = self.shape(at)
            result, at = self.text[at:end], self.space(end)
        if not self.looking_at(at, "{"):
            self.expected(at, "'{' and instructions" if result else "'(' or '{'")
        return Header(entry is not None, name[0], start, result, at + 1)
