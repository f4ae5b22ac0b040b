"""The spans of SparseCores, their sequencers and tiles, while they look up or update tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.cost.estimates import CALL
from sdykit.sparsecore.cost.numbers import Case
from sdykit.sparsecore.cost.work import SEQUENCER as OF_SEQUENCER
from sdykit.sparsecore.run import Run
from sdykit.sparsecore.timeline.costs import Part, StepCosts
from sdykit.sparsecore.timeline.cut import Cut
from sdykit.sparsecore.timeline.spans import SEQUENCER, TILE, Place, Span, Value

Numbers = npt.NDArray[np.int64]

_MICROSECONDS: Final = 1e6
_BOUNDS: Final[dict[Case, str]] = {"fastest": "at least (us)", "slowest": "at most (us)"}


@dataclass(frozen=True, eq=False)
class Units:
    """The SparseCores that a timeline shows.

    Attributes:
        per_device: the number of SparseCores of a device.
        cores: the numbers in the system of those that are shown, ascending.
        tiles: the numbers of the tiles that are shown of each.
    """

    per_device: int
    cores: Numbers
    tiles: Numbers

    @staticmethod
    def of(run: Run, cut: Cut) -> Units:
        """Return those of a run that a cut has.

        Raises:
            SparseCoreError: the run has no steps, or not what the cut names.
        """
        chip = cut.check(run)
        each = chip.sparse_cores_per_device
        cores = [at for at in range(run.devices * each) if cut.has_core(*divmod(at, each))]
        tiles = [at for at in range(chip.tiles_per_sparse_core) if cut.has_tile(at)]
        return Units(each, np.array(cores, np.int64), np.array(tiles, np.int64))

    @property
    def devices(self) -> tuple[int, ...]:
        """The numbers of the devices whose SparseCores are shown."""
        return tuple(map(int, np.unique(self.cores // self.per_device)))

    def place(self, core: int, unit: str = "") -> Place:
        """Return the place of a SparseCore by its number in the system, or of a unit of it."""
        return Place(*divmod(core, self.per_device), unit)

    def count(self, costs: StepCosts) -> int:
        """Return the number of spans of a step on SparseCores."""
        parts = np.count_nonzero(costs.cores["expected"][:, :, self.cores])
        tiles = np.count_nonzero(costs.tiles[:, :, self.cores][:, :, :, self.tiles])
        return len(costs.names) * len(self.cores) + int(parts + tiles)

    def spans(self, costs: StepCosts, kind: str, start: float) -> Iterator[Span]:
        """Yield the spans of all lookups, or of all updates, of a step.

        Args:
            costs: what the step takes.
            kind: `lookup` or `update`.
            start: when they begin.
        """
        for _, group in groupby(costs.parts(kind), key=lambda part: part.program):
            parts = list(group)
            for core in self.cores.tolist():
                yield self._program(costs, kind, core, parts, start)
                for part in parts:
                    yield from self._part(costs, core, part, start)

    def _program(
        self, costs: StepCosts, kind: str, core: int, parts: list[Part], start: float
    ) -> Span:
        program = parts[0].program
        end = parts[-1].start + parts[-1].seconds
        arguments: dict[str, Value] = {"step": costs.step, "what": kind}
        arguments |= costs.ids_of(program, *divmod(core, self.per_device))
        return Span(
            str(self.place(core)),
            f"{kind} {costs.names[program]}".rstrip(),
            start + parts[0].start,
            end - parts[0].start,
            arguments,
            "program",
        )

    def _part(self, costs: StepCosts, core: int, part: Part, start: float) -> Iterator[Span]:
        at = (part.program, part.minibatch, core, part.step)
        seconds = float(costs.cores["expected"][at])
        if not seconds:
            return
        name = costs.costs.steps[part.step]
        begin = start + part.start
        arguments: dict[str, Value] = {
            "step": costs.step,
            "bottleneck": str(costs.bottlenecks[part.program, part.minibatch, part.step]),
            **{
                text: round(_MICROSECONDS * float(costs.cores[case][at]), 3)
                for case, text in _BOUNDS.items()
            },
        }
        short: dict[str, Value] = {"minibatch": part.minibatch} if costs.minibatches > 1 else {}
        yield Span(str(self.place(core)), name, begin, seconds, arguments | short)
        if name.partition(" ")[2] in (OF_SEQUENCER, CALL):
            yield Span(str(self.place(core, SEQUENCER)), name, begin, seconds, short)
            return
        busy_seconds = costs.tiles[part.program, part.minibatch, core, :, part.step].tolist()
        for tile in self.tiles.tolist():
            if busy := busy_seconds[tile]:
                yield Span(str(self.place(core, f"{TILE} {tile}")), name, begin, busy, short)
