"""What one choice gives: its figures, limits, times and memory."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sdykit.sparsecore.cost import Costs, Estimate, of_figures, training_step
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.limits import read_limits
from sdykit.sparsecore.limits.figures import with_headroom
from sdykit.sparsecore.stacking import Stack, stack
from sdykit.sparsecore.whatif.batch import (
    StackBatch,
    WithinLimits,
    estimated,
    recounted,
    within,
)
from sdykit.sparsecore.whatif.choice import Choice
from sdykit.sparsecore.whatif.model import Model
from sdykit.sparsecore.whatif.programs import figures_of_program, memory_of, specs_for
from sdykit.sparsecore.whatif.results import Result, StackResult, Times


@dataclass
class Evaluator:
    """Evaluates choices of a model; sorted ids are kept while they are of use for the next choice.

    Attributes:
        model: the model.
    """

    model: Model
    _key: object = None
    _batches: list[StackBatch] = field(default_factory=list)

    def __call__(self, choice: Choice) -> Result:
        """Return what a choice gives; an error of the choice is the problem of the result."""
        try:
            return self._evaluated(choice)
        except SparseCoreError as error:
            return Result(choice, problem=str(error))

    def _evaluated(self, choice: Choice) -> Result:
        stacks = _stacks(self.model, choice)
        batches = self._batches_of(choice, stacks)
        limited = _limited(choice, stacks, batches)
        tiles = choice.hardware.tiles_per_sparse_core
        limits = [each.partition_limits for each in limited]
        found = within(batches, limits, tiles, has_minibatches=choice.has_minibatches)
        limited = [
            dataclasses.replace(each, buffer_size_per_device=_buffer(of))
            for each, of in zip(limited, found, strict=True)
        ]
        specs = [specs_for(each, choice) for each in limited]
        costs = of_figures(
            [spec for pair in specs for spec in pair],
            [
                figures_of_program(spec, of)
                for pair, of in zip(specs, found, strict=True)
                for spec in pair
            ],
        )
        memory, problem = memory_of(choice, limited, [spec for pair in specs for spec in pair])
        return Result(
            choice,
            problem=problem,
            notes=(*self.model.notes, *_notes(limited)),
            is_estimated=self.model.pool.is_drawn or any(each.is_estimated for each in batches),
            times=self._times(choice, costs, batches),
            memory=memory,
            ici_bytes=_ici_bytes(costs),
            minibatches=max(each.minibatches for each in found),
            stacks=tuple(_stack_result(each, of) for each, of in zip(limited, found, strict=True)),
        )

    def _batches_of(self, choice: Choice, stacks: Sequence[Stack]) -> list[StackBatch]:
        """Return the figures of the batch, without limits; they do not depend on widths."""
        pool, share = self.model.pool, choice.batch / self.model.batch
        key = (choice.system, choice.batch, [_placement(each) for each in stacks])
        if key != self._key:
            self._key, self._batches = None, []
            is_counted = share <= pool.steps and not pool.is_drawn
            count = recounted if is_counted else estimated
            self._batches = [count(each, choice.system, pool, share) for each in stacks]
            self._key = key
        return self._batches

    def _times(self, choice: Choice, costs: Costs, batches: Sequence[StackBatch]) -> Times:
        of_device = choice.batch / choice.devices
        spread = _spread(batches)
        step = training_step(
            costs,
            tensor_core=self.model.tensor_core.of(of_device),
            host=self.model.host.of(of_device),
            pipelined=choice.pipelined,
        )
        lookup, update = (_widened(costs.of(kind), spread) for kind in ("lookup", "update"))
        # What is estimated are the ids: they widen the bar of what SparseCores do.
        both = lookup + update
        total = both | step.tensor_core if choice.pipelined else both + step.tensor_core
        total = total | step.host
        return Times(lookup, update, step.tensor_core, step.host, total, step.bottleneck)


def _stacks(model: Model, choice: Choice) -> tuple[Stack, ...]:
    """Return the stacks of a model on the system of a choice."""
    share = choice.batch / model.batch
    features = [choice.of_feature(each, share) for each in model.pool.features]
    alignment = choice.hardware.row_alignment
    return stack(features, choice.system, not choice.stacking, choice.rotation, alignment)


def _placement(stack: Stack) -> tuple[Any, ...]:
    """Return what decides where the ids of a stack go."""
    tables = [(each.spec.name, each.col_offset, each.col_shift) for each in stack.tables]
    return tuple(tables), tuple((each.spec.name, each.row_offset) for each in stack.features)


def _limited(choice: Choice, stacks: Sequence[Stack], batches: Sequence[StackBatch]) -> list[Stack]:
    """Return the stacks with the limits of a choice."""
    if isinstance(choice.limits, str):
        return list(read_limits(choice.limits).applied(stacks, choice.system))
    factor, found = choice.limits, []
    for each, batch in zip(stacks, batches, strict=True):
        ids, unique_ids = (
            max(
                1, with_headroom(int(need.high), factor) if factor >= 1 else int(need.high * factor)
            )
            for need in (batch.needs.ids, batch.needs.unique_ids)
        )
        found.append(
            dataclasses.replace(
                each,
                max_ids_per_partition=ids,
                max_unique_ids_per_partition=unique_ids,
                max_ids_of_partitions=None,
                max_unique_ids_of_partitions=None,
            )
        )
    return found


def _buffer(found: WithinLimits) -> int:
    """Return the entries that the fullest device's buffers need, with a fifth more."""
    batch, cells = found.batch, found.cells
    cores = batch.system.sparse_cores_per_device
    padded = -(-cells.ids // 8) * 8
    of_core = np.bincount(cells.source, padded, 1).max(initial=0)
    scale = batch.needs.ids.spread[1]
    return max(8, int(np.ceil(1.2 * scale * of_core * cores)))


def _notes(stacks: Sequence[Stack]) -> list[str]:
    tables = [each.spec for stack in stacks for each in stack.tables]
    notes = []
    frozen = [each.name for each in tables if each.dtype != "float32"]
    if frozen:
        notes.append(
            f"{len(frozen)} table{'s' * (len(frozen) > 1)} not of float32: only looked up, not updated."
        )
    return notes


def _spread(batches: Sequence[StackBatch]) -> tuple[float, float]:
    """Return the ends of the range of a batch's ids, divided by what is expected."""
    spreads = [
        each.spread
        for batch in batches
        for each in (batch.needs.ids, batch.needs.unique_ids, batch.distinct)
    ]
    return min(low for low, _ in spreads), max(high for _, high in spreads)


def _widened(time: Estimate, spread: tuple[float, float]) -> Estimate:
    low, high = spread
    return Estimate(time.seconds, time.low * low, time.high * high)


def _ici_bytes(costs: Costs) -> float:
    """Return the bytes that the busiest chip sends to others, or receives, in a step."""
    of_chips = [each.work.ici_bytes.sum(axis=(0, 2)) for each in costs.programs]
    return float(sum(of_chips).max(initial=0)) if of_chips else 0.0  # pyright: ignore


def _stack_result(stack: Stack, found: WithinLimits) -> StackResult:
    batch = found.batch
    return StackResult(
        name=stack.name,
        tables=len(stack.tables),
        ids=batch.needs.ids,
        unique_ids=batch.needs.unique_ids,
        max_ids_per_partition=stack.max_ids_per_partition,
        max_unique_ids_per_partition=stack.max_unique_ids_per_partition,
        distinct=batch.distinct,
        skew=batch.needs.skew,
        dropped=found.dropped,
    )
