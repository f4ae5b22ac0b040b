"""Attributes of the entry function and its arguments: what a tile program tells its callers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from sdykit.core.sparsecore.names import (
    ALIGNED,
    LAUNCH,
    LOCATIONS,
    MESSAGES,
    NAME,
    NOALIAS,
    OFFSETS,
    PLACE,
    SERIAL_BYTES,
    SETTINGS,
    STATUS,
    WORK,
    WORKSPACE,
)
from sdykit.mlir import ir
from sdykit.sparsecore.codegen.translation.located_errors import error_at

ARGUMENT_ATTRIBUTES = (
    *(NOALIAS, ALIGNED, NAME, STATUS, LAUNCH, SETTINGS, WORK),
    *(PLACE, OFFSETS, WORKSPACE),
)

_A = TypeVar("_A", bound=ir.Attribute)


def read_messages(entry: ir.Operation) -> tuple[str, ...]:
    """Return the message of each status that a program can end with.

    Raises:
        CodegenError: the attribute is not an array of strings.
    """
    return _read_texts(entry, MESSAGES)


def read_locations(entry: ir.Operation) -> tuple[str, ...]:
    """Return the source lines that reports name by number.

    Raises:
        CodegenError: the attribute is not an array of strings.
    """
    return _read_texts(entry, LOCATIONS)


def _read_texts(entry: ir.Operation, name: str) -> tuple[str, ...]:
    expected = "an array of strings"
    found = _read(entry, _by_name(entry.attributes), name, ir.ArrayAttr, expected)
    texts = [_read(entry, {name: each}, name, ir.StringAttr, expected) for each in found or ()]
    return tuple(text.value for text in texts if text is not None)


def read_serial_bytes(entry: ir.Operation) -> int | None:
    """Return the memory traffic in bytes below which one thread is enough, or None.

    Raises:
        CodegenError: the attribute is not an integer.
    """
    found = _read(entry, _by_name(entry.attributes), SERIAL_BYTES, ir.IntegerAttr, "an integer")
    return None if found is None else found.value


def attributes_of_argument(entry: ir.Operation, number: int) -> dict[str, ir.Attribute]:
    """Return the attributes of an argument, by name."""
    if "arg_attrs" not in entry.attributes:
        return {}
    return _by_name(ir.DictAttr(ir.ArrayAttr(entry.attributes["arg_attrs"])[number]))


def read_name(entry: ir.Operation, attributes: Mapping[str, ir.Attribute]) -> str:
    """Return the name of an argument, or "" if it has none.

    Raises:
        CodegenError: the attribute is not a string.
    """
    found = _read(entry, attributes, NAME, ir.StringAttr, "a string")
    return "" if found is None else found.value


def read_work(entry: ir.Operation, attributes: Mapping[str, ir.Attribute]) -> int | None:
    """Return the bytes of memory traffic that an element of an argument stands for, or None.

    Raises:
        CodegenError: the attribute is not an integer.
    """
    found = _read(entry, attributes, WORK, ir.IntegerAttr, "an integer")
    return None if found is None else found.value


def _by_name(attributes: ir.DictAttr | ir.OpAttributeMap) -> dict[str, ir.Attribute]:
    named = [attributes[at] for at in range(len(attributes))]
    return {each.name: each.attr for each in named}


def _read(
    entry: ir.Operation,
    attributes: Mapping[str, ir.Attribute],
    name: str,
    kind: type[_A],
    expected: str,
) -> _A | None:
    if name not in attributes:
        return None
    try:
        return kind(attributes[name])
    except ValueError:
        raise error_at(
            entry.location, f"attribute '{name}' is {attributes[name]}; expected {expected}"
        ) from None
