"""The errors of partitioned programs."""

from __future__ import annotations

from typing import NoReturn

from sdykit.core.diagnostics import place
from sdykit.errors import SdykitError
from sdykit.mlir import ir


class SpmdError(SdykitError):
    """A program cannot be partitioned or run, or its devices disagree; the message says where."""


def fail_at(op: ir.Operation, message: str) -> NoReturn:
    """Raise an error with the place of an op.

    Raises:
        SpmdError: always.
    """
    raise SpmdError(f"{place(op)}: error: {message}")
