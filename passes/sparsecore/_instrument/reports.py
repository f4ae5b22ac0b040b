"""Reports of a running program, through its status argument."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sdykit.core import fail
from sdykit.core.sparsecore.names import MESSAGES, STATUS
from sdykit.mlir import ir
from sdykit.passes.sparsecore._instrument.ops import compare, constant, create
from sdykit.passes.sparsecore._programs.arguments import add_argument, argument_marks

_STATUS_TYPE = "memref<8xi64>"


@dataclass(frozen=True)
class Reporter:
    """Reports errors of a running program through its status argument.

    The argument is a `memref<8xi64>` that the caller sets to zero. After the run, its first element
    is the number of a message in `sparsecore.messages`, or 0; `{1}` to `{7}` in the message stand
    for the other elements. Only the first report is kept.

    Attributes:
        entry: the entry function.
        status: the status argument of the entry function.
        messages: the messages so far, by number.
    """

    entry: ir.Operation
    status: ir.Value
    messages: list[str] = field(default_factory=list)

    def number_of(self, message: str) -> int:
        """Return the number of a message; equal messages have one number."""
        if message not in self.messages:
            self.messages.append(message)
        return self.messages.index(message)

    def report(self, number: int, values: Sequence[ir.Value]) -> None:
        """Add code that reports a message, unless one has been reported.

        Args:
            number: the number of the message.
            values: the values in the message, of type i64, at most 7.
        """
        bits = ir.IntegerType.get_signless(64)
        index = ir.IndexType.get()
        first = constant(0, index)
        known = create("memref.load", [self.status, first], [bits]).result
        is_first = compare(0, known, constant(0, bits))
        choice = create("scf.if", [is_first], regions=2)
        with ir.InsertionPoint(choice.regions[0].blocks.append()):
            for at, value in enumerate((constant(number, bits), *values)):
                create("memref.store", [value, self.status, constant(at, index)])
            create("scf.yield", [])

    def finish(self) -> None:
        """Write the messages to the attribute of the entry function."""
        texts = [ir.StringAttr.get(message) for message in self.messages]
        self.entry.attributes[MESSAGES] = ir.ArrayAttr.get(texts)


def make_reporter(entry: ir.Operation) -> Reporter:
    """Return a reporter; adds a status argument to the entry function, unless it has one.

    Raises:
        PassFailure: the argument has another type, or the messages are not strings.
    """
    messages = _messages_of(entry)
    for number, mark in enumerate(argument_marks(entry)):
        if STATUS not in mark:
            continue
        argument = entry.regions[0].blocks[0].arguments[number]
        if str(argument.type) != _STATUS_TYPE:
            fail(entry, f"has a status of type '{argument.type}'; expected '{_STATUS_TYPE}'")
        return Reporter(entry, argument, messages)
    return Reporter(entry, add_argument(entry, _STATUS_TYPE, "status", STATUS), messages)


def _messages_of(entry: ir.Operation) -> list[str]:
    if MESSAGES not in entry.attributes:
        return ["ok"]
    found = entry.attributes[MESSAGES]
    texts = list(found) if isinstance(found, ir.ArrayAttr) else []
    if not texts or not all(isinstance(each, ir.StringAttr) for each in texts):
        fail(entry, f"has the attribute '{MESSAGES}' = {found}; expected an array of strings")
    return [ir.StringAttr(each).value for each in texts]
