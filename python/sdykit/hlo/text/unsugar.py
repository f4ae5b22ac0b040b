"""Convert the two forms of asynchronous operations in text to the one of the model."""

from __future__ import annotations

import re

from sdykit.hlo.async_ops import ASYNC_SUFFIXES, DONE, FIRST_CLASS_OPCODES, START, THREAD, UPDATE
from sdykit.hlo.attributes import COMMON_ATTRIBUTES, names_in, quoted, unquoted
from sdykit.hlo.model import MAIN_THREAD, Computation, Instruction, Module
from sdykit.hlo.shape import parse_shape, same_shape, tuple_shape
from sdykit.hlo.text.lexis import FLAGS, STRING
from sdykit.hlo.text.phrases import Phrases

_SPACE_OR_PERCENT = re.compile(rf"({STRING})|[\s%]++", FLAGS)
_OF_NO_OPERATION = frozenset({"async_group_id", "execution_thread"})
"""Attributes of older texts and of computations, which a wrapped root cannot have."""
_KINDS = {"start": START, "update": UPDATE, "done": DONE}


class Unsugar:
    """Rewrites the asynchronous instructions of a module that has just been read.

    - `op-start` becomes a start, and a computation with `op`; the attributes of `op` move
      there, those that any opcode may have stay.
    - Attributes of the start that an update or done repeats are dropped.
    - The first element of a shape becomes a tuple if it is the only operand without one.
    - The computation is put on the thread of its start, as in XLA.
    """

    def __init__(self, module: Module, scanner: Phrases) -> None:
        self._module = module
        self._scanner = scanner
        self._wrapped: dict[Instruction, Computation | None] = {}
        self._starts: dict[Instruction, Instruction] = {}
        self._made: dict[Computation, list[Computation]] = {}

    def run(self, ops: list[Instruction]) -> None:
        """Rewrite instructions, given in the order of the text."""
        for op in ops:
            if op.opcode in FIRST_CLASS_OPCODES:
                continue
            wrapped, _, suffix = op.opcode.rpartition("-")
            kind = _KINDS[suffix]
            if kind == START:
                self._start(op, None if wrapped == "async" else wrapped)
            else:
                self._follow(op, kind, None if wrapped == "async" else wrapped)
        if self._made:
            order = list[Computation]()
            for computation in self._module.computations:
                order += [*self._made.get(computation, ()), computation]
            self._module.set_order(order)

    def _start(self, op: Instruction, wrapped: str | None) -> None:
        _wrap_bare_operand(op, op)
        self._starts[op] = op
        if wrapped is None:
            names = _names_called(op)
            called = self._module.computation(names[0]) if len(names) == 1 else None
        else:
            called = self._make_computation(op, wrapped)
        self._wrapped[op] = called
        thread = op.attributes.get(THREAD)
        if called is not None and thread is not None and unquoted(thread) != MAIN_THREAD:
            called.attributes.setdefault("execution_thread", thread)

    def _make_computation(self, op: Instruction, opcode: str) -> Computation:
        self._check_sugar(op, opcode)
        elements = parse_shape(op.shape).elements
        if elements is None or len(elements) < 2 or op.parent is None:
            message = f"expected a shape ((operands), output, context...), found {op.shape}"
            self._scanner.fail(op.offset, message)
        fresh, spelling, offset = self._module.fresh_name, op.spelling, op.offset
        made = Computation(
            fresh("async_wrapped"),
            percent=spelling.percent,
            signature=op.parent.signature,
            offset=offset,
        )
        parameters = [
            Instruction(
                fresh("async_param"),
                each.shape,
                "parameter",
                literal=str(number),
                spelling=spelling,
                offset=offset,
            )
            for number, each in enumerate(op.operands)
        ]
        own = {key: op.attributes[key] for key in op.attributes if key not in COMMON_ATTRIBUTES}
        root = Instruction(
            fresh(opcode),
            elements[1].text,
            opcode,
            parameters,
            own,
            spelling=spelling,
            offset=offset,
        )
        for each in (*parameters, root):
            made.append(each)
        self._made.setdefault(op.parent, []).append(made)
        calls = f"%{made.name}" if spelling.percent else made.name
        thread = {key: op.attributes[key] for key in op.attributes if key == THREAD}
        rest = {key: op.attributes[key] for key in op.attributes if key not in own}
        op.attributes = {**thread, "calls": calls, **rest}
        op.opcode = START
        return made

    def _check_sugar(self, op: Instruction, wrapped: str) -> None:
        if wrapped.endswith(ASYNC_SUFFIXES) or wrapped in {"constant", "parameter"}:
            self._scanner.fail(op.offset, f"{op.opcode}: {wrapped} cannot be asynchronous")
        for name in op.attributes:
            if name in _OF_NO_OPERATION or (name == "calls" and wrapped != "fusion"):
                at = self._scanner.attribute_start(op.offset, name)
                self._scanner.fail(at, f'unexpected attribute "{name}" of {op.opcode}')

    def _follow(self, op: Instruction, kind: str, wrapped: str | None) -> None:
        start = self._starts.get(op.operands[0]) if len(op.operands) == 1 else None
        if start is None:
            if wrapped is not None:
                message = f"{op.opcode} expects one operand, a start or update of {wrapped}"
                self._scanner.fail(op.offset, message)
            return
        self._starts[op] = start
        if wrapped is not None:
            self._compare_with_root(op, start, wrapped)
        elif _names_called(op) and _names_called(op) == _names_called(start):
            del op.attributes["calls"]
        thread = start.attributes.get(THREAD, quoted(MAIN_THREAD))
        if op.attributes.get(THREAD) == thread:
            del op.attributes[THREAD]
        op.opcode = kind
        if kind == UPDATE:
            _wrap_bare_operand(op, start)

    def _compare_with_root(self, op: Instruction, start: Instruction, wrapped: str) -> None:
        """Check attributes of the operation that a sugared update or done repeats; drop them."""
        called = self._wrapped[start]
        if called is None or called.root.opcode != wrapped:
            found = "no computation" if called is None else called.root.opcode
            message = f"{op.opcode} expects a chain of {wrapped}; %{start.name} wraps {found}"
            self._scanner.fail(op.offset, message)
        attributes = called.root.attributes
        for key in [key for key in op.attributes if key not in COMMON_ATTRIBUTES]:
            value = op.attributes.pop(key)
            if _normalized(attributes.get(key, "")) != _normalized(value):
                at = self._scanner.attribute_start(op.offset, key)
                there = f"{key}={attributes[key]}" if key in attributes else f"no {key}"
                self._scanner.fail(at, f"{key}={value} differs from the start, which has {there}")


def _wrap_bare_operand(op: Instruction, start: Instruction) -> None:
    """Put the first element of a shape in a tuple if it is the shape of the only operand."""
    elements = parse_shape(op.shape).elements
    if not elements or len(start.operands) != 1:
        return
    if same_shape(elements[0].text, start.operands[0].shape):
        rest = [element.text for element in elements[1:]]
        op.shape = tuple_shape([tuple_shape([elements[0].text]), *rest])


def _names_called(op: Instruction) -> list[str]:
    return names_in(op.attributes.get("calls", ""))


def _normalized(value: str) -> str:
    """Return a value without spaces and `%`, except those in strings."""
    return _SPACE_OR_PERCENT.sub(lambda found: found[1] or "", value)
