"""`-sdy-user-priority-propagate`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass
from sdykit.mlir import ModuleOp
from sdykit.passes.sdy._propagation import Propagation, Strategy
from sdykit.passes.sdy._propagation.saving import Saving


@dataclass(frozen=True)
class UserPriorityPropagatePass(ModulePass):
    """Propagate shardings by their priorities, 0 first."""

    name = "sdy-user-priority-propagate"

    keep_sharding_rules: bool = False
    """Keep the sharding rules of all ops; otherwise only those that a user wrote stay."""
    conservative_propagation: bool = False
    """Split no axis, and leave out factors along which devices would exchange elements."""
    debug_sharding_origins: bool = False
    """Record the input, output, constraint or manual computation that each axis comes from."""
    debug_propagation_edge_sharding: bool = False
    """Record the step in which each axis was propagated, from which value and to which."""
    module_dump_directory: str = ""
    """Write the module into this directory after each user priority but the last; empty: do not."""
    dump_index: int = 0
    """The number that the names of these files begin with."""
    propagation_strategy: Strategy = "aggressive"
    """How conflicts are treated: `basic`, `aggressive` or `basic-then-aggressive`."""
    run_op_priority_propagation: bool = True
    """Let ops that only pass shardings on propagate first."""

    def run(self, module: ModuleOp) -> None:
        saving = Saving(self.module_dump_directory, self.dump_index)
        Propagation(
            strategy=self.propagation_strategy,
            by_op=self.run_op_priority_propagation,
            by_user=True,
            keeps_rules=self.keep_sharding_rules,
            conservative=self.conservative_propagation,
            origins=self.debug_sharding_origins,
            edges=self.debug_propagation_edge_sharding,
            saving=saving if self.module_dump_directory else None,
        ).run(module)
