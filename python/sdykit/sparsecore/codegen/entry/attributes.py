"""What a tile program says to those who call it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from sdykit.mlir import ir
from sdykit.sparsecore.codegen.translation.located_errors import error_at

ENTRY = "sparsecore.entry"
MESSAGES = "sparsecore.messages"
SERIAL_BYTES = "sparsecore.serial_bytes"
NOALIAS = "sparsecore.noalias"
ALIGNED = "sparsecore.aligned"
NAME = "sparsecore.name"
STATUS = "sparsecore.status"
WORK = "sparsecore.work"

OF_ARGUMENTS = (NOALIAS, ALIGNED, NAME, STATUS, WORK)

_A = TypeVar("_A", bound=ir.Attribute)


def read_messages(entry: ir.Operation) -> tuple[str, ...]:
    """Read what the statuses of a program mean.

    Raises:
        CodegenError: the attribute is no array of strings.
    """
    expected = "an array of strings"
    found = _read(entry, _said(entry.attributes), MESSAGES, ir.ArrayAttr, expected)
    texts = [
        _read(entry, {MESSAGES: each}, MESSAGES, ir.StringAttr, expected) for each in found or ()
    ]
    return tuple(text.value for text in texts if text is not None)


def read_serial_bytes(entry: ir.Operation) -> int | None:
    """Read below how much memory traffic one thread is enough; None: not said.

    Raises:
        CodegenError: the attribute is no integer.
    """
    found = _read(entry, _said(entry.attributes), SERIAL_BYTES, ir.IntegerAttr, "an integer")
    return None if found is None else found.value


def said_of_argument(entry: ir.Operation, number: int) -> dict[str, ir.Attribute]:
    """Give the attributes of an argument, by name."""
    if "arg_attrs" not in entry.attributes:
        return {}
    return _said(ir.DictAttr(ir.ArrayAttr(entry.attributes["arg_attrs"])[number]))


def read_name(entry: ir.Operation, said: Mapping[str, ir.Attribute]) -> str:
    """Read the name of an argument; "": not said.

    Raises:
        CodegenError: the attribute is no string.
    """
    found = _read(entry, said, NAME, ir.StringAttr, "a string")
    return "" if found is None else found.value


def read_work(entry: ir.Operation, said: Mapping[str, ir.Attribute]) -> int | None:
    """Read the memory traffic that an element of an argument stands for; None: not said.

    Raises:
        CodegenError: the attribute is no integer.
    """
    found = _read(entry, said, WORK, ir.IntegerAttr, "an integer")
    return None if found is None else found.value


def _said(attributes: ir.DictAttr | ir.OpAttributeMap) -> dict[str, ir.Attribute]:
    named = [attributes[at] for at in range(len(attributes))]
    return {each.name: each.attr for each in named}


def _read(
    entry: ir.Operation, said: Mapping[str, ir.Attribute], name: str, kind: type[_A], expected: str
) -> _A | None:
    if name not in said:
        return None
    try:
        return kind(said[name])
    except ValueError:
        raise error_at(
            entry.location, f"attribute '{name}' is {said[name]}; expected {expected}"
        ) from None
