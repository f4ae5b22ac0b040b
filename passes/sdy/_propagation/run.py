"""A whole propagation, as the four passes run it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sdykit.core import meshes_of, ops_named
from sdykit.mlir import ModuleOp
from sdykit.passes.sdy._propagation.checks import check_shapes
from sdykit.passes.sdy._propagation.driver import Driver
from sdykit.passes.sdy._propagation.groups import open_conflicts
from sdykit.passes.sdy._propagation.numbered import NumberedShardings
from sdykit.passes.sdy._propagation.priorities import OP_PRIORITIES, UserPriorities
from sdykit.passes.sdy._propagation.program import Program
from sdykit.passes.sdy._propagation.records import Listener, Records
from sdykit.passes.sdy._propagation.saving import Saving
from sdykit.passes.sdy._propagation.slots import Slots
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
        saving: where the module is written after each user priority but the last; None: nowhere.
    """

    strategy: str = "basic"
    by_op: bool = False
    by_user: bool = False
    keeps_rules: bool = False
    conservative: bool = False
    origins: bool = False
    edges: bool = False
    saving: Saving | None = None

    def run(self, module: ModuleOp, listener: Listener | None = None) -> None:
        """Propagate the shardings of a module; a listener is told of each step, in place of records."""
        slots = self._read(module)
        origins = self._origins(module)
        listener = listener or self._records(slots, origins)
        if listener is not None:
            listener.begin(slots)
        driver = Driver(slots, ShardingRules(self.conservative), self.conservative, listener)
        user = UserPriorities(slots) if self.by_user else None
        self._run(driver, 0, listener)
        if user is not None:
            self._run_priorities(user, driver, listener)
        if listener is not None:
            listener.end()
        slots.write()
        if listener is not None:
            listener.write()
        driver.erase(slots.program.ops)
        if self.keeps_rules:
            driver.write_rules(slots.program.ops)
        else:
            driver.remove_rules()

    def _read(self, module: ModuleOp) -> Slots:
        shardings = NumberedShardings(meshes_of(module))
        program = Program(module)
        if not program.is_supported:
            check_shapes(module)
        slots = Slots(program, shardings)
        return Slots(Program(module), shardings) if open_conflicts(slots) else slots

    def _origins(self, module: ModuleOp) -> ShardingOrigins | None:
        if not self.origins:
            return None
        ops = ops_named(module, "sdy.sharding_constraint", MANUAL_COMPUTATION)
        return ShardingOrigins(module, ops)

    def _records(self, slots: Slots, origins: ShardingOrigins | None) -> Records | None:
        if not (self.origins or self.edges):
            return None
        return Records(slots, origins, edges=self.edges)

    def _run_priorities(
        self, user: UserPriorities, driver: Driver, listener: Listener | None
    ) -> None:
        """Run for each user priority above 0, after the run for 0."""
        done = 0
        for priority in user.priorities:
            if self.saving is not None:
                self.saving.save(user.slots, driver, done)
            user.put_back(priority)
            self._run(driver, priority, listener)
            done = priority

    def _run(self, driver: Driver, user_priority: int, listener: Listener | None) -> None:
        priorities: Iterable[int] = OP_PRIORITIES if self.by_op else OP_PRIORITIES[-1:]
        for priority in priorities:
            for strategy in STRATEGIES[self.strategy]:
                if listener is not None:
                    listener.enter(driver, user_priority, priority, strategy.__name__)
                driver.run(strategy, priority)
