"""The interface that the passes need of a program, whichever language it is in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Generic, NoReturn, Protocol, TypeVar

Op = TypeVar("Op")


class Role(Enum):
    """The role of an operation in a chain."""

    START = "start"
    UPDATE = "update"
    DONE = "done"


@dataclass(frozen=True)
class Chain(Generic[Op]):
    """A start, its updates and its done, each the only user of the previous one."""

    start: Op
    updates: tuple[Op, ...]
    done: Op

    @property
    def ops(self) -> tuple[Op, ...]:
        """All of them, in order."""
        return (self.start, *self.updates, self.done)


@dataclass(frozen=True)
class Facts:
    """The properties of an operation that the criteria of `-async-wrap` are about.

    Attributes of the operation include its frontend attributes.
    """

    names: tuple[str, ...]
    """The names that choose it."""
    attribute: Callable[[str], str | None]
    """Returns the text of the attribute of a name; None if there is none."""
    attribute_names: Callable[[], Iterable[str]]
    """Returns the names of all its attributes."""
    custom_call_target: str | None
    """The target of a custom call; None for other operations."""


class Program(Protocol[Op]):
    """A module that passes change. Changes are complete after `finish`."""

    def fail(self, op: Op, message: str) -> NoReturn:
        """Raise an error at an operation; the message is a predicate of it: "requires ..."."""
        ...

    def warn(self, message: str) -> None:
        """Emit a warning about the whole program."""
        ...

    def blocks(self) -> Iterable[Sequence[Op]]:
        """Return the blocks that hold starts, each a list of operations in order."""
        ...

    def role(self, op: Op) -> Role | None:
        """Return the role of an operation in a chain; None if it is in none."""
        ...

    def users(self, op: Op) -> Sequence[Op]:
        """Return the users of a start or update, each once."""
        ...

    def same_block(self, op: Op, other: Op) -> bool:
        """Return whether two operations are in one block."""
        ...

    def thread(self, start: Op) -> str:
        """Return the thread of a chain."""
        ...

    # --- wrapping ---

    def runnable_ops(self) -> Iterable[Op]:
        """Return what runs as part of the program: nothing in reducers, or wrapped already."""
        ...

    def own_name(self, name: str) -> str:
        """Return the form that a name from a user has among the names of `facts`."""
        ...

    def facts(self, op: Op) -> Facts:
        """Return the properties that an operation is chosen by."""
        ...

    def refusal(self, op: Op) -> str | None:
        """Return the reason why an operation cannot be wrapped; None if it can."""
        ...

    def wrap(self, op: Op, thread: str) -> None:
        """Replace an operation with a start and a done."""
        ...

    def unwrap(self, chain: Chain[Op]) -> None:
        """Replace a chain, at the position of its done, with what it wraps."""
        ...

    # --- updates ---

    def add_updates(self, chain: Chain[Op], places: Sequence[Op]) -> None:
        """Add updates after the last phase before the done, one before each of the places."""
        ...

    def drop_updates(self, chain: Chain[Op], kept: int) -> None:
        """Erase the updates of a chain but the first `kept`."""
        ...

    # --- order ---

    def movable(self, block: Sequence[Op]) -> Sequence[Op]:
        """Return the part of a block that may be reordered: its end."""
        ...

    def stays_last(self, op: Op) -> bool:
        """Return whether an operation, the last of its block, has to stay the last."""
        ...

    def results(self, op: Op) -> Iterable[object]:
        """Return the values that an operation defines."""
        ...

    def operands(self, op: Op) -> Iterable[object]:
        """Return the values that an operation reads, in its regions as well."""
        ...

    def overwritten(self, op: Op) -> Collection[object]:
        """Return the operands whose buffers an operation may overwrite with its result."""
        ...

    def control_predecessors(self, op: Op) -> Iterable[Op]:
        """Return the operations that one waits for besides its operands."""
        ...

    def has_effect(self, op: Op) -> bool:
        """Return whether an operation has a side effect, a start or done by what it wraps."""
        ...

    def reorder(self, block: Sequence[Op], order: Sequence[Op]) -> None:
        """Reorder the movable part of a block."""
        ...

    def finish(self) -> None:
        """Complete the changes."""
        ...


def chains_in(program: Program[Op], block: Sequence[Op]) -> list[Chain[Op]]:
    """Return the chains of a block, in the order of their starts."""
    return [chain_from(program, op) for op in block if program.role(op) is Role.START]


def chains(program: Program[Op]) -> Iterator[tuple[Sequence[Op], list[Chain[Op]]]]:
    """Yield the blocks that hold chains, with their chains."""
    for block in program.blocks():
        yield block, chains_in(program, block)


def chain_from(program: Program[Op], start: Op) -> Chain[Op]:
    """Return the chain of a start; it is an error if it is not linear."""
    phases = [start]
    while True:
        op = next_phase(program, phases[-1])
        if program.role(op) is Role.DONE:
            return Chain(start, tuple(phases[1:]), op)
        phases.append(op)


def next_phase(program: Program[Op], op: Op) -> Op:
    """Return the update or done after a start or update; it is an error if there is none."""
    users = program.users(op)
    if len(users) != 1:
        program.fail(op, f"requires one consumer, found {len(users)}")
    if program.role(users[0]) not in (Role.UPDATE, Role.DONE):
        program.fail(op, "requires its consumer to be an update or done")
    if not program.same_block(op, users[0]):
        program.fail(op, "requires its consumer to be in the same block")
    return users[0]
