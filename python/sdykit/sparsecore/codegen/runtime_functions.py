"""The functions of the runtime that programs may call, and what machine code knows of them.

They are those of native/machine/functions.h, which says what each of them does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

HEADER_BYTES = 64
"""What lies before an agent's arena: `Header` in native/machine/run.h."""
SHARED_OFFSET = 16
"""Where in it the address of the memory is that the agents of a core share."""
DEVICE_OFFSET = 40
"""Where in it the address of the memory is that all agents share."""
UNDER_WAY_OFFSET = 24
"""Where in it is not 0 while accesses have to be compared with transfers."""
MARKS_OFFSET = 32
"""Where in it the address of the mark of address 0 is: `Marks` in native/checks/marks.h."""
LINE_BITS = 6
"""The logarithm of the bytes that a mark stands for."""
TOUCH = "sc_touch"
"""The function that compares a load or store with transfers; it is called while there are any."""
PREFIX = "sc_"
"""What the names of all functions of the runtime begin with."""

Operand = Literal["integer", "read", "written"]
"""What an operand is: an integer, or a memref that the function reads or may write."""


@dataclass(frozen=True, slots=True)
class RuntimeFunction:
    """A function of the runtime, which agents call.

    Attributes:
        operands: what each operand is. The address of the agent's arena comes before them.
        more: the least number of integers that follow, of which there may be any number; the function
            gets them as an array and their number. None: none follow.
        has_result: whether it returns an integer.
        is_of_agents: whether it takes the arena's address, and only agents may call it.
    """

    operands: tuple[Operand, ...]
    more: int | None = None
    has_result: bool = False
    is_of_agents: bool = True


def _integers(count: int) -> tuple[Operand, ...]:
    return ("integer",) * count


TRANSFER_NUMBERS = (
    *("place", "semaphore", "semaphore_agent", "bytes", "source_semaphore", "source_bytes"),
    *("target_agent", "operation", "bits", "stored_bits", "source_offset", "target_offset"),
)
"""The first integers of `sc_dma`. The sizes of all dimensions follow, the strides of the source, and
those of the target. Offsets and strides are in bits. -1: no semaphore, or the own agent."""
INDIRECT_NUMBERS = (
    *TRANSFER_NUMBERS,
    *("count", "limit", "offsets_offset", "offsets_stride", "is_scatter", "has_filter", "filter"),
    *("source_stride", "target_stride"),
    *("source_parts", "source_part_bits", "target_parts", "target_part_bits"),
)
"""The first integers of `sc_indirect`: those, and what it has besides. The dimensions that follow are
those of a row; offsets are 4 bytes each, and their offset and stride count them. Rows may be parts of
wider ones: as many as `parts` are in one, `part_bits` apart."""

LOG_NUMBERS = ("is_scalar", "core", "subcore", "has_values", "is_float", "rank", "text_bytes")
"""The first integers of `sc_log`. The sizes of all dimensions follow, and the text before the values,
8 bytes in each integer. Values are i64, or f32 if `is_float`, row-major."""

FUNCTIONS: dict[str, RuntimeFunction] = {
    "sc_barrier": RuntimeFunction(_integers(3)),  # group, members, place
    "sc_dma": RuntimeFunction(("read", "written"), more=len(TRANSFER_NUMBERS)),
    # word, agent, value, place
    "sc_fetch_and_add": RuntimeFunction(("written", *_integers(3)), has_result=True),
    # memory; bytes, pattern, its bytes, 1 if only the first call for this memory counts
    "sc_fill": RuntimeFunction(("written", *_integers(4))),
    "sc_is_interrupted": RuntimeFunction((), has_result=True, is_of_agents=False),
    "sc_let_others": RuntimeFunction(_integers(1)),  # place
    "sc_loop_begin": RuntimeFunction(_integers(1)),  # place
    "sc_loop_end": RuntimeFunction(()),
    "sc_loop_next": RuntimeFunction(()),
    "sc_log": RuntimeFunction(("read",), more=len(LOG_NUMBERS)),  # values
    # source, target, offsets
    "sc_indirect": RuntimeFunction(("read", "written", "read"), more=len(INDIRECT_NUMBERS)),
    # the words of all scopes and subcores; the first of a scope and subcore
    "sc_scope_begin": RuntimeFunction(("written", "integer"), is_of_agents=False),
    "sc_scope_end": RuntimeFunction(("written", "integer"), is_of_agents=False),
    "sc_sem_check": RuntimeFunction(_integers(3)),  # first, count, place
    "sc_sem_read": RuntimeFunction(_integers(2), has_result=True),  # semaphore, place
    "sc_sem_take": RuntimeFunction(_integers(1), has_result=True),  # semaphore
    "sc_signal": RuntimeFunction(_integers(4)),  # semaphore, amount, agent, place
    "sc_spin": RuntimeFunction(_integers(2)),  # memory, place
    "sc_spin_end": RuntimeFunction(()),
    # base; offset and size in bits, 0 for a load, 1 a store, 2 an addition, place
    "sc_touch": RuntimeFunction(("read", *_integers(4))),
    # word; 0 for a load, 1 a store, place
    "sc_touch_word": RuntimeFunction(("read", *_integers(2))),
    "sc_wait": RuntimeFunction(_integers(4)),  # semaphore, amount, 1 for a transfer's, place
}
"""All functions that a program may call, by name."""
