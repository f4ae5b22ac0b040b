"""One HLO instruction, with its place among the others.

Shapes, attributes and literals are kept as text, so that every opcode, known or not, is
carried unchanged. Which instruction uses or waits for which is kept as references.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdykit.errors import FileLocation
from sdykit.hlo.attributes import COMPUTATION_ATTRIBUTES, names_in

if TYPE_CHECKING:
    from sdykit.hlo.model import Computation


@dataclass(frozen=True, slots=True)
class Spelling:
    """How an instruction is written; the reader takes it from the text."""

    percent: bool = True
    """Its name is written `%name`."""
    operand_percent: bool = True
    """And those of its operands."""
    operand_shapes: bool = False
    """Operands are written with their shapes: `f32[4] %x`."""
    index_comments: bool = True
    """Every fifth operand is counted: `/*index=5*/`."""


XLA_SPELLING = Spelling()
"""What XLA prints by default."""


class Instruction:
    """`name = shape opcode(operands), attribute=value, ...`.

    `name`, `operands` and `control_predecessors` are properties: assigning keeps what other
    instructions and the computation know about them right. The rest is plain data.
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
    """What a `constant` or `parameter` has in parentheses; None for all other opcodes."""
    users: dict[Instruction, None]
    """The instructions that have this one as an operand, each once: a dict used as a set."""
    control_users: dict[Instruction, None] | None
    """The instructions that have this one as a control predecessor; None: there are none."""
    parent: Computation | None
    """The computation it is in; None before it is inserted and after it is erased."""
    spelling: Spelling
    offset: int
    """Where its text starts in the source; -1 if it has none."""

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
        """Where it was read; None if it has no source."""
        module = self.parent.module if self.parent is not None else None
        if module is None or module.source is None or self.offset < 0:
            return None
        return module.source.location(self.offset)

    def called_names(self) -> list[tuple[str, str]]:
        """Give (attribute, computation's name) for each computation it names, in order."""
        if not self.attributes or COMPUTATION_ATTRIBUTES.isdisjoint(self.attributes):
            return []
        return [
            (attribute, name)
            for attribute, value in self.attributes.items()
            if attribute in COMPUTATION_ATTRIBUTES
            for name in names_in(value)
        ]

    def called(self) -> list[Computation]:
        """Give the computations of the module that its attributes name, in order."""
        names = self.called_names()
        module = self.parent.module if self.parent is not None else None
        if not names or module is None:
            return []
        found = [module.find_computation(name) for _, name in names]
        return [computation for computation in found if computation is not None]

    def replace_operand(self, old: Instruction, new: Instruction) -> None:
        """Put `new` wherever `old` is an operand."""
        self.operands = [new if operand is old else operand for operand in self._operands]

    def replace_uses(self, new: Instruction) -> None:
        """Make all users use `new`, and take over being the root; control edges stay.

        Uses by `new` itself stay as well, so that it may be computed from this one.
        """
        for user in list(self.users):
            if user is not new:
                user.replace_operand(self, new)
        if self.parent is not None and self.parent.root is self:
            self.parent.root = new

    def __repr__(self) -> str:
        return f"<%{self._name} = {self.shape} {self.opcode}>"
