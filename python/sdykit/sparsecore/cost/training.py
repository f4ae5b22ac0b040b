"""The time of a training step: SparseCores, TensorCore and host."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.sparsecore.cost.estimates import Costs, Estimate
from sdykit.sparsecore.cost.numbers import CASES


@dataclass(frozen=True)
class TrainingStep:
    """A training step.

    Attributes:
        sparse_cores: the lookups and updates of all tables.
        tensor_core: the time of the TensorCore's part, measured or given.
        host: the time in which the host prepares the next step, which it does meanwhile.
        pipelined: whether SparseCores look up the next step while the TensorCore works.
        serialized_tables: how many tables are serialized, see `serialization`.
    """

    sparse_cores: Costs
    tensor_core: Estimate
    host: Estimate
    pipelined: bool = False
    serialized_tables: int = 0

    @property
    def serialization(self) -> Estimate:
        """The time that serialized tables wait for each other."""
        return serialization(self.sparse_cores, self.serialized_tables)

    @property
    def total(self) -> Estimate:
        """The time from a step to the next, in the steady state."""
        device = self.sparse_cores.total + self.serialization
        device = device | self.tensor_core if self.pipelined else device + self.tensor_core
        return device | self.host

    @property
    def bottleneck(self) -> str:
        """What the step waits for: `host`, `TensorCore`, or the bottleneck of the SparseCores."""
        if self.total.seconds <= self.host.seconds:
            return "host"
        if self.tensor_core.seconds >= self.sparse_cores.total.seconds:
            return "TensorCore"
        return str(self.sparse_cores.bottlenecks())

    def __str__(self) -> str:
        """Return the parts and the total, a line for each."""
        costs = self.sparse_cores
        parts = {
            "lookups": costs.of("lookup"),
            "updates": costs.of("update"),
            **({"serialization": self.serialization} if self.serialized_tables else {}),
            "TensorCore": self.tensor_core,
            "host": self.host,
            "step, pipelined" if self.pipelined else "step": self.total,
        }
        lines = [f"{name:<16}{each}" for name, each in parts.items()]
        return "\n".join([*lines, f"{'bottleneck':<16}{self.bottleneck}"])


def training_step(
    sparse_cores: Costs,
    *,
    tensor_core: float | Estimate = 0.0,
    host: float | Estimate = 0.0,
    pipelined: bool = False,
    serialized_tables: int = 0,
) -> TrainingStep:
    """Return the time of a training step.

    Args:
        sparse_cores: the lookups and updates of all tables, as `of_tables` returns them.
        tensor_core: the seconds of the TensorCore's part; a number is exact.
        host: the seconds in which the host prepares a step.
        pipelined: whether SparseCores look up the next step while the TensorCore works.
        serialized_tables: `xla_sc_num_serialized_tables_to_optimize_hbm`.
    """
    return TrainingStep(
        sparse_cores, _exact(tensor_core), _exact(host), pipelined, serialized_tables
    )


def serialization(costs: Costs, tables: int) -> Estimate:
    """Return the time that serialized tables wait for each other, in the lookups and in the updates.

        (tables - 1) * call_seconds

    Programs run one after another in any case; the calls of tables that are not serialized are in a
    queue, which a SparseCore takes them from. A serialized table is called only once the one before has
    ended, and its HBM is free: that this takes as long as a call does is assumed.

    Args:
        costs: the lookups and updates of all tables.
        tables: how many of them are serialized, each with its lookup and its update.
    """
    total = Estimate(0.0, 0.0, 0.0)
    for each in costs.programs:
        waits = max(min(tables, len(each.work.labels)) - 1, 0)
        seconds = (waits * each.numbers.at(case)["call_seconds"] for case in CASES)
        total += Estimate(*seconds)
    return total


def _exact(seconds: float | Estimate) -> Estimate:
    return seconds if isinstance(seconds, Estimate) else Estimate(seconds, seconds, seconds)
