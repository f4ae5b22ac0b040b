"""A pass over HLO text, for the tests of hlo-opt."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit import hlo
from sdykit.core import ModulePass


@dataclass(frozen=True)
class TestNegate(ModulePass):
    """Negate the results of instructions."""

    name = "test-negate"

    opcode: str = "add"
    """The instructions."""

    def run_hlo(self, module: hlo.Module) -> None:
        for op in list(module.entry):
            if op.opcode == self.opcode:
                negated = module.entry.add(f"{op.name}-negated", op.shape, "negate", [op], like=op)
                op.replace_uses(negated)
                others = [each for each in module.entry if each is not negated]
                at = others.index(op) + 1
                module.entry.set_order([*others[:at], negated, *others[at:]])
            if op.opcode == "infeed":
                raise hlo.HloError(op.location, f"cannot negate around {op.opcode}")
