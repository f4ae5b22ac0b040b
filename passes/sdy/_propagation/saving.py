"""Writing the module as it is between two user priorities, for debugging."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from sdykit.mlir import ModuleOp
from sdykit.passes.sdy._propagation.driver import Driver
from sdykit.passes.sdy._propagation.program import Program
from sdykit.passes.sdy._propagation.slots import Slots
from sdykit.passes.sdy._saving import save_module


@dataclass(frozen=True)
class Saving:
    """Where the module is written.

    Attributes:
        directory: the directory of the files.
        number: what their names begin with.
    """

    directory: str
    number: int = 0

    def save(self, slots: Slots, driver: Driver, priority: int) -> None:
        """Write the module as it is after a user priority: with the rules of its ops, without dead ones.

        Raises:
            PassFailure: the file cannot be written.
        """
        slots.write()
        # Ops stay, and get no rules, where they are still propagated through.
        copy = cast("ModuleOp", slots.program.root.operation.clone(ip=False).opview)
        ops = Program(copy).ops
        driver.write_rules(ops)
        driver.erase(ops)
        save_module(
            copy, self.directory, self.number, f"propagation_after_user_priority_{priority}"
        )
