"""What systems give, beside each other."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Any, Final

from sdykit.sparsecore.cost import Estimate
from sdykit.sparsecore.whatif.choice import Choice
from sdykit.sparsecore.whatif.ranges import Range

ASSUMPTIONS: Final = (
    "TensorCore and host take as long for a sample on every chip: their time is proportional to the "
    "samples of a device.",
    "Lookups and updates of a step run one after another, and the next step waits for its input.",
    "Error bars hold the ranges of the cost model's numbers, and what estimated ids are uncertain by.",
)
"""What results take for granted, in sentences."""


@dataclass(frozen=True)
class Times:
    """The seconds of a step, with error bars.

    Attributes:
        lookup: all lookups.
        update: all updates.
        tensor_core: the TensorCore's part.
        host: the host's part, which runs beside the others.
        step: the time from a step to the next.
        bottleneck: what takes most of it.
    """

    lookup: Estimate
    update: Estimate
    tensor_core: Estimate
    host: Estimate
    step: Estimate
    bottleneck: str


@dataclass(frozen=True)
class Memory:
    """The memory that a step needs, in bytes.

    Attributes:
        spmem: what a tile holds of the program that needs most.
        spmem_capacity: the memory of a tile.
        hbm: what a device's HBM holds at the peak.
        hbm_capacity: the HBM of a device.
    """

    spmem: int
    spmem_capacity: int
    hbm: int
    hbm_capacity: int


@dataclass(frozen=True)
class StackResult:
    """A stack of tables on a system.

    Attributes:
        name: its name.
        tables: the number of its tables.
        ids: the maximum number of ids that a SparseCore sends to a partition.
        unique_ids: the same for unique ids.
        max_ids_per_partition: the limit that programs are compiled for.
        max_unique_ids_per_partition: the same for unique ids.
        distinct: the number of distinct rows of a step, which are updated.
        skew: the ids of the fullest partition, divided by the average.
        dropped: the number of ids over the limits.
    """

    name: str
    tables: int
    ids: Range
    unique_ids: Range
    max_ids_per_partition: int
    max_unique_ids_per_partition: int
    distinct: Range
    skew: float
    dropped: float


@dataclass(frozen=True)
class Result:
    """What a choice gives.

    Attributes:
        choice: the system and settings.
        problem: why it cannot run, in a sentence; "": it can.
        notes: what else to know, in sentences.
        is_estimated: whether the ids of its batch are estimated, and not counted.
        times: the time of a step; None: unknown, since it cannot run.
        memory: the memory of a step; None: unknown, or more than there is.
        ici_bytes: the bytes that the busiest chip sends to others, or receives, in a step.
        minibatches: the number of minibatches.
        stacks: the stacks.
    """

    choice: Choice
    problem: str = ""
    notes: tuple[str, ...] = ()
    is_estimated: bool = False
    times: Times | None = None
    memory: Memory | None = None
    ici_bytes: float = 0.0
    minibatches: int = 1
    stacks: tuple[StackResult, ...] = ()

    @property
    def can_run(self) -> bool:
        """Whether the step fits on the system."""
        return not self.problem and self.times is not None

    @property
    def seconds(self) -> float:
        """The expected time of a step; infinite if it cannot run."""
        return self.times.step.seconds if self.can_run and self.times else float("inf")

    @property
    def dropped(self) -> float:
        """The number of ids over the limits, of all stacks."""
        return sum(each.dropped for each in self.stacks)

    def to_fields(self) -> dict[str, Any]:
        """Return it as values that JSON can hold."""
        fields = dataclasses.asdict(self)
        fields["choice"]["chips"] = self.choice.chips
        return fields


@dataclass(frozen=True)
class Comparison:
    """Systems and settings beside each other.

    Attributes:
        title: the name of the model.
        results: what each choice gives, in the order of the choices.
        samples: the number of samples that ids are counted in, for each feature of the model's batch.
        is_drawn: whether these are drawn from statistics.
    """

    title: str
    results: tuple[Result, ...]
    samples: int
    is_drawn: bool

    @property
    def fastest(self) -> Result | None:
        """The result with the shortest step; None: no choice can run."""
        best = min(self.results, key=lambda each: each.seconds, default=None)
        return best if best is not None and best.can_run else None

    def to_json(self) -> str:
        """Return all of it as JSON; seconds and bytes."""
        fields = {
            "title": self.title,
            "samples": self.samples,
            "is_drawn": self.is_drawn,
            "assumptions": list(ASSUMPTIONS),
            "results": [each.to_fields() for each in self.results],
        }
        return json.dumps(fields, indent=2)
