"""A computation of an HLO module: a list of instructions with a result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sdykit.errors import FileLocation
from sdykit.hlo.attributes import unquoted
from sdykit.hlo.instruction import XLA_SPELLING, Instruction, Spelling

if TYPE_CHECKING:
    from sdykit.hlo.module import Module

MAIN_THREAD = "main"
"""The thread of what names none."""


@dataclass(slots=True, eq=False)
class Computation:
    """A named list of instructions, one of which is the root.

    The order of the list is that of the text, and the schedule if the module says
    `is_scheduled=true`. The list is for reading; insert and erase through the methods.
    """

    name: str
    """Without `%`. `Module.rename_computation` changes it."""
    attributes: dict[str, str] = field(default_factory=dict)
    """What follows the closing brace: `execution_thread`."""
    instructions: list[Instruction] = field(default_factory=list)
    by_name: dict[str, Instruction] = field(default_factory=dict)
    """The instructions by name, in no order."""
    module: Module | None = None
    """The module it is in; None before it is added and after it is erased."""
    percent: bool = True
    """Its name is written `%name`."""
    signature: bool = True
    """It is written with parameters and result: `(x: f32[4]) -> f32[4]`."""
    offset: int = -1
    """Where its text starts in the source; -1 if it has none."""
    _root: Instruction | None = None

    @property
    def root(self) -> Instruction:
        """The result: what was assigned or marked `ROOT`, or else the last instruction."""
        return self._root or self.instructions[-1]

    @root.setter
    def root(self, root: Instruction) -> None:
        self._root = root

    @property
    def parameters(self) -> list[Instruction]:
        """The `parameter` instructions, by number."""
        found = [op for op in self.instructions if op.opcode == "parameter"]
        return sorted(found, key=lambda op: int(op.literal or 0))

    @property
    def execution_thread(self) -> str:
        """The thread it runs on, without quotes; `main` if the text has none."""
        return unquoted(self.attributes.get("execution_thread", MAIN_THREAD))

    @property
    def is_entry(self) -> bool:
        """Whether the module starts with it."""
        return self.module is not None and self.module.entry is self

    @property
    def location(self) -> FileLocation | None:
        """Where it was read; None if it has no source."""
        if self.module is None or self.module.source is None or self.offset < 0:
            return None
        return self.module.source.location(self.offset)

    def __iter__(self) -> Iterator[Instruction]:
        return iter(self.instructions)

    def __len__(self) -> int:
        return len(self.instructions)

    def append(self, op: Instruction) -> Instruction:
        """Insert an instruction at the end."""
        self._adopt(op)
        self.instructions.append(op)
        return op

    def insert_before(self, place: Instruction, op: Instruction) -> Instruction:
        """Insert an instruction in front of another."""
        return self._insert(self.instructions.index(place), op)

    def insert_after(self, place: Instruction, op: Instruction) -> Instruction:
        """Insert an instruction behind another."""
        return self._insert(self.instructions.index(place) + 1, op)

    def add(
        self,
        name: str,
        shape: str,
        opcode: str,
        operands: Sequence[Instruction] = (),
        attributes: Mapping[str, str] | None = None,
        *,
        literal: str | None = None,
        before: Instruction | None = None,
        like: Instruction | None = None,
    ) -> Instruction:
        """Build an instruction and insert it, at the end or `before` another.

        It is named `name`, with a count if the module has that already. It is spelled as
        `like` is, and errors about it show the place of `like` in the source.
        """
        op = Instruction(
            self.module.fresh_name(name) if self.module is not None else name,
            shape,
            opcode,
            operands,
            attributes,
            literal=literal,
            spelling=like.spelling if like is not None else self.spelling(),
            offset=like.offset if like is not None else -1,
        )
        return self.append(op) if before is None else self.insert_before(before, op)

    def spelling(self) -> Spelling:
        """Tell how its instructions are written, going by the first."""
        return self.instructions[0].spelling if self.instructions else XLA_SPELLING

    def erase(self, op: Instruction) -> None:
        """Take out an instruction that nothing uses and nothing waits for."""
        left = [*op.users, *(op.control_users or ())]
        if left:
            raise ValueError(f"%{op.name} is used by {', '.join([f'%{u.name}' for u in left])}")
        self.instructions.remove(op)
        self._forget(op)

    def set_order(self, order: Iterable[Instruction]) -> None:
        """Make `order` the list: for many changes at once, in linear time.

        What is new in it is inserted, what it lacks is erased.
        """
        new = dict.fromkeys(order)
        erased = [op for op in self.instructions if op not in new]
        inserted = [op for op in new if op.parent is not self]
        self.instructions = list(new)
        for op in erased:
            self._forget(op)
        for op in inserted:
            self._adopt(op)

    def note_renaming(self, op: Instruction, name: str) -> None:
        """Record that `op` is about to be called `name`."""
        if self.by_name.get(name, op) is not op:
            raise ValueError(f"computation %{self.name} has an instruction %{name} already")
        del self.by_name[op.name]
        self.by_name[name] = op
        if self.module is not None:
            self.module.note_name(name)

    def _insert(self, at: int, op: Instruction) -> Instruction:
        self._adopt(op)
        self.instructions.insert(at, op)
        return op

    def _adopt(self, op: Instruction) -> None:
        name = op.name
        if name in self.by_name:
            raise ValueError(f"computation %{self.name} has an instruction %{name} already")
        self.by_name[name] = op
        op.parent = self
        if self.module is not None:
            self.module.note_name(name)

    def _forget(self, op: Instruction) -> None:
        op.operands = ()
        op.control_predecessors = ()
        op.parent = None
        del self.by_name[op.name]
        if self._root is op:
            self._root = None
