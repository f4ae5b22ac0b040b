"""What a tile program says to the bridge, beside what it says to code generation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from sdykit.mlir import ir
from sdykit.sparsecore.codegen.errors import error_at

ENTRY = "sparsecore.entry"
MESSAGES = "sparsecore.messages"
SERIAL_BYTES = "sparsecore.serial_bytes"
STATUS = "sparsecore.status"
NAME = "sparsecore.name"
WORK = "sparsecore.work"

DEFAULT_SERIAL_BYTES = 1 << 20
"""Below about this much memory traffic a second thread costs more than it saves: measured
break-even 0.25 to 2 MiB, by kernel."""

_A = TypeVar("_A", bound=ir.Attribute)


@dataclass(frozen=True, slots=True)
class ArgumentNotes:
    """What is said of an argument.

    Attributes:
        name: for errors; may be empty.
        is_status: the handler provides it, zeroed.
        work: bytes of memory traffic that one of its elements stands for; None: not said.
    """

    name: str
    is_status: bool
    work: int | None


@dataclass(frozen=True, slots=True)
class Notes:
    """What is said in the entry function of a program.

    Attributes:
        arguments: in order.
        messages: by the status that a program ends with; the first is not used.
        serial_bytes: less traffic than this is for one thread.
    """

    arguments: tuple[ArgumentNotes, ...]
    messages: tuple[str, ...]
    serial_bytes: int

    @property
    def status(self) -> int | None:
        """Which argument is the status; None: there is none."""
        return next((at for at, each in enumerate(self.arguments) if each.is_status), None)


def read_notes(module: ir.Module) -> Notes:
    """Read what the entry function says to the bridge.

    A module without an entry function says nothing; what is wrong with it is for code
    generation to tell.

    Raises:
        CodegenError: an attribute is of another kind than it must be, or two arguments are the
            status.
    """
    entry = next((view.operation for view in module.body if ENTRY in view.attributes), None)
    if entry is None:
        return Notes((), (), DEFAULT_SERIAL_BYTES)
    arguments = _arguments(entry)
    if sum(each.is_status for each in arguments) > 1:
        raise error_at(entry.location, f"two arguments have the attribute '{STATUS}'")
    own = {each.name: each.attr for each in _named(entry.attributes)}
    messages = _read(entry, own, MESSAGES, ir.ArrayAttr, "an array of strings")
    serial = _read(entry, own, SERIAL_BYTES, ir.IntegerAttr, "an integer")
    return Notes(
        arguments,
        tuple(_text(entry, each) for each in messages or ()),
        DEFAULT_SERIAL_BYTES if serial is None else serial.value,
    )


def _arguments(entry: ir.Operation) -> tuple[ArgumentNotes, ...]:
    if "arg_attrs" not in entry.attributes:
        return tuple(ArgumentNotes("", False, None) for _ in entry.regions[0].blocks[0].arguments)
    notes: list[ArgumentNotes] = []
    for each in ir.ArrayAttr(entry.attributes["arg_attrs"]):
        said = {named.name: named.attr for named in _named(ir.DictAttr(each))}
        name = _read(entry, said, NAME, ir.StringAttr, "a string")
        work = _read(entry, said, WORK, ir.IntegerAttr, "an integer")
        notes.append(
            ArgumentNotes(
                "" if name is None else name.value,
                STATUS in said,
                None if work is None else work.value,
            )
        )
    return tuple(notes)


def _named(attributes: ir.DictAttr | ir.OpAttributeMap) -> list[ir.NamedAttribute]:
    return [attributes[at] for at in range(len(attributes))]


def _read(
    entry: ir.Operation, said: dict[str, ir.Attribute], name: str, kind: type[_A], expected: str
) -> _A | None:
    if name not in said:
        return None
    try:
        return kind(said[name])
    except ValueError:
        raise error_at(
            entry.location, f"attribute '{name}' is {said[name]}; expected {expected}"
        ) from None


def _text(entry: ir.Operation, attribute: ir.Attribute) -> str:
    read = _read(entry, {MESSAGES: attribute}, MESSAGES, ir.StringAttr, "an array of strings")
    assert read is not None
    return read.value
