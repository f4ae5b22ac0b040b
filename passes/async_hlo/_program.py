"""What the passes ask of a program, whichever language it is in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Generic, NoReturn, Protocol, TypeVar

Op = TypeVar("Op")


class Role(Enum):
    """What an operation is in a chain."""

    START = "start"
    UPDATE = "update"
    DONE = "done"


@dataclass(frozen=True)
class Chain(Generic[Op]):
    """A start, its updates and its done, each the only user of the one before."""

    start: Op
    updates: tuple[Op, ...]
    done: Op

    @property
    def ops(self) -> tuple[Op, ...]:
        """All of them, in order."""
        return (self.start, *self.updates, self.done)


@dataclass(frozen=True)
class Facts:
    """What an operation is chosen by."""

    names: tuple[str, ...]
    """What it may be called by."""
    attribute: Callable[[str], str | None]
    """Gives the text of an attribute, frontend attributes among them; None if it has none."""
    attribute_names: Callable[[], Iterable[str]]
    """Return the names of its attributes, frontend attributes among them."""
    custom_call_target: str | None
    """What it calls, if it is a custom call."""


class Program(Protocol[Op]):
    """A module. Changes are complete after `finish`."""

    def fail(self, op: Op, message: str) -> NoReturn:
        """Leave with an error at an operation, of which the message says what is wrong."""
        ...

    def warn(self, message: str) -> None:
        """Warn of something about the whole program."""
        ...

    def blocks(self) -> Iterable[Sequence[Op]]:
        """Give the blocks that hold starts, each a list of operations in order."""
        ...

    def role(self, op: Op) -> Role | None:
        """Tell what an operation is in a chain."""
        ...

    def users(self, op: Op) -> Sequence[Op]:
        """Give the users of a start or update, each once."""
        ...

    def same_block(self, op: Op, other: Op) -> bool:
        """Tell whether two operations are in one block."""
        ...

    def thread(self, start: Op) -> str:
        """Give the thread of a chain."""
        ...

    # --- wrapping ---

    def runnable_ops(self) -> Iterable[Op]:
        """Give what is run as part of the program: nothing in reducers, or wrapped already."""
        ...

    def own_name(self, name: str) -> str:
        """Return what operations that a user calls by `name` have among the names of `facts`."""
        ...

    def facts(self, op: Op) -> Facts:
        """Give what an operation is chosen by."""
        ...

    def refusal(self, op: Op) -> str | None:
        """Say why an operation cannot be wrapped; None if it can."""
        ...

    def wrap(self, op: Op, thread: str) -> None:
        """Replace an operation by a start and a done."""
        ...

    def unwrap(self, chain: Chain[Op]) -> None:
        """Replace a chain, where its done is, by what it wraps."""
        ...

    # --- updates ---

    def add_updates(self, chain: Chain[Op], places: Sequence[Op]) -> None:
        """Put an update behind the last phase of a chain, in front of each of the places."""
        ...

    def drop_updates(self, chain: Chain[Op], kept: int) -> None:
        """Take out the updates of a chain but the first `kept`."""
        ...

    # --- order ---

    def movable(self, block: Sequence[Op]) -> Sequence[Op]:
        """Give the part of a block that may change its order."""
        ...

    def stays_last(self, op: Op) -> bool:
        """Tell whether an operation, the last of its block, has to be that."""
        ...

    def results(self, op: Op) -> Iterable[object]:
        """Give the values that an operation defines."""
        ...

    def operands(self, op: Op) -> Iterable[object]:
        """Give the values that an operation reads, in its regions as well."""
        ...

    def overwritten(self, op: Op) -> Collection[object]:
        """Give the operands in whose place an operation may put its result."""
        ...

    def control_predecessors(self, op: Op) -> Iterable[Op]:
        """Give the operations that one waits for besides its operands."""
        ...

    def has_effect(self, op: Op) -> bool:
        """Tell whether an operation does more than give a result, a chain by what it wraps."""
        ...

    def reorder(self, block: Sequence[Op], order: Sequence[Op]) -> None:
        """Put the movable part of a block in another order."""
        ...

    def finish(self) -> None:
        """Complete the changes."""
        ...


def chains_in(program: Program[Op], block: Sequence[Op]) -> list[Chain[Op]]:
    """Find the chains of a block, in the order of their starts."""
    return [chain_from(program, op) for op in block if program.role(op) is Role.START]


def chains(program: Program[Op]) -> Iterator[tuple[Sequence[Op], list[Chain[Op]]]]:
    """Give the blocks that hold chains, and their chains."""
    for block in program.blocks():
        yield block, chains_in(program, block)


def chain_from(program: Program[Op], start: Op) -> Chain[Op]:
    """Follow a chain from its start; what is not linear is an error."""
    phases = [start]
    while True:
        op = next_phase(program, phases[-1])
        if program.role(op) is Role.DONE:
            return Chain(start, tuple(phases[1:]), op)
        phases.append(op)


def next_phase(program: Program[Op], op: Op) -> Op:
    """Find the update or done behind a start or update; anything else is an error."""
    users = program.users(op)
    if len(users) != 1:
        program.fail(op, f"requires one consumer, found {len(users)}")
    if program.role(users[0]) not in (Role.UPDATE, Role.DONE):
        program.fail(op, "requires its consumer to be an update or done")
    if not program.same_block(op, users[0]):
        program.fail(op, "requires its consumer to be in the same block")
    return users[0]
