"""What a step takes on a chip: seconds, with error bars.

    numbers = numbers_of("v5p")
    costs = of_tables([[counters], ...], numbers)   # of each table's lookup and update
    print(costs)                                    # steps, their times, what bounds them
    print(training_step(costs, tensor_core=4e-3))

Times are computed from the counters of programs in the chip reading, which run or are counted without
a run, and from the chip's numbers. A step takes as long as its slowest SparseCore, all tiles of a chip
share its HBM, and each number has a range, from which the error bars come. `model` has the formulas,
`numbers` the numbers with their sources, `calibration` what is published, beside what the model says.

Read `model` first. `work` is what times are computed from, `counted` makes it of counters, `estimates`
has the results, and `training` a step with its TensorCore and host.
"""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.sparsecore.cost.computed import works_of_figures
from sdykit.sparsecore.cost.counted import work_of
from sdykit.sparsecore.cost.estimates import Costs, Estimate, ProgramCosts
from sdykit.sparsecore.cost.figures import (
    Figures,
    LookupFigures,
    Pairs,
    UpdateFigures,
    figures_of,
    lookup_figures,
    update_figures,
)
from sdykit.sparsecore.cost.number import Number
from sdykit.sparsecore.cost.numbers import Numbers, numbers_of
from sdykit.sparsecore.cost.sampled import works_of_statistics
from sdykit.sparsecore.cost.sent import sent_bytes
from sdykit.sparsecore.cost.training import TrainingStep, training_step
from sdykit.sparsecore.cost.work import STEPS, Work, check_system, joined
from sdykit.sparsecore.counts import Statistics
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.tile.counters import Counters
from sdykit.sparsecore.tile.spec import TileSpec

__all__ = [
    "Costs",
    "Estimate",
    "Figures",
    "LookupFigures",
    "Number",
    "Numbers",
    "Pairs",
    "TrainingStep",
    "UpdateFigures",
    "Work",
    "figures_of",
    "lookup_figures",
    "numbers_of",
    "of_figures",
    "of_statistics",
    "of_tables",
    "of_work",
    "sent_bytes",
    "training_step",
    "update_figures",
    "work_of",
]


def of_tables(programs: Sequence[Sequence[Counters]], numbers: Numbers | None = None) -> Costs:
    """Return what the lookups and updates of tables take, one after another.

    Args:
        programs: for each program its counters in the chip reading, of each device, in order; as
            `sdykit.sparsecore.counts.count` and `sdykit.sparsecore.counters` return them.
        numbers: the numbers of the model; None: those of the programs' chip.

    Raises:
        SparseCoreError: there are no programs, they are of several systems, or their counters are of
            another reading, of raw ids, or not of all devices.
    """
    return of_work([work_of(each) for each in programs], numbers)


def of_statistics(
    specs: Sequence[TileSpec],
    statistics: Sequence[Sequence[Statistics]],
    numbers: Numbers | None = None,
) -> Costs:
    """Return what the lookups and updates of a step take, one after another, without counters.

    Args:
        specs: the specs of all programs of the step, lookups and updates.
        statistics: for each of them the figures of its batch on each device, in order, as
            `sdykit.sparsecore.counts.statistics_of` returns them.
        numbers: the numbers of the model; None: those of the programs' chip.

    Returns:
        The same as `of_tables` of the programs' counters. Whether the programs fit the memory of the
        chip is not asked.

    Raises:
        SparseCoreError: there are not as many statistics as specs; and all that `figures_of` and
            `of_figures` raise.
    """
    _check_length("statistics", specs, statistics)
    check_system([spec.hardware for spec in specs], [spec.all_cores for spec in specs])
    return of_work(works_of_statistics(specs, statistics), numbers)


def of_figures(
    specs: Sequence[TileSpec], figures: Sequence[Figures], numbers: Numbers | None = None
) -> Costs:
    """Return what the lookups and updates of a step take, from figures added up for each SparseCore.

    They are of the size of the system, and not of its square: so costs are known for 16,384 SparseCores.

    Args:
        specs: the specs of all programs of the step, lookups and updates. Whether they fit the memory of
            the chip is not asked.
        figures: those of the batch of each, as `figures_of`, `lookup_figures` and `update_figures`
            return them; these say what is exact.
        numbers: the numbers of the model; None: those of the programs' chip.

    Raises:
        SparseCoreError: there are not as many figures as specs, figures are not those of the program, or
            programs are of several systems.
    """
    _check_length("figures", specs, figures)
    return of_work(works_of_figures(specs, figures), numbers)


def _check_length(name: str, specs: Sequence[TileSpec], given: Sequence[object]) -> None:
    if len(given) != len(specs):
        raise SparseCoreError(
            f"cost: there are the {name} of {len(given)} programs, and {len(specs)} specs; expected "
            "those of each"
        )


def of_work(works: Sequence[Work], numbers: Numbers | None = None) -> Costs:
    """Return what programs take whose work is known; see `of_tables`."""
    check_system([each.chip for each in works], [each.sparse_cores for each in works])
    numbers = numbers_of(works[0].chip) if numbers is None else numbers
    kinds = [[each for each in works if each.kind == kind] for kind in STEPS]
    return Costs(tuple(ProgramCosts(joined(each), numbers) for each in kinds if each))
