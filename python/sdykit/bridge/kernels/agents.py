"""Errors of tile programs of agents that nobody else describes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sdykit.sparsecore.codegen import Program


def describe(program: Program, status: Sequence[int]) -> str:
    """Return the text of the error that a program ended with: its own message, or the runtime's report."""
    # Only programs that fail need these.
    from sdykit.sparsecore.codegen.reports import message_of, take_report
    from sdykit.sparsecore.mosaic.reports import Names, decode

    interface = program.interface
    message = message_of(interface, status)
    if message:
        return message
    names = Names(interface.entry, (), interface.locations)
    return decode(take_report(interface, status)).text(names)
