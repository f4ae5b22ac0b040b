"""A whole propagation, as the four passes run it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sdykit.core import meshes_of, ops_named
from sdykit.mlir import ModuleOp
from sdykit.passes.sdy._propagation.checks import check_shapes, remove_rules
from sdykit.passes.sdy._propagation.driver import Driver
from sdykit.passes.sdy._propagation.groups import open_conflicts
from sdykit.passes.sdy._propagation.priorities import OP_PRIORITIES, OpPriority, UserPriorities
from sdykit.passes.sdy._propagation.program import Program
from sdykit.passes.sdy._propagation.records import Listener, Records
from sdykit.passes.sdy._propagation.shardings import Shardings
from sdykit.passes.sdy._propagation.steps import STRATEGIES
from sdykit.passes.sdy._sharding_origins import ShardingOrigins
from sdykit.passes.sdy._sharding_rules import ShardingRules
from sdykit.passes.sdy._value_shardings import MANUAL_COMPUTATION


@dataclass(frozen=True)
class Propagation:
    """How shardings are propagated.

    Attributes:
        strategy: a key of `STRATEGIES`.
        by_op: whether ops that only pass shardings on come first.
        by_user: whether shardings propagate by their priorities.
        keeps_rules: whether sharding rules stay in the module.
        conservative: whether nothing is propagated that would split an axis.
        origins: whether it is recorded where each axis comes from.
        edges: whether it is recorded which axes flowed where, in which step.
    """

    strategy: str = "basic"
    by_op: bool = False
    by_user: bool = False
    keeps_rules: bool = False
    conservative: bool = False
    origins: bool = False
    edges: bool = False

    def run(self, module: ModuleOp, listener: Listener | None = None) -> None:
        """Propagate the shardings of a module; a listener is told of each step, in place of records."""
        check_shapes(module)
        shardings = Shardings(meshes_of(module))
        open_conflicts(module, shardings)
        # Before the tables are made: the attributes that this sets change the hashes of ops.
        origins = self._origins(module)
        program = Program(module, shardings)
        listener = listener or self._records(program, origins)
        if listener is not None:
            listener.begin(program)
        driver = Driver(program, ShardingRules(self.conservative), self.conservative, listener)
        user = UserPriorities(program) if self.by_user else ()
        self._run(driver, 0)
        for priority in user:
            self._run(driver, priority)
        if listener is not None:
            listener.end()
        program.write()
        if listener is not None:
            listener.write()
        driver.erase()
        if self.keeps_rules:
            driver.write_rules()
        else:
            remove_rules(module)

    def _origins(self, module: ModuleOp) -> ShardingOrigins | None:
        if not self.origins:
            return None
        ops = ops_named(module, "sdy.sharding_constraint", MANUAL_COMPUTATION)
        return ShardingOrigins(module, ops)

    def _records(self, program: Program, origins: ShardingOrigins | None) -> Records | None:
        if not (self.origins or self.edges):
            return None
        return Records(program, origins, edges=self.edges)

    def _run(self, driver: Driver, user_priority: int) -> None:
        priorities: Iterable[int] = OP_PRIORITIES if self.by_op else OP_PRIORITIES[-1:]
        for priority in priorities:
            for strategy in STRATEGIES[self.strategy]:
                if driver.listener is not None:
                    driver.listener.enter(driver, user_priority, priority, strategy.__name__)
                driver.run(strategy, OpPriority(driver, priority))
