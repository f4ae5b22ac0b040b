"""What a program or a step takes, with error bars and bottlenecks."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, get_args

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.cost.model import (
    BOTTLENECKS,
    Constants,
    core_seconds,
    parts_at,
    step_seconds,
    tile_seconds,
)
from sdykit.sparsecore.cost.numbers import CASES, Case, Numbers
from sdykit.sparsecore.cost.work import Floats, Work
from sdykit.sparsecore.errors import SparseCoreError

CALL: Final = "call"
"""The name of what a program and its minibatches take besides their steps."""
Axis = Literal["table", "minibatch", "core", "tile", "step"]
AXES: Final[tuple[Axis, ...]] = get_args(Axis)


@dataclass(frozen=True)
class Estimate:
    """Seconds, with the range that follows from the ranges of all numbers.

    Attributes:
        seconds: what is expected.
        low: the least: every number is at its fastest.
        high: the most.
    """

    seconds: float
    low: float
    high: float

    def __add__(self, other: Estimate) -> Estimate:
        """Return the time of one after the other."""
        return Estimate(self.seconds + other.seconds, self.low + other.low, self.high + other.high)

    def __or__(self, other: Estimate) -> Estimate:
        """Return the time of two at once: that of the longer."""
        return Estimate(
            max(self.seconds, other.seconds), max(self.low, other.low), max(self.high, other.high)
        )

    def __str__(self) -> str:
        """Return it in a readable unit, such as `1.2 ms (0.5 to 3.4)`."""
        scale, unit = next(
            ((scale, unit) for scale, unit in _UNITS if self.seconds >= scale), _UNITS[-1]
        )
        value, low, high = (f"{each / scale:.3g}" for each in (self.seconds, self.low, self.high))
        return f"{value} {unit} ({low} to {high})"


_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))


@dataclass(frozen=True)
class ProgramCosts:
    """What programs of one kind take that run one after another.

    Attributes:
        work: their work.
        numbers: the numbers of the model.
    """

    work: Work
    numbers: Numbers

    @property
    def steps(self) -> tuple[str, ...]:
        """The names of the steps; the last is `call`."""
        return (*self.work.steps, CALL)

    @cached_property
    def by_core(self) -> Mapping[Case, Floats]:
        """Seconds of each SparseCore, `[rows, SparseCores, steps]`, in each case."""
        found = {}
        for case, constants in self.constants.items():
            seconds = core_seconds(self.work, constants)
            calls = np.broadcast_to(self._calls(constants)[:, None], (*seconds.shape[:2], 1))
            found[case] = np.concatenate([seconds, calls], axis=2)
        return found

    @cached_property
    def of_steps(self) -> Mapping[Case, Floats]:
        """Seconds of the slowest SparseCore in each step, `[rows, steps]`, in each case."""
        return {
            case: np.concatenate(
                [step_seconds(self.work, constants), self._calls(constants)], axis=1
            )
            for case, constants in self.constants.items()
        }

    def by_tile(self, case: Case) -> Floats:
        """Return the seconds that each tile works, `[rows, SparseCores, tiles, steps]`.

        Raises:
            SparseCoreError: work is known of the busiest tiles only.
        """
        if self.work.of_tiles is None:
            raise SparseCoreError(
                f"cost: {self.work.kind}s: the figures are those of the busiest tile; expected those of "
                "all tiles, for the axis tile: of_statistics or of_tables"
            )
        seconds = tile_seconds(self._of_tiles, self.constants[case])
        return np.concatenate([seconds, np.zeros_like(seconds[..., :1])], axis=-1)

    @cached_property
    def _of_tiles(self) -> Mapping[str, Floats]:
        assert self.work.of_tiles is not None
        return self.work.of_tiles()

    @property
    def constants(self) -> Mapping[Case, Constants]:
        """The numbers in each case."""
        return {case: self.numbers.at(case) for case in CASES}

    def _calls(self, constants: Constants) -> Floats:
        """Return the seconds of the step `call`, `[rows, 1]`."""
        is_first = self.work.minibatch[:, None] == 0
        return np.where(is_first, constants["call_seconds"], constants["minibatch_seconds"])

    @cached_property
    def parts(self) -> Floats:
        """The parts of each step on its slowest SparseCore, `[bottlenecks, rows, steps]`, as expected."""
        constants = self.numbers.at("expected")
        slowest = core_seconds(self.work, constants).argmax(axis=1)
        found = parts_at(self.work, constants, slowest)
        calls = np.zeros((len(BOTTLENECKS), len(slowest), 1))
        calls[0, :, 0] = self.of_steps["expected"][:, -1]
        return np.concatenate([found, calls], axis=2)


@dataclass(frozen=True)
class Costs:
    """What the lookups or updates of a step take, table after table.

    Attributes:
        programs: the costs of the programs of each kind.
    """

    programs: tuple[ProgramCosts, ...]

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables."""
        return tuple(dict.fromkeys(label for each in self.programs for label in each.work.labels))

    @property
    def steps(self) -> tuple[str, ...]:
        """The names of the steps, with that of the kind before: `lookup gather`."""
        return tuple(f"{each.work.kind} {step}" for each in self.programs for step in each.steps)

    @property
    def total(self) -> Estimate:
        """The time of all."""
        return Estimate(*(float(self.by()[case]) for case in CASES))

    def of(self, kind: str) -> Estimate:
        """Return the time of all lookups, or of all updates.

        Args:
            kind: `lookup` or `update`.
        """
        chosen = Costs(tuple(each for each in self.programs if each.work.kind == kind))
        return chosen.total

    def by(self, *axes: Axis) -> dict[Case, Floats]:
        """Return seconds along some axes, in each case, `[size of each axis]`.

        Without `core`, a step takes as long as its slowest SparseCore; with it, each has the time
        that it works itself, and does not wait for others. With `tile`, each tile has the time of its own
        DMAs and vector operations, without launches and waits for HBM and ICI.

        Args:
            axes: some of `table`, `minibatch`, `core`, `tile`, `step`, in any order.

        Raises:
            SparseCoreError: there is no such axis, or it is `tile`, and costs are of figures, which are
                those of the busiest tiles.
        """
        for axis in axes:
            if axis not in AXES:
                raise SparseCoreError(
                    f"cost: there is no axis {axis!r}; expected one of {', '.join(AXES)}"
                )
        return {
            case: self._summed([_along(each, case, axes) for each in self.programs], axes)
            for case in CASES
        }

    def bottlenecks(self, *axes: Axis) -> npt.NDArray[np.str_]:
        """Return the name of what takes most time, on the slowest SparseCore, along some axes.

        Args:
            axes: some of `table`, `minibatch`, `step`.
        """
        for axis in ("core", "tile"):
            if axis in axes:
                raise SparseCoreError(
                    f"cost: bottlenecks are those of the slowest SparseCore; there is no axis {axis}"
                )
        parts = [
            self._summed([each.parts[at][:, None, None] for each in self.programs], axes)
            for at in range(len(BOTTLENECKS))
        ]
        return np.array(BOTTLENECKS)[np.argmax(parts, axis=0)]

    def _summed(self, values: Sequence[Floats], axes: Sequence[Axis]) -> Floats:
        """Return values along some axes.

        Args:
            values: those of each kind, `[rows, SparseCores or 1, tiles or 1, steps]`.
            axes: the axes.
        """
        works = [each.work for each in self.programs]
        minibatches = 1 + max((int(each.minibatch.max(initial=0)) for each in works), default=0)
        total = np.zeros(
            (
                len(self.tables),
                minibatches if "minibatch" in axes else 1,
                *(max((each.shape[at] for each in values), default=1) for at in (1, 2)),
                len(self.steps),
            )
        )
        first, numbers = 0, {name: at for at, name in enumerate(self.tables)}
        for work, each in zip(works, values, strict=True):
            table = np.array([numbers[label] for label in work.labels])[work.program]
            minibatch = work.minibatch if "minibatch" in axes else np.zeros_like(work.minibatch)
            np.add.at(total[..., first : first + each.shape[3]], (table, minibatch), each)
            first += each.shape[3]
        kept = [axis for axis in AXES if axis in axes]
        summed = total.sum(axis=tuple(at for at, axis in enumerate(AXES) if axis not in axes))
        return np.transpose(summed, [kept.index(axis) for axis in axes])

    def to_json(self) -> str:
        """Return chip, total, and the time and the bottleneck of each table and step, as JSON."""
        fields = {
            "chip": self.programs[0].work.chip.name if self.programs else None,
            "total": dataclasses.asdict(self.total),
            "tables": self._listed("table", self.tables),
            "steps": self._listed("step", self.steps),
        }
        return json.dumps(fields, indent=2)

    def _listed(self, axis: Axis, names: Sequence[str]) -> list[dict[str, object]]:
        found, bottlenecks = estimates(self.by(axis)), self.bottlenecks(axis)
        return [
            {"name": name, **dataclasses.asdict(each), "bottleneck": str(bottleneck)}
            for name, each, bottleneck in zip(names, found, bottlenecks, strict=True)
        ]

    def __str__(self) -> str:
        """Return a table of the steps, each with its time, its share of all, and its bottleneck."""
        found, bottlenecks = estimates(self.by("step")), self.bottlenecks("step")
        whole = max(self.total.seconds, 1e-30)
        rows = [
            (name, str(each), f"{each.seconds / whole:.1%}", str(bottleneck))
            for name, each, bottleneck in zip(self.steps, found, bottlenecks, strict=True)
            if each.high
        ]
        rows.append(("all", str(self.total), "", str(self.bottlenecks())))
        head = ("step", "time", "share", "bottleneck")
        widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
            for cells in (head, *rows)
        )


def _along(costs: ProgramCosts, case: Case, axes: Sequence[Axis]) -> Floats:
    """Return seconds of programs, `[rows, SparseCores or 1, tiles or 1, steps]`."""
    if "tile" in axes:
        found = costs.by_tile(case)
        return found if "core" in axes else found.max(axis=1, keepdims=True)
    return (costs.by_core[case] if "core" in axes else costs.of_steps[case][:, None])[:, :, None]


def estimates(values: Mapping[Case, Floats]) -> list[Estimate]:
    """Return an estimate for each place of arrays of one dimension."""
    columns = (values[case].tolist() for case in CASES)
    return [Estimate(*each) for each in zip(*columns, strict=True)]
