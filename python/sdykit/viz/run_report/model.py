"""What a report shows of a run, as rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from sdykit.sparsecore.bottlenecks import Facts, Finding, check_run, facts_of
from sdykit.sparsecore.bottlenecks.facts import StackFacts
from sdykit.sparsecore.cost.estimates import Estimate, estimates
from sdykit.sparsecore.run import Program, Run
from sdykit.sparsecore.run.breakdown import COMPILE
from sdykit.sparsecore.run.model import KERNEL
from sdykit.viz.charts import Axis

SECONDS: Final = Axis("time", "s")
BYTES: Final = Axis("bytes", "B")
LONGEST: Final = 10
"""The number of operations of a unit, and of gaps, that are listed."""

PARTS: Final = {
    "input": "waiting for input",
    "lookups": "lookups",
    "tensor_core": "TensorCore",
    "updates": "updates",
    "kernels": "kernels",
    "other": "other",
}
"""The parts of a step, and their names for readers."""


@dataclass(frozen=True)
class Operation:
    """An operation of a unit that took long.

    Attributes:
        unit: whose it is: `SparseCores`, `host`, `tiles (simulated)`.
        name: what it is.
        count: how often it ran.
        mean: its mean seconds.
        share: its part of the time of all operations of the unit.
    """

    unit: str
    name: str
    count: int
    mean: float
    share: float


@dataclass(frozen=True)
class Gap:
    """A time in which no program ran on the first device.

    Attributes:
        step: the step that it is in, or after.
        start: when it began, in seconds.
        seconds: how long it was.
        between: the programs before and after.
        host: what the host did for most of it; "": nothing that was recorded.
    """

    step: int
    start: float
    seconds: float
    between: str
    host: str


@dataclass(frozen=True, eq=False)
class Report:
    """A run with all that a report shows of it.

    Attributes:
        facts: the run, and what follows from it.
    """

    facts: Facts

    @property
    def run(self) -> Run:
        """The run."""
        return self.facts.run

    @property
    def title(self) -> str:
        """The name of the run's folder."""
        return self.run.path.resolve().name

    @cached_property
    def checks(self) -> tuple[Finding, ...]:
        """All bottlenecks that were looked for."""
        return check_run(self.facts)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The bottlenecks that the run has."""
        return tuple(each for each in self.checks if each.is_found)

    @cached_property
    def measured(self) -> dict[str, float]:
        """The mean seconds of a typical step by part, and `total`."""
        return self.facts.breakdown.seconds()

    @property
    def parts(self) -> dict[str, str]:
        """The parts of a step with their names for readers; those of kernels only if there are any."""
        has_kernels = any(each.kind == KERNEL for each in self.run.programs)
        return {part: name for part, name in PARTS.items() if part != "kernels" or has_kernels}

    @cached_property
    def simulated(self) -> dict[str, Estimate]:
        """The time of lookups, and of updates, of a step on the chip; empty: unknown."""
        costs = self.facts.costs
        if costs is None:
            return {}
        kinds = dict.fromkeys(each.work.kind for each in costs.programs)
        return {kind: costs.of(kind) for kind in kinds}

    @cached_property
    def simulated_steps(self) -> tuple[tuple[str, Estimate, str], ...]:
        """The steps of programs on the chip: name, time and bottleneck, the longest first."""
        costs = self.facts.costs
        if costs is None:
            return ()
        rows = zip(costs.steps, estimates(costs.by("step")), costs.bottlenecks("step"), strict=True)
        found = [(name, time, str(bottleneck)) for name, time, bottleneck in rows if time.high]
        return tuple(sorted(found, key=lambda each: -each[1].seconds))

    @property
    def stacks(self) -> tuple[StackFacts, ...]:
        """The stacks with what was observed, the most skewed first."""
        return tuple(sorted(self.facts.stacks, key=lambda each: -each.skew))

    @property
    def memory(self) -> dict[str, int]:
        """The bytes of HBM at the peak, by kind, the largest first; empty: unknown."""
        if self.run.ledger is None:
            return {}
        sums = self.run.ledger.bytes_by_kind()
        return {
            kind: size for kind, size in sorted(sums.items(), key=lambda each: -each[1]) if size
        }

    @cached_property
    def compiled(self) -> tuple[Program, ...]:
        """The programs that were made while the recording was on."""
        return tuple(each for each in self.run.programs if each.compiled_at >= 0)

    @property
    def compile_seconds(self) -> float:
        """How long it took to make them."""
        return sum(each.compile_seconds for each in self.compiled)

    @property
    def jax_compilations(self) -> tuple[int, float]:
        """How many functions JAX compiled while the recording was on, and in how many seconds."""
        spans = self.run.host.where(self.run.host.name == COMPILE)
        return len(spans), float((spans.end - spans.start).sum())

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        """The operations of each unit that took longest."""
        calls = self.run.calls
        seconds = calls.end - calls.start
        names = np.array([f"{each.kind} {each.name}".strip() for each in self.run.programs])
        of_calls = names[calls.program] if len(calls) else np.zeros(0, np.str_)
        host = self.run.host
        return (
            *_longest("SparseCores", of_calls, seconds),
            *_longest("host", host.name, host.end - host.start),
            *self._simulated_operations(),
        )

    def _simulated_operations(self) -> list[Operation]:
        steps = self.simulated_steps
        total = sum(time.seconds for _, time, _ in steps) or 1.0
        return [
            Operation(
                "tiles (simulated)", f"{name} ({bottleneck})", 1, time.seconds, time.seconds / total
            )
            for name, time, bottleneck in steps[:LONGEST]
        ]

    @cached_property
    def gaps(self) -> tuple[Gap, ...]:
        """The longest times in which no program ran on the first device."""
        calls = self.run.calls
        calls = calls.where(calls.device == calls.device.min(initial=0))
        if len(calls) < 2:
            return ()
        until = np.maximum.accumulate(calls.end)
        lengths = calls.start[1:] - until[:-1]
        longest = np.argsort(-lengths, kind="stable")[:LONGEST]
        return tuple(
            Gap(
                int(calls.step[at]),
                float(until[at]),
                float(lengths[at]),
                f"{self._name(int(calls.program[at]))} and {self._name(int(calls.program[at + 1]))}",
                self._host_work(float(until[at]), float(calls.start[at + 1])),
            )
            for at in longest.tolist()
            if lengths[at] > 0
        )

    def _name(self, program: int) -> str:
        each = self.run.programs[program]
        return f"{each.kind} {each.name}".strip()

    def _host_work(self, start: float, end: float) -> str:
        host = self.run.host
        overlap = np.minimum(host.end, end) - np.maximum(host.start, start)
        sums = {
            str(name): float(np.maximum(overlap[host.name == name], 0).sum())
            for name in np.unique(host.name)
        }
        name = max(sums, key=lambda each: sums[each], default="")
        return name if name and sums[name] > (end - start) / 2 else ""


def _longest(unit: str, names: Sequence[str] | np.ndarray, seconds: np.ndarray) -> list[Operation]:
    found, inverse = np.unique(np.asarray(names, np.str_), return_inverse=True)
    totals = np.bincount(inverse, seconds, len(found)) if len(found) else np.zeros(0)
    counts = np.bincount(inverse, minlength=len(found)) if len(found) else np.zeros(0, int)
    whole = float(totals.sum()) or 1.0
    order = np.argsort(-totals, kind="stable")[:LONGEST]
    return [
        Operation(
            unit,
            str(found[at]),
            int(counts[at]),
            float(totals[at] / counts[at]),
            float(totals[at]) / whole,
        )
        for at in order.tolist()
    ]


def report_of(run: Run) -> Report:
    """Return what a report shows of a run."""
    return Report(facts_of(run))
