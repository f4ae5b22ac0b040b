"""Read the instructions of a computation."""

from __future__ import annotations

import re
from itertools import product

from sdykit.hlo.async_ops import ASYNC_SUFFIXES
from sdykit.hlo.attributes import COMPUTATION_ATTRIBUTES, CONTROL, names_in
from sdykit.hlo.model import XLA_SPELLING, Computation, Instruction, Spelling
from sdykit.hlo.shape import same_shape
from sdykit.hlo.text import lexis
from sdykit.hlo.text.phrases import Phrases

_LITERALS = frozenset({"constant", "parameter"})
_PARAMETER_NUMBER = re.compile(r"\s*+\d{1,9}+\s*+", re.ASCII)

# One object for each of the sixteen spellings.
_SPELLINGS = {flags: Spelling(*flags) for flags in product((False, True), repeat=4)}
_SPELLINGS[True, True, False, True] = XLA_SPELLING


class BodyReader:
    """Reads bodies, and collects the instructions that can be checked only after all of them."""

    def __init__(self, scanner: Phrases) -> None:
        self.calling = list[Instruction]()
        """The instructions that name computations."""
        self.asynchronous = list[Instruction]()
        """The instructions that are asynchronous, in either form."""
        self._scanner = scanner

    def read(self, computation: Computation, at: int) -> int:
        """Read instructions up to the closing brace; return its offset."""
        scanner, text = self._scanner, self._scanner.text
        match, split = lexis.INSTRUCTION.match, lexis.ATTRIBUTE.findall
        root = None
        while True:
            found = match(text, at)
            if found is not None:
                is_root, name, shape, opcode, operands, attributes = found.groups()
                pairs = split(attributes)
                values = dict(pairs)
                if len(values) != len(pairs):
                    scanner.attributes(found.start(6))  # It reports the repeated name.
                start, operands_start, at = found.start(2), found.start(5), found.end()
            else:
                at = scanner.space(at)
                if scanner.looking_at(at, "}"):
                    if not computation.instructions:
                        scanner.expected(at, "an instruction")
                    return at
                pieces = scanner.instruction(at)
                is_root, name, shape = pieces.root, pieces.name, pieces.shape
                opcode, operands, values = pieces.opcode, pieces.operands, pieces.attributes
                start, operands_start, at = pieces.start, pieces.operands_start, pieces.end
            percent, literal = name[0] == "%", None
            if opcode in _LITERALS:
                literal = self._literal(opcode, operands, operands_start)
                operands = ""
            parts, spelling = self._operands(computation.by_name, operands, operands_start, percent)
            if percent:
                name = name[1:]
            op = Instruction(
                name, shape, opcode, parts, values, literal=literal, spelling=spelling, offset=start
            )
            self._enter(op, computation)
            if is_root:
                if root is not None:
                    scanner.fail(start, f"computation {computation.name} has a ROOT already")
                root = computation.root = op

    def _enter(self, op: Instruction, computation: Computation) -> None:
        """Add an instruction that has been read to its computation."""
        if computation.by_name.setdefault(op.name, op) is not op:
            self._scanner.fail(op.offset, f"instruction {op.name} is defined already")
        op.parent = computation
        computation.instructions.append(op)
        if op.opcode.endswith(ASYNC_SUFFIXES):
            self.asynchronous.append(op)
        if op.attributes:
            if CONTROL in op.attributes:
                self._control(op, computation)
            if not COMPUTATION_ATTRIBUTES.isdisjoint(op.attributes):
                self.calling.append(op)

    def _literal(self, opcode: str, text: str, start: int) -> str:
        if opcode == "parameter" and not _PARAMETER_NUMBER.fullmatch(text):
            self._scanner.expected(start, "the number of a parameter")
        if opcode == "constant" and lexis.BRACE.search(text):
            self._scanner.balanced(start - 1)
        return text.strip()

    def _control(self, op: Instruction, computation: Computation) -> None:
        value = op.attributes.pop(CONTROL)
        names = names_in(value)
        if not names:
            at = self._scanner.attribute_start(op.offset, CONTROL)
            self._scanner.fail(at, f"expected names in braces, found {value}")
        predecessors = list[Instruction]()
        for name in names:
            found = computation.by_name.get(name)
            if found is None or found is op:
                at = self._scanner.attribute_start(op.offset, CONTROL)
                self._scanner.fail(at, f"there is no instruction {name} above")
            predecessors.append(found)
        op.control_predecessors = predecessors

    def _operands(
        self, by_name: dict[str, Instruction], text: str, start: int, percent: bool
    ) -> tuple[list[Instruction], Spelling]:
        if not text:
            return [], _SPELLINGS[percent, percent, False, True]
        comments = "/*" in text
        plain = lexis.INDEX.sub("", text) if comments else text
        sigil = plain[:1] == "%"
        names = plain[1:].split(", %") if sigil else plain.split(", ")
        try:
            operands = [by_name[name] for name in names]
        except KeyError:
            return self._other_operands(by_name, start, start + len(text), percent)
        comments = comments or len(operands) <= 5
        return operands, _SPELLINGS[percent, sigil, False, comments]

    def _other_operands(
        self, by_name: dict[str, Instruction], at: int, end: int, percent: bool
    ) -> tuple[list[Instruction], Spelling]:
        """Read operands one by one: those with shapes, or with other spacing than XLA's."""
        scanner, text = self._scanner, self._scanner.text
        operands, sigil, shapes = list[Instruction](), percent, False
        comments = "/*" in text[at:end]
        if scanner.space(at) >= end:
            return operands, _SPELLINGS[percent, percent, False, True]
        while True:
            operand = scanner.operand(at, end)
            op = by_name.get(operand.name.removeprefix("%"))
            if op is None:
                scanner.fail(operand.start, f"there is no instruction {operand.name} above")
            if operand.shape is not None and not same_shape(operand.shape, op.shape):
                message = f"operand {operand.name} is {op.shape}, not {operand.shape}"
                scanner.fail(operand.start, message)
            if not operands:
                sigil, shapes = operand.name[0] == "%", operand.shape is not None
            operands.append(op)
            if operand.next_start is None:
                comments = comments or len(operands) <= 5
                return operands, _SPELLINGS[percent, sigil, shapes, comments]
            at = operand.next_start
