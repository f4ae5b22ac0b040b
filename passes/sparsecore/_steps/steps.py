"""The steps and buffers of a program, while steps are joined."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from sdykit.core.sparsecore.names import READS, WRITES
from sdykit.core.sparsecore.steps import Step, steps_in
from sdykit.mlir import ir
from sdykit.passes.sparsecore._programs.buffers import buffers_of, erase_buffer

Side = Literal["reads", "writes"]
_ATTRIBUTES = {"reads": READS, "writes": WRITES}


@dataclass(frozen=True)
class Steps:
    """The steps and buffers of an entry function, which are kept as they are in the program.

    Attributes:
        entry: the entry function.
        found: its steps, in program order.
        buffers: its buffers, by name.
    """

    entry: ir.Operation
    found: list[Step]
    buffers: dict[str, ir.Value]

    @staticmethod
    def of(entry: ir.Operation) -> Steps:
        """Find the steps and buffers of an entry function.

        Raises:
            PassFailure: two buffers have one name, or a name is no string.
        """
        return Steps(entry, steps_in(entry), buffers_of(entry))

    def named(self, *names: str) -> list[Step]:
        """Return the steps that have one of some names, in program order."""
        return [step for step in self.found if step.name in names]

    def erase(self, step: Step) -> None:
        """Erase a step."""
        self.found[:] = [each for each in self.found if each.op != step.op]
        step.op.erase()

    def erase_buffers(self, names: Iterable[str]) -> None:
        """Erase the allocations of buffers that nothing uses."""
        for name in names:
            erase_buffer(self.buffers.pop(name))

    def rename(self, step: Step, side: Side, buffer: str, sources: Iterable[str]) -> None:
        """Replace the name of a buffer that a step reads or writes by those of others, if it is there."""
        (number,) = (at for at, each in enumerate(self.found) if each.op == step.op)
        known = self.found[number]
        names = known.reads if side == "reads" else known.writes
        if buffer not in names:
            return
        kept = tuple(dict.fromkeys((*(name for name in names if name != buffer), *sources)))
        texts = [ir.StringAttr.get(name, step.op.context) for name in kept]
        step.op.attributes[_ATTRIBUTES[side]] = ir.ArrayAttr.get(texts, step.op.context)
        changed = replace(known, reads=kept) if side == "reads" else replace(known, writes=kept)
        self.found[number] = changed
