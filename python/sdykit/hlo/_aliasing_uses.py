"""Who uses which part of a value, found once for each instruction."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.hlo.model import Instruction

Index = tuple[int, ...]


class Uses:
    """Tables of users and operands: thousands may use, or be used by, one instruction.

    It remembers what it found: the module must not change meanwhile.
    """

    def __init__(self) -> None:
        self._takers: dict[Instruction, dict[Index, list[Instruction]]] = {}
        self._others: dict[Instruction, list[Instruction]] = {}
        self._places: dict[Instruction, dict[Instruction, list[int]]] = {}

    def readers(self, op: Instruction, index: Index) -> Sequence[Instruction]:
        """Give the users that may read a part: all but those that take another element."""
        if op not in self._others:
            takers = self._takers[op] = dict[Index, list[Instruction]]()
            others = self._others[op] = list[Instruction]()
            for user in op.users:
                is_taker = user.opcode == "get-tuple-element"
                (takers.setdefault(element(user), []) if is_taker else others).append(user)
        return [*self._takers[op].get(index[:1], ()), *self._others[op]]

    def places(self, operand: Instruction, op: Instruction) -> Sequence[int]:
        """Give the numbers that an instruction has among the operands of another."""
        if op not in self._places:
            places = self._places[op] = dict[Instruction, list[int]]()
            for at, each in enumerate(op.operands):
                places.setdefault(each, []).append(at)
        return self._places[op].get(operand, ())


def element(op: Instruction) -> Index:
    """Give the index of a get-tuple-element; () if it has none, which selects nothing."""
    text = op.attributes.get("index", "")
    return (int(text),) if text.isdecimal() else ()
