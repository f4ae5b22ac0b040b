"""What the programs of a recorded step take on the chip, as arrays that spans are made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.cost import Costs, Numbers, of_work, work_of
from sdykit.sparsecore.cost.numbers import Case
from sdykit.sparsecore.counts import Statistics, count
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.run import Run
from sdykit.sparsecore.timeline.cut import Cut

Floats = npt.NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class Part:
    """A step of a program on all SparseCores, in one minibatch.

    Attributes:
        program: the number of the program in the costs.
        minibatch: the number of the minibatch.
        step: the number of the step in the costs.
        start: when it begins, seconds since the first lookup, or the first update, of the step.
        seconds: those of the slowest SparseCore.
    """

    program: int
    minibatch: int
    step: int
    start: float
    seconds: float


@dataclass(frozen=True, eq=False)
class StepCosts:
    """What the programs of a training step take.

    Attributes:
        step: the number of the training step.
        costs: the costs of its programs, each of which is a table of its own there.
        names: the name of the stack or table of each of them.
        figures: the figures of the batch, of each program and device.
    """

    step: int
    costs: Costs
    names: tuple[str, ...]
    figures: tuple[tuple[Statistics, ...], ...]

    def seconds_of(self, kind: str) -> float:
        """Return the seconds of all lookups, or of all updates."""
        return self.costs.of(kind).seconds

    @cached_property
    def cores(self) -> dict[Case, Floats]:
        """Seconds of SparseCores in each case, `[programs, minibatches, SparseCores, steps]`."""
        return self.costs.by("table", "minibatch", "core", "step")

    @cached_property
    def tiles(self) -> Floats:
        """Expected seconds of tiles, `[programs, minibatches, SparseCores, tiles, steps]`."""
        return self.costs.by("table", "minibatch", "core", "tile", "step")["expected"]

    @cached_property
    def bottlenecks(self) -> npt.NDArray[np.str_]:
        """What takes most of each part, `[programs, minibatches, steps]`."""
        return self.costs.bottlenecks("table", "minibatch", "step")

    @property
    def minibatches(self) -> int:
        """The number of minibatches."""
        return self.bottlenecks.shape[1]

    def parts(self, kind: str) -> list[Part]:
        """Return the parts of the lookups, or of the updates, in their order."""
        slowest = self.costs.by("table", "minibatch", "step")["expected"]
        own = [at for at, name in enumerate(self.costs.steps) if name.startswith(f"{kind} ")]
        own = [*own[-1:], *own[:-1]]  # The last is the call, which begins the program.
        found, now = [], 0.0
        for program, minibatch in np.ndindex(slowest.shape[:2]):
            for step in own:
                seconds = float(slowest[program, minibatch, step])
                if seconds:
                    found.append(Part(program, minibatch, step, now, seconds))
                    now += seconds
        return found

    def ids_of(self, program: int, device: int, core: int) -> dict[str, int]:
        """Return how many ids a SparseCore gets for its partition.

        Args:
            program: the number of the program in the costs.
            device: the number of the device.
            core: the number of the SparseCore on it.
        """
        found = self.figures[program][device]
        at = min(core, found.ids.shape[2] - 1)  # Raw ids have one partition for each device.
        ids, unique = found.ids[..., at], found.unique_ids[..., at]
        # A SparseCore and a minibatch send it the most.
        return {"ids": int(ids.sum()), "unique ids": int(unique.sum()), "most ids": int(ids.max())}


def step_costs(run: Run, cut: Cut, numbers: Numbers | None = None) -> Iterator[StepCosts]:
    """Yield what the sampled steps of a cut take.

    Args:
        run: the run.
        cut: the part of it.
        numbers: the numbers of the cost model; None: those of the run's chip.

    Raises:
        SparseCoreError: no step of the cut was sampled, or its programs cannot be estimated.
    """
    steps = cut.steps(run.sampled_steps)
    if not steps:
        expected = ", ".join(map(str, run.sampled_steps)) or "none: no step was sampled"
        raise SparseCoreError(
            f"run '{run.path}': none of the steps of the timeline was sampled, and what a step takes "
            f"on a chip is known of those only; expected some of {expected}"
        )
    for step in steps:
        yield _costs_of(run, step, numbers)


def _costs_of(run: Run, step: int, numbers: Numbers | None) -> StepCosts:
    figures = run.figures(step)
    programs = _in_order(run, step, {program for program, _ in figures})
    found = tuple(
        tuple(figures[key] for key in sorted(figures) if key[0] == program) for program in programs
    )
    works = []
    for program, devices in zip(programs, found, strict=True):
        spec = run.programs[program].tile
        counters = [count(spec, each, device=device) for device, each in enumerate(devices)]
        # Programs of one table stay apart.
        works.append(replace(work_of(counters), labels=(str(program),)))
    names = tuple(run.programs[each].name for each in programs)
    return StepCosts(step, of_work(works, numbers), names, found)


def _in_order(run: Run, step: int, programs: set[int]) -> list[int]:
    """Return programs in the order in which they first ran in a step, lookups before updates."""
    ran = run.calls.program[run.calls.step == step].tolist()

    def order(program: int) -> tuple[bool, int, int]:
        is_update = run.programs[program].kind == "update"
        return (is_update, ran.index(program) if program in ran else len(ran), program)

    return sorted(programs, key=order)
