"""The errors of this package, and the names that they use for places and ops."""

from __future__ import annotations

from typing import NoReturn

from sdykit.core.diagnostics import place
from sdykit.dialects import mpmd
from sdykit.dialects.names import callee_name
from sdykit.errors import SdykitError
from sdykit.mlir import ir


class ExecutionError(SdykitError):
    """A program cannot be run, on devices or by the interpreter, or breaks a promise of its marks.

    The message says where.
    """


class PartitionError(SdykitError):
    """A JAX program cannot be partitioned as requested; the message says why and where."""


def fail_at(op: ir.Operation, message: str) -> NoReturn:
    """Raise an error with the place of an op.

    Raises:
        ExecutionError: always.
    """
    raise ExecutionError(f"{place(op)}: error: {message}")


def describe(op: ir.Operation) -> str:
    """Return the name of an op for a user: a fragment by its origins, a call by its callee."""
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
    """Return the name of an argument of a function: its number, and the name from JAX."""
    location = argument.location
    name = f" ({location.name_str})" if isinstance(location, ir.NameLoc) else ""
    return f"argument #{index}{name} of @{function}"
