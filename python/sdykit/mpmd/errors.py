"""The errors of this package, and how they name places and ops."""

from __future__ import annotations

from typing import NoReturn

from sdykit.core.diagnostics import file_location, nearest_location
from sdykit.dialects import mpmd
from sdykit.dialects.names import callee_name
from sdykit.errors import SdykitError
from sdykit.mlir import ir


class InterpretError(SdykitError):
    """A program cannot be run, or breaks what its marks promise; the text says where."""


class PartitionError(SdykitError):
    """A JAX program cannot be partitioned as asked; the text says what is wrong, and where."""


def fail_at(op: ir.Operation, message: str) -> NoReturn:
    """Raise an error that names the place of an op.

    Raises:
        InterpretError: always.
    """
    raise InterpretError(f"{place(op)}: error: {message}")


def place(op: ir.Operation) -> str:
    """Return the place of an op in its file, or the nearest one, as `file:line:column`."""
    return str(file_location(nearest_location(op)) or "<unknown>")


def describe(op: ir.Operation) -> str:
    """Name an op as a user knows it: a fragment by its origins, a call by its callee."""
    match op.name:
        case "mpmd.fragment":
            origins = [
                mpmd.UserOriginAttr.of(each) for each in ir.ArrayAttr(op.attributes["origin"])
            ]
            names = ", ".join(origin.user_name for origin in origins)
            return f'fragment "{names}"' if names else "inferred fragment"
        case "mpmd.fragment_call":
            return f"fragment call @{callee_name(op)}"
        case "mpmd.call" | "func.call":
            return f"call @{callee_name(op)}"
        case "mpmd.transfer":
            return "transfer"
        case "func.return" | "mpmd.return":
            return "return"
    return f"'{op.name}' op"


def argument_name(argument: ir.Value, index: int, function: str) -> str:
    """Name an argument of a function by its number, and by the name JAX gave it."""
    location = argument.location
    name = f" ({location.name_str})" if isinstance(location, ir.NameLoc) else ""
    return f"argument #{index}{name} of @{function}"
