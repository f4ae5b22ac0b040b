"""Bodies of fragments: their text, arguments and results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from support.generators.choices import Choices
from support.mpmd.programs.callees import Callee, Callees
from support.mpmd.programs.features import Features
from support.mpmd.programs.types import TOKEN, Tensor

KINDS = ("float", "integer", "flag", "complex")
"""The kinds of elements."""


@dataclass(frozen=True)
class Slot:
    """A value in a body."""

    name: str
    tensor: Tensor | None
    """The type of the value; None for a token."""
    maker: str = "argument"
    """The op that defines it; no op is applied to a result of the same op, since pairs fold."""
    placed: bool = False
    """Whether it lives in host memory, as a result of the fragment."""

    @property
    def type(self) -> str:
        return self.tensor.text if self.tensor else TOKEN


def tensor_of(slot: Slot) -> Tensor:
    """Return the type of a value that is no token."""
    assert slot.tensor is not None
    return slot.tensor


@dataclass(frozen=True)
class Body:
    """A finished body, which several fragments may have."""

    arguments: tuple[Slot, ...]
    lines: tuple[str, ...]
    results: tuple[Slot, ...]
    callees: tuple[Callee, ...] = ()

    def shuffled(self, choices: Choices) -> Body:
        """Return the body with its arguments and results in another order."""
        return replace(
            self,
            arguments=tuple(choices.shuffled(self.arguments)),
            results=tuple(choices.shuffled(self.results)),
        )


@dataclass
class BodyBuilder:
    """Writes the ops of a body; constants come first, as the C++ canonicalizer puts them."""

    features: Features
    choices: Choices
    functions: Callees
    """The functions that bodies can call."""
    slots: list[Slot] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    callees: list[Callee] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    _constants: dict[tuple[str, Tensor], str] = field(default_factory=dict)
    _written: set[str] = field(default_factory=set)

    def argument(self, tensor: Tensor | None) -> Slot:
        slot = Slot(f"%a{len(self.slots)}", tensor)
        self.slots.append(slot)
        return slot

    def constant(self, literal: str, tensor: Tensor) -> str:
        """Return the name of a constant; equal constants have one name."""
        return self._constants.setdefault((literal, tensor), f"%c{len(self._constants)}")

    def fresh(self, op: str) -> bool:
        """Return whether an op is new, and note it: CSE would merge equal ops."""
        if op in self._written and self.features.oracle:
            return False
        self._written.add(op)
        return True

    def emit(
        self, op: str, tensor: Tensor, operands: Sequence[Slot], tail: str = ""
    ) -> Slot | None:
        """Write an op in pretty form, `op %a, %b tail`, unless it is there already."""
        names = ", ".join(slot.name for slot in operands)
        return self.write(f"{op} {names}{tail}", tensor, operands, op)

    def write(
        self,
        text: str,
        tensor: Tensor,
        operands: Sequence[Slot],
        maker: str,
        *,
        placed: bool = False,
    ) -> Slot | None:
        """Write an op given as text, unless it is there already."""
        if not self.fresh(text):
            return None
        slot = Slot(f"%v{len(self.slots)}", tensor, maker, placed)
        self.lines.append(f"{slot.name} = stablehlo.{text}")
        self.used.update(operand.name for operand in operands)
        self.slots.append(slot)
        return slot

    def pick(self, *kinds: str, rank: int | None = None, maker: str = "") -> Slot | None:
        """Pick a tensor of some kinds, preferably an unused one; None if there is none.

        Args:
            kinds: the kinds of elements.
            rank: the minimum rank.
            maker: an op whose results are excluded.
        """
        found = [
            slot
            for slot in self.slots
            if slot.tensor
            and slot.tensor.kind in kinds
            and (rank is None or len(slot.tensor.shape) >= rank)
            and slot.maker != maker
        ]
        unused = [slot for slot in found if slot.name not in self.used]
        if unused and self.choices.chance(0.7):
            return self.choices.pick(unused)
        return self.choices.pick(found) if found else None

    def like(self, slot: Slot) -> Slot:
        """Pick a tensor of the same type, another one if possible."""
        found = [other for other in self.slots if other.tensor == slot.tensor and other != slot]
        return self.choices.pick(found) if found else slot

    def unused(self) -> list[Slot]:
        return [slot for slot in self.slots if slot.name not in self.used]

    def finish(self, arguments: Sequence[Slot], results: Sequence[Slot]) -> Body:
        constants = [
            f"{name} = stablehlo.constant dense<{literal}> : {tensor.text}"
            for (literal, tensor), name in self._constants.items()
        ]
        return Body(
            tuple(arguments), (*constants, *self.lines), tuple(results), tuple(self.callees)
        )
