"""`-sdy-aggressive-propagate`."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.core import ModulePass
from sdykit.mlir import ModuleOp
from sdykit.passes.sdy._propagation import Propagation, Strategy
from sdykit.passes.sdy._saving import warn_of_no_files


@dataclass(frozen=True)
class AggressivePropagatePass(ModulePass):
    """Propagate shardings; where factors conflict, the one of the larger tensor wins."""

    name = "sdy-aggressive-propagate"

    keep_sharding_rules: bool = False
    """Keep the sharding rules of all ops; otherwise only those that a user wrote stay."""
    conservative_propagation: bool = False
    """Split no axis, and leave out factors along which devices would exchange elements."""
    debug_sharding_origins: bool = False
    """Record the input, output, constraint or manual computation that each axis comes from."""
    debug_propagation_edge_sharding: bool = False
    """Record the step in which each axis was propagated, from which value and to which."""
    module_dump_directory: str = ""
    """Nothing is written, as by C++, with a warning; `-sdy-user-priority-propagate` does write modules."""
    propagation_strategy: Strategy = "aggressive"
    """How conflicts are treated: `basic`, `aggressive` or `basic-then-aggressive`."""

    def run(self, module: ModuleOp) -> None:
        warn_of_no_files(module, self.module_dump_directory)
        Propagation(
            strategy=self.propagation_strategy,
            keeps_rules=self.keep_sharding_rules,
            conservative=self.conservative_propagation,
            origins=self.debug_sharding_origins,
            edges=self.debug_propagation_edge_sharding,
        ).run(module)
