"""A program: a module is a list of computations, a computation a list of instructions.

The three classes refer to each other, and are in one file for that. Shapes, attributes and
literals are kept as text, so that every opcode, known or not, is carried unchanged. Which
instruction uses or waits for which is kept as references.

Asynchronous operations have one representation, whichever form the text had: the opcodes
`async-start`, `async-update` and `async-done`. The start has the attribute `calls`, which
names a computation of the module; updates and the done are found by following operands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sdykit.errors import FileLocation
from sdykit.hlo.attributes import COMPUTATION_ATTRIBUTES, names_in, unquoted
from sdykit.hlo.model.source import Source
from sdykit.hlo.model.spelling import XLA_SPELLING, Spelling

MAIN_THREAD = "main"
"""The thread of computations and chains that name none."""

_COUNT = re.compile(r"\.\d+\Z", re.ASCII)


class Instruction:
    """`name = shape opcode(operands), attribute=value, ...`.

    `name`, `operands` and `control_predecessors` are properties: assigning to them updates the
    users of other instructions and the names of the computation. The rest is plain data.
    """

    __slots__ = (
        "_control",
        "_name",
        "_operands",
        "attributes",
        "control_users",
        "literal",
        "offset",
        "opcode",
        "parent",
        "shape",
        "spelling",
        "users",
    )

    shape: str
    """The text of the result's shape; `sdykit.hlo.Shape` takes it apart."""
    opcode: str
    """As printed; asynchronous ones are always `async-start`, `async-update`, `async-done`."""
    attributes: dict[str, str]
    """Values by name, as text, in their order; without `control-predecessors`."""
    literal: str | None
    """The text in parentheses of a `constant` or `parameter`; None for all other opcodes."""
    users: dict[Instruction, None]
    """The instructions that have this one as an operand, each once: a dict used as a set."""
    control_users: dict[Instruction, None] | None
    """The instructions that have this one as a control predecessor, or None."""
    parent: Computation | None
    """The computation it is in; None before it is inserted and after it is erased."""
    spelling: Spelling
    offset: int
    """The offset of its text in the source; -1 if it has none."""

    def __init__(
        self,
        name: str,
        shape: str,
        opcode: str,
        operands: Sequence[Instruction] = (),
        attributes: Mapping[str, str] | None = None,
        *,
        literal: str | None = None,
        spelling: Spelling = XLA_SPELLING,
        offset: int = -1,
    ) -> None:
        self._name = name
        self.shape = shape
        self.opcode = opcode
        self.attributes = dict(attributes) if attributes else {}
        self.literal = literal
        self.spelling = spelling
        self.offset = offset
        self.parent = None
        self.users = {}
        self.control_users = None
        self._control: tuple[Instruction, ...] = ()
        self._operands = tuple(operands)
        for operand in operands:
            operand.users[self] = None

    @property
    def name(self) -> str:
        """The name without `%`; assigning renames it wherever it is used."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        if self.parent is not None:
            self.parent.note_renaming(self, name)
        self._name = name

    @property
    def operands(self) -> tuple[Instruction, ...]:
        """The operands; assigning updates the `users` of the old and the new ones."""
        return self._operands

    @operands.setter
    def operands(self, operands: Iterable[Instruction]) -> None:
        for operand in self._operands:
            operand.users.pop(self, None)
        self._operands = tuple(operands)
        for operand in self._operands:
            operand.users[self] = None

    @property
    def control_predecessors(self) -> tuple[Instruction, ...]:
        """The instructions that must run before it, besides its operands."""
        return self._control

    @control_predecessors.setter
    def control_predecessors(self, predecessors: Iterable[Instruction]) -> None:
        for op in self._control:
            if op.control_users:
                op.control_users.pop(self, None)
        self._control = tuple(dict.fromkeys(predecessors))
        for op in self._control:
            if op.control_users is None:
                op.control_users = {}
            op.control_users[self] = None

    @property
    def is_root(self) -> bool:
        """Whether it is the result of its computation."""
        return self.parent is not None and self.parent.root is self

    @property
    def location(self) -> FileLocation | None:
        """The place where it was read; None if it has no source."""
        module = self.parent.module if self.parent is not None else None
        if module is None or module.source is None or self.offset < 0:
            return None
        return module.source.location(self.offset)

    def called_names(self) -> list[tuple[str, str]]:
        """Return (attribute, computation's name) for each computation it names, in order."""
        if not self.attributes or COMPUTATION_ATTRIBUTES.isdisjoint(self.attributes):
            return []
        return [
            (attribute, name)
            for attribute, value in self.attributes.items()
            if attribute in COMPUTATION_ATTRIBUTES
            for name in names_in(value)
        ]

    def called(self) -> list[Computation]:
        """Return the computations of the module that its attributes name, in order."""
        names = self.called_names()
        module = self.parent.module if self.parent is not None else None
        if not names or module is None:
            return []
        found = [module.find_computation(name) for _, name in names]
        return [computation for computation in found if computation is not None]

    def replace_operand(self, old: Instruction, new: Instruction) -> None:
        """Replace `old` with `new` wherever it is an operand."""
        self.operands = [new if operand is old else operand for operand in self._operands]

    def replace_uses(self, new: Instruction) -> None:
        """Make all users use `new`, which also becomes the root if this is; control edges stay.

        Uses by `new` itself stay as well, so that it may be computed from this one.
        """
        for user in list(self.users):
            if user is not new:
                user.replace_operand(self, new)
        if self.parent is not None and self.parent.root is self:
            self.parent.root = new

    def __repr__(self) -> str:
        return f"<%{self._name} = {self.shape} {self.opcode}>"


@dataclass(slots=True, eq=False)
class Computation:
    """A named list of instructions, one of which is the root.

    The order of the list is that of the text, and the schedule if the module says
    `is_scheduled=true`. The list is for reading; insert and erase through the methods.
    """

    name: str
    """Without `%`. `Module.rename_computation` changes it."""
    attributes: dict[str, str] = field(default_factory=dict)
    """The attributes after the closing brace: `execution_thread`."""
    instructions: list[Instruction] = field(default_factory=list)
    by_name: dict[str, Instruction] = field(default_factory=dict)
    """The instructions by name, in no order."""
    module: Module | None = None
    """The module it is in; None before it is added and after it is erased."""
    percent: bool = True
    """Whether its name is written `%name`."""
    signature: bool = True
    """Whether it is written with parameters and result: `(x: f32[4]) -> f32[4]`."""
    offset: int = -1
    """The offset of its text in the source; -1 if it has none."""
    _root: Instruction | None = None

    @property
    def root(self) -> Instruction:
        """The result: the instruction assigned or marked `ROOT`, or else the last one."""
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
        """Whether it is the entry of its module."""
        return self.module is not None and self.module.entry is self

    @property
    def location(self) -> FileLocation | None:
        """The place where it was read; None if it has no source."""
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
        """Insert an instruction before another."""
        return self._insert(self.instructions.index(place), op)

    def insert_after(self, place: Instruction, op: Instruction) -> Instruction:
        """Insert an instruction after another."""
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

        It is named `name`, with a count if the module has that name already. It is spelled as
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
        """Return how its instructions are written: as the first one is."""
        return self.instructions[0].spelling if self.instructions else XLA_SPELLING

    def erase(self, op: Instruction) -> None:
        """Erase an instruction that nothing uses and nothing waits for.

        Raises:
            ValueError: an instruction uses it or waits for it.
        """
        users = [*op.users, *(op.control_users or ())]
        if users:
            listed = ", ".join([f"%{user.name}" for user in users])
            message = f"%{op.name} cannot be erased: it is used by {listed}"
            raise ValueError(f"{message}; replace these uses first")
        self.instructions.remove(op)
        self._forget(op)

    def set_order(self, order: Iterable[Instruction]) -> None:
        """Make `order` the list of instructions: many changes at once, in linear time.

        Instructions that are new in it are inserted, those that it lacks are erased.
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


@dataclass(slots=True, eq=False)
class Module:
    """An HLO program."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    """Those of the header: `is_scheduled`, `entry_computation_layout`, ..."""
    sections: dict[str, list[str]] = field(default_factory=dict)
    """The tables after the header, `FileNames` and so on: their rows by title."""
    computations: list[Computation] = field(default_factory=list)
    source: Source | None = None
    _entry: Computation | None = None
    _by_name: dict[str, Computation] = field(default_factory=dict)
    _names: set[str] | None = None
    _counts: dict[str, int] = field(default_factory=dict)

    @property
    def entry(self) -> Computation:
        """The computation assigned or marked `ENTRY`, or else the last one."""
        return self._entry or self.computations[-1]

    @entry.setter
    def entry(self, entry: Computation) -> None:
        self._entry = entry

    def __iter__(self) -> Iterator[Computation]:
        return iter(self.computations)

    def computation(self, name: str) -> Computation:
        """Return the computation of this name; a `KeyError` if there is none."""
        return self._by_name[name]

    def find_computation(self, name: str) -> Computation | None:
        """Return the computation of this name; None if there is none."""
        return self._by_name.get(name)

    def has_computation(self, name: str) -> bool:
        """Whether a computation has this name."""
        return name in self._by_name

    def add_computation(
        self, computation: Computation, *, before: Computation | None = None
    ) -> Computation:
        """Add a computation at the end, or `before` one that calls it, as XLA requires."""
        at = len(self.computations) if before is None else self.computations.index(before)
        self._adopt(computation)
        self.computations.insert(at, computation)
        return computation

    def erase_computation(self, computation: Computation) -> None:
        """Erase a computation; nothing may call it any more."""
        self.computations.remove(computation)
        self._forget(computation)

    def set_order(self, order: Iterable[Computation]) -> None:
        """Make `order` the list of computations: many changes at once, in linear time."""
        new = dict.fromkeys(order)
        erased = [each for each in self.computations if each not in new]
        inserted = [each for each in new if each.module is not self]
        self.computations = list(new)
        for each in erased:
            self._forget(each)
        for each in inserted:
            self._adopt(each)

    def rename_computation(self, computation: Computation, name: str) -> None:
        """Rename a computation, and change the calls of it; walks over the whole module."""
        if self._by_name.get(name, computation) is not computation:
            raise ValueError(f"the module has a computation %{name} already")
        mention = re.compile(rf"(?<![\w.\-]){re.escape(computation.name)}(?![\w.\-])", re.ASCII)
        for op in [op for each in self.computations for op in each.instructions]:
            for attribute, called in op.called_names():
                if called == computation.name:
                    op.attributes[attribute] = mention.sub(name, op.attributes[attribute])
        del self._by_name[computation.name]
        self._by_name[name] = computation
        computation.name = name
        self.note_name(name)

    def callers(self) -> dict[Computation, list[Instruction]]:
        """Return for each computation the instructions that name it, in program order."""
        found: dict[Computation, list[Instruction]] = {each: [] for each in self.computations}
        for op, called in self.calls():
            for each in dict.fromkeys(called):
                found[each].append(op)
        return found

    def calls(self) -> Iterator[tuple[Instruction, list[Computation]]]:
        """Yield the instructions that name computations, with these, in program order."""
        for computation in self.computations:
            for op in computation.instructions:
                if op.attributes and (called := op.called()):
                    yield op, called

    def fresh_name(self, base: str) -> str:
        """Return `base`, or `base.1` and so on: a name that is free in the module."""
        if self._names is None:
            self._names = set(self._by_name)
            for computation in self.computations:
                self._names.update(computation.by_name)
        name = base
        while name in self._names:
            stem = _COUNT.sub("", base)
            self._counts[stem] = self._counts.get(stem, 0) + 1
            name = f"{stem}.{self._counts[stem]}"
        self._names.add(name)
        return name

    def note_name(self, name: str) -> None:
        """Record that `name` is taken."""
        if self._names is not None:
            self._names.add(name)

    def _adopt(self, computation: Computation) -> None:
        if computation.name in self._by_name:
            raise ValueError(f"the module has a computation %{computation.name} already")
        self._by_name[computation.name] = computation
        computation.module = self
        if self._names is not None:
            self._names.add(computation.name)
            self._names.update(computation.by_name)

    def _forget(self, computation: Computation) -> None:
        del self._by_name[computation.name]
        computation.module = None
        if self._entry is computation:
            self._entry = None
