"""The functions of the runtime that programs may call, and what machine code knows of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

HEADER_BYTES = 64
"""What lies before an arena; `Header` in native/machine/run.h."""
AGENT_OFFSET = 8
"""Where in it the number of the iteration is."""
PREFIX = "sc_"
"""What the names of all functions of the runtime begin with."""

Operand = Literal["integer", "read", "written"]
"""What an operand is: an integer, or a memref that the function reads or may write."""


@dataclass(frozen=True, slots=True)
class RuntimeFunction:
    """A function of the runtime, which gets the address of the arena before its operands.

    Attributes:
        operands: what each operand is.
        is_variadic: whether more integers may follow; the function gets them as an array and their
            number.
        has_result: whether it returns an integer.
        returns: whether it returns at all.
    """

    operands: tuple[Operand, ...]
    is_variadic: bool = False
    has_result: bool = False
    returns: bool = True


def _integers(count: int) -> tuple[Operand, ...]:
    return ("integer",) * count


FUNCTIONS: dict[str, RuntimeFunction] = {
    # kind, place, numbers of the report
    "sc_fail": RuntimeFunction(_integers(2), is_variadic=True, returns=False),
}
"""All functions that a program may call, by name."""
