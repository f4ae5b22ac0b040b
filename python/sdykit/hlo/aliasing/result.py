"""The buffers that asynchronous chains share, as data and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from sdykit.hlo.attributes import index_text
from sdykit.hlo.model import Computation, Instruction

Index = tuple[int, ...]

_MAX_WIDTH = 60
"""The maximum width of a column: a cell may hold thousands of names, and rows be as many."""


class Role(Enum):
    """The role of a buffer in a chain; the value is the word that is printed."""

    OPERAND = "operand"
    OUTPUT = "output"
    CONTEXT = "context"


@dataclass(frozen=True, slots=True)
class Slot:
    """A part of an instruction's value: the array at an index, which is () if it is not a tuple."""

    instruction: Instruction
    index: Index

    def __str__(self) -> str:
        return f"%{self.instruction.name}{index_text(self.index) if self.index else ''}"


@dataclass(frozen=True, slots=True)
class Chain:
    """A start, its updates, and the done."""

    start: Instruction
    updates: tuple[Instruction, ...]
    done: Instruction
    first: int
    """The position of the start in its computation, counted from 0."""
    last: int
    """The position of the done."""
    wrapped: Computation
    thread: str


@dataclass(frozen=True, slots=True)
class Use:
    """The role of a buffer in a chain, and its index in the value of the start."""

    chain: Chain
    role: Role
    index: Index

    def __str__(self) -> str:
        return f"{self.role.value} %{self.chain.start.name}{index_text(self.index)}"


@dataclass(frozen=True, slots=True)
class Buffer:
    """A piece of memory that one or more chains touch."""

    shape: str
    """As written where the buffer is defined."""
    slots: tuple[Slot, ...]
    """All parts of values that are in this buffer, in program order; the first defines it."""
    uses: tuple[Use, ...]
    """Its roles in chains."""
    first: int
    """The position from which it is live: of its definition; 0 if that is a parameter."""
    last: int
    """The position of the last instruction that may read or forward it.

    That of the last instruction of the computation, if the buffer is part of the result.
    """
    escapes: bool
    """Whether it is part of the computation's result."""


@dataclass(frozen=True, slots=True)
class ComputationAliasing:
    """The chains of a computation and their buffers."""

    computation: Computation
    chains: tuple[Chain, ...]
    buffers: tuple[Buffer, ...]
    """By the position from which they are live, then in the order of definition."""


@dataclass(frozen=True, slots=True)
class AsyncAliasing:
    """The chains and buffers of all computations that have any; `str()` is a table.

    Positions count the instructions of a computation, from 0: the order of the text, which
    is that of execution if the module is scheduled. A position in the table is followed by
    the instruction's name; `*` after it says that the buffer is part of the result.

    ```
    computation %main: 3 instructions, not scheduled
      chain %start -> %done: custom-call, calls %wrapped, thread "sparsecore", lives 1..2
      buffer  from      to         shape    role                 same buffer
      0       0 %x      2 %done    f32[64]  operand %start{0,0}  %x %start{0,0}
      1       1 %start  2 %done *  f32[32]  output %start{1}     %start{1} %done
      2       1 %start  2 %done    s32[]    context %start{2}    %start{2}
    ```
    """

    computations: tuple[ComputationAliasing, ...]
    scheduled: bool

    @property
    def chains(self) -> tuple[Chain, ...]:
        """All chains, in the order of their starts."""
        return tuple(chain for each in self.computations for chain in each.chains)

    @property
    def buffers(self) -> tuple[Buffer, ...]:
        """All buffers, computation by computation."""
        return tuple(buffer for each in self.computations for buffer in each.buffers)

    def __str__(self) -> str:
        order = "scheduled" if self.scheduled else "not scheduled"
        return "\n".join(_print(each, order) for each in self.computations)


def _print(found: ComputationAliasing, order: str) -> str:
    ops = found.computation.instructions
    lines = [f"computation %{found.computation.name}: {len(ops)} instructions, {order}"]
    for chain in found.chains:
        names = " -> ".join(f"%{op.name}" for op in (chain.start, *chain.updates, chain.done))
        lines.append(
            f"  chain {names}: {chain.wrapped.root.opcode}, calls %{chain.wrapped.name}, "
            f'thread "{chain.thread}", lives {chain.first}..{chain.last}'
        )
    rows = [["buffer", "from", "to", "shape", "role", "same buffer"]]
    for number, buffer in enumerate(found.buffers):
        end = f"{buffer.last} %{ops[buffer.last].name}{' *' if buffer.escapes else ''}"
        rows.append(
            [
                str(number),
                f"{buffer.first} %{ops[buffer.first].name}",
                end,
                buffer.shape,
                ", ".join(map(str, buffer.uses)),
                " ".join(map(str, buffer.slots)),
            ]
        )
    lines += [f"  {line}" for line in _table(rows)]
    return "\n".join(lines)


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a line for each row, columns left-aligned and two spaces apart.

    A cell wider than the maximum moves the rest of its row to the right.
    """
    widths = [
        max((len(cell) for cell in column if len(cell) <= _MAX_WIDTH), default=_MAX_WIDTH)
        for column in zip(*rows, strict=True)
    ]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
