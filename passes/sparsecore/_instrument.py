"""Adding code to tile programs: ops, the status argument, messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sdykit.mlir import ir

_STATUS = "sparsecore.status"
_MESSAGES = "sparsecore.messages"
_NAME = "sparsecore.name"
_VIEW = "memref.subview"
_STATUS_SIZE = 8


def create(
    name: str,
    operands: Sequence[ir.Value],
    results: Sequence[ir.Type] = (),
    regions: int = 0,
    **attributes: ir.Attribute,
) -> ir.Operation:
    """Add an op where the innermost insertion point is."""
    return ir.Operation.create(
        name,
        results=list(results),
        operands=list(operands),
        attributes=attributes,
        regions=regions,
    )


def constant(value: int, type_: ir.Type) -> ir.Value:
    """Add an integer or index constant."""
    return create("arith.constant", [], [type_], value=ir.IntegerAttr.get(type_, value)).result


def compare(predicate: int, a: ir.Value, b: ir.Value) -> ir.Value:
    """Add `arith.cmpi`."""
    bits = ir.IntegerType.get_signless(64)
    truth = ir.IntegerType.get_signless(1)
    attribute = ir.IntegerAttr.get(bits, predicate)
    return create("arith.cmpi", [a, b], [truth], predicate=attribute).result


@dataclass(frozen=True)
class Reporter:
    """Tells what went wrong while a program runs, through its status argument.

    The argument is `memref<8xi64>`, zeroed by who calls the program. Afterwards its first element
    is the number of a message of `sparsecore.messages`, or 0, and `{1}` to `{7}` in the message
    stand for the others. The first to find something is heard.

    Attributes:
        entry: the entry function.
        status: its argument.
        messages: what can be told so far.
    """

    entry: ir.Operation
    status: ir.Value
    messages: list[str] = field(default_factory=list)

    def number_of(self, message: str) -> int:
        """Give a message's number; equal messages share one."""
        if message not in self.messages:
            self.messages.append(message)
        return self.messages.index(message)

    def report(self, number: int, values: Sequence[ir.Value]) -> None:
        """Add code that tells a message, unless one has been told.

        Args:
            number: of the message.
            values: of type i64, at most 7.
        """
        bits = ir.IntegerType.get_signless(64)
        index = ir.IndexType.get()
        first = constant(0, index)
        told = create("memref.load", [self.status, first], [bits]).result
        is_first = compare(0, told, constant(0, bits))
        choice = create("scf.if", [is_first], regions=2)
        with ir.InsertionPoint(choice.regions[0].blocks.append()):
            for at, value in enumerate((constant(number, bits), *values)):
                create("memref.store", [value, self.status, constant(at, index)])
            create("scf.yield", [])

    def finish(self) -> None:
        """Write the messages to the entry function."""
        texts = [ir.StringAttr.get(message) for message in self.messages]
        self.entry.attributes[_MESSAGES] = ir.ArrayAttr.get(texts)


def make_reporter(entry: ir.Operation) -> Reporter:
    """Give the entry function a status argument, unless it has one."""
    block = entry.regions[0].blocks[0]
    marks = _argument_attributes(entry)
    messages = ["ok"]
    if _MESSAGES in entry.attributes:
        messages = [ir.StringAttr(each).value for each in ir.ArrayAttr(entry.attributes[_MESSAGES])]
    for number, mark in enumerate(marks):
        if _STATUS in mark:
            return Reporter(entry, block.arguments[number], messages)
    type_ = ir.Type.parse(f"memref<{_STATUS_SIZE}xi64>")
    argument = block.add_argument(type_, ir.Location.unknown())
    own = {_NAME: ir.StringAttr.get("status"), _STATUS: ir.UnitAttr.get()}
    types = [each.type for each in block.arguments]
    entry.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(types, []))
    entry.attributes["arg_attrs"] = ir.ArrayAttr.get([*marks, ir.DictAttr.get(own)])
    return Reporter(entry, argument, messages)


def _argument_attributes(entry: ir.Operation) -> list[ir.DictAttr]:
    if "arg_attrs" in entry.attributes:
        return [ir.DictAttr(each) for each in ir.ArrayAttr(entry.attributes["arg_attrs"])]
    return [ir.DictAttr.get({}) for _ in entry.regions[0].blocks[0].arguments]


def source_of(buffer: ir.Value) -> ir.Value:
    """Find the buffer that a view is a part of."""
    owner = buffer.owner
    while not isinstance(owner, ir.Block) and owner.operation.name == _VIEW:
        buffer = owner.operation.operands[0]
        owner = buffer.owner
    return buffer


def name_of(entry: ir.Operation, buffer: ir.Value) -> str:
    """Name a buffer, or the one that it is a part of, in a message."""
    buffer = source_of(buffer)
    if not isinstance(buffer, ir.BlockArgument):
        return f"a buffer of type {buffer.type}"
    mark = _argument_attributes(entry)[buffer.arg_number]
    if _NAME in mark:
        return ir.StringAttr(mark[_NAME]).value
    return f"argument {buffer.arg_number}"


def wide(values: Sequence[ir.Value]) -> list[ir.Value]:
    """Convert positions to i64, as a report takes them."""
    bits = ir.IntegerType.get_signless(64)
    return [create("arith.index_cast", [value], [bits]).result for value in values]
