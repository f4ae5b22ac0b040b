"""What the checks of a run look at, computed once."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.cost import Costs, Numbers, numbers_of, of_statistics
from sdykit.sparsecore.counts import Statistics
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.run import Program, Run, StackOfTables
from sdykit.sparsecore.run.breakdown import Breakdown, breakdown_of

Figures = npt.NDArray[np.int64]


@dataclass(frozen=True)
class StackFacts:
    """What preprocessing counted for a stack, over all batches.

    Attributes:
        stack: the stack.
        max_ids: the maximum number of ids that one SparseCore sent to each partition, `[partitions]`.
        max_unique_ids: the same for distinct ids.
        mean_ids: the mean over the batches, `[partitions]`.
        dropped: the number of dropped ids.
    """

    stack: StackOfTables
    max_ids: Figures
    max_unique_ids: Figures
    mean_ids: npt.NDArray[np.floating]
    dropped: int

    @property
    def limits(self) -> tuple[int, int]:
        """The compiled limits: of ids and of unique ids, the largest of all partitions."""
        names = ("max_ids_per_partition", "max_unique_ids_per_partition")
        ids, unique_ids = (int(self.stack.limits[name]) for name in names)
        return ids, unique_ids

    @property
    def needs(self) -> tuple[int, int]:
        """What was observed: the maximum ids and unique ids of a partition."""
        return int(self.max_ids.max(initial=0)), int(self.max_unique_ids.max(initial=0))

    @property
    def advice(self) -> str:
        """What to do about its limits; "": nothing."""
        factors = [
            limit / max(need, 1) for limit, need in zip(self.limits, self.needs, strict=True)
        ]
        if min(factors) < 1:
            return f"raise to {self.needs[0]:,} and {self.needs[1]:,}"
        if min(factors) >= 2:
            return f"lower to {self.needs[0]:,} and {self.needs[1]:,}"
        return ""

    @property
    def skew(self) -> float:
        """The ids of the fullest partition, divided by those of the average one; 1 if there are none."""
        average = float(self.mean_ids.mean()) if self.mean_ids.size else 0.0
        return float(self.mean_ids.max()) / average if average else 1.0


@dataclass(frozen=True, eq=False)
class Facts:
    """A run, and what follows from it.

    Attributes:
        run: the run.
        numbers: the numbers of the cost model; None: those of the run's chip.
    """

    run: Run
    numbers: Numbers | None = None

    @cached_property
    def breakdown(self) -> Breakdown:
        """Where the measured time of the steps went."""
        return breakdown_of(self.run)

    @cached_property
    def stacks(self) -> tuple[StackFacts, ...]:
        """The stacks for which batches were prepared."""
        batches = self.run.batches
        partitions = batches.max_ids.shape[1]
        found = []
        for stack in self.run.stacks:
            own = batches.where(batches.stack == stack.name)
            if len(own):
                none = np.zeros(partitions, np.int64)
                found.append(
                    StackFacts(
                        stack,
                        own.max_ids.max(axis=0, initial=0) if partitions else none,
                        own.max_unique_ids.max(axis=0, initial=0) if partitions else none,
                        own.max_ids.mean(axis=0),
                        int(own.dropped.sum()),
                    )
                )
        return tuple(found)

    @property
    def batch_count(self) -> int:
        """The number of batches that were prepared, as far as they are in the run."""
        return int(np.unique(self.run.batches.batch).size)

    @cached_property
    def costs(self) -> Costs | None:
        """What the last sampled step takes on the chip by the cost model; None: see `no_costs`."""
        return self._costs[0]

    @property
    def no_costs(self) -> str:
        """Why there are no simulated times; "": there are."""
        return self._costs[1]

    @cached_property
    def _costs(self) -> tuple[Costs | None, str]:
        if not self.run.sampled_steps:
            return None, "no step was sampled"
        figures = self.run.figures(self.run.sampled_steps[-1])
        programs: dict[int, list[Statistics]] = {}
        for (program, _), each in sorted(figures.items(), key=lambda item: item[0]):
            programs.setdefault(program, []).append(each)
        # Without labels, equal programs are built once.
        specs = [dataclasses.replace(self.run.programs[at].tile, label="") for at in programs]
        try:
            return of_statistics(specs, list(programs.values()), self._numbers), ""
        except SparseCoreError as error:
            return None, str(error)

    @property
    def _numbers(self) -> Numbers:
        return self.numbers or numbers_of(self.run.chip)

    @cached_property
    def lookups(self) -> tuple[Program, ...]:
        """The programs that look up and ran."""
        ran = set(self.run.calls.program.tolist())
        return tuple(
            each
            for number, each in enumerate(self.run.programs)
            if number in ran and each.is_lookup
        )

    @cached_property
    def updated(self) -> frozenset[str]:
        """The names of the tables or stacks that were updated."""
        ran = set(self.run.calls.program.tolist())
        return frozenset(
            each.name
            for number, each in enumerate(self.run.programs)
            if number in ran and each.is_update
        )


def facts_of(run: Run, numbers: Numbers | None = None) -> Facts:
    """Return what follows from a run; `numbers` are those of the cost model, None: of its chip."""
    return Facts(run, numbers)
