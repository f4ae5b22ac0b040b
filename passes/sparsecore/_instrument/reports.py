"""Reports of a running program, through its status argument."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sdykit.core import fail
from sdykit.mlir import ir
from sdykit.passes.sparsecore._instrument.ops import compare, constant, create
from sdykit.passes.sparsecore._programs.arguments import add_argument, argument_marks

_STATUS = "sparsecore.status"
_MESSAGES = "sparsecore.messages"
_STATUS_TYPE = "memref<8xi64>"


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
    """Give the entry function a status argument, unless it has one.

    Raises:
        PassFailure: it has one of another type, or messages that are no texts.
    """
    messages = _messages_of(entry)
    for number, mark in enumerate(argument_marks(entry)):
        if _STATUS not in mark:
            continue
        argument = entry.regions[0].blocks[0].arguments[number]
        if str(argument.type) != _STATUS_TYPE:
            fail(entry, f"has a status of type '{argument.type}'; expected '{_STATUS_TYPE}'")
        return Reporter(entry, argument, messages)
    return Reporter(entry, add_argument(entry, _STATUS_TYPE, "status", _STATUS), messages)


def _messages_of(entry: ir.Operation) -> list[str]:
    if _MESSAGES not in entry.attributes:
        return ["ok"]
    found = entry.attributes[_MESSAGES]
    texts = list(found) if isinstance(found, ir.ArrayAttr) else []
    if not texts or not all(isinstance(each, ir.StringAttr) for each in texts):
        fail(entry, f"has the attribute '{_MESSAGES}' = {found}; expected texts")
    return [ir.StringAttr(each).value for each in texts]
