"""Which buffers asynchronous chains share, and how long each of them lives.

An asynchronous start holds its operands' buffers until the done: element {0,i} of its
value is operand i, element {1} is what the done will give, and further elements are
context. Updates pass all of it on. `analyse` finds, for every buffer that a chain
touches, all the places that are the same buffer, also outside of the chain: behind
`tuple`, `get-tuple-element`, `bitcast` and others that copy nothing, and behind
`output_to_operand_aliasing`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from sdykit.hlo import async_ops
from sdykit.hlo._aliasing_attribute import index_text
from sdykit.hlo._aliasing_flow import Flow
from sdykit.hlo._aliasing_table import table
from sdykit.hlo.model import Computation, Instruction, Module
from sdykit.hlo.verify import check

Index = tuple[int, ...]


class Role(Enum):
    """What a buffer is for a chain; the value is the word that is printed."""

    OPERAND = "operand"
    OUTPUT = "output"
    CONTEXT = "context"


@dataclass(frozen=True, slots=True)
class Slot:
    """A part of an instruction's value: the array at an index, () if it is no tuple."""

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
    """The part that a buffer plays in a chain, and where in the value of the start."""

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
    """All that is this buffer, in the order of the program; the first defines it."""
    uses: tuple[Use, ...]
    """What it is for which chains."""
    first: int
    """The position from which it lives: of its definition; 0 if that is a parameter."""
    last: int
    """The position of the last instruction that may read it, or that passes it on.

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
    """By position from which they live; the order of definition if that is the same."""


@dataclass(frozen=True, slots=True)
class AsyncAliasing:
    """The chains and buffers of all computations that have any; `str()` is a table.

    Positions count the instructions of a computation, from 0: the order of the text, which
    is that of execution if the module is scheduled. A position in the table is followed by
    the instruction's name; `*` behind it says that the buffer is part of the result.

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


def analyse(module: Module) -> AsyncAliasing:
    """Find the buffers of all asynchronous chains, and how long they live.

    Two places are found to be one buffer if they have to be, whatever the compiler does:
    nothing is said about buffers that it may choose to reuse, such as the operand of a
    `dynamic-update-slice`. Values that `while` passes on stay where they are.

    Args:
        module: what to analyse; it is not changed.

    Raises:
        VerificationError: `verify` finds errors.
    """
    check(module)
    flow = Flow()
    found = [_analyse(computation, flow) for computation in module.computations]
    return AsyncAliasing(
        tuple(each for each in found if each.chains),
        module.attributes.get("is_scheduled") == "true",
    )


def _analyse(computation: Computation, flow: Flow) -> ComputationAliasing:
    starts = [op for op in computation.instructions if op.opcode == async_ops.START]
    if not starts:
        return ComputationAliasing(computation, (), ())
    position = {op: at for at, op in enumerate(computation.instructions)}
    chains = tuple(_chain(start, position) for start in starts)
    uses: dict[tuple[Instruction, Index], list[Use]] = {}
    for chain in chains:
        for index in flow.leaves(chain.start):
            source = flow.origin(chain.start, index)
            uses.setdefault(source, []).append(Use(chain, _role(index), index))
    buffers = [_buffer(flow, place, found, position) for place, found in uses.items()]
    buffers.sort(key=lambda each: (each.first, position[each.slots[0].instruction]))
    return ComputationAliasing(computation, chains, tuple(buffers))


def _chain(start: Instruction, position: dict[Instruction, int]) -> Chain:
    _, *updates, done = async_ops.chain(start)
    called = async_ops.wrapped(start)
    assert called is not None, "the verifier has found it"
    first, last = position[start], position[done]
    thread = async_ops.thread_of(start)
    return Chain(start, tuple(updates), done, first, last, called, thread)


def _role(index: Index) -> Role:
    return {0: Role.OPERAND, 1: Role.OUTPUT}.get(index[0], Role.CONTEXT)


def _buffer(
    flow: Flow,
    place: tuple[Instruction, Index],
    uses: list[Use],
    position: dict[Instruction, int],
) -> Buffer:
    slots = sorted(flow.reach(*place), key=lambda slot: (position[slot[0]], slot[1]))
    origin, index = place
    readers = [user for slot in slots for user in flow.readers(*slot)]
    escapes = any(op.is_root for op, _ in slots)
    last = max(position[op] for op in [*readers, *(op for op, _ in slots)])
    return Buffer(
        shape=flow.leaves(origin).get(index, origin.shape),
        slots=tuple(Slot(*slot) for slot in slots),
        uses=tuple(uses),
        first=0 if origin.opcode == "parameter" else position[origin],
        last=len(position) - 1 if escapes else last,
        escapes=escapes,
    )


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
    lines += [f"  {line}" for line in table(rows)]
    return "\n".join(lines)
