"""The counters of a program, computed from the figures of a batch."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np

from sdykit.core import FUNC
from sdykit.core.sparsecore.names import COLUMNS, TOTAL
from sdykit.core.sparsecore.views import parts_of
from sdykit.mlir import ir, make_context
from sdykit.passes.sparsecore.count.amounts import COPY
from sdykit.passes.sparsecore.count.places import Place, nests_of, places_in
from sdykit.sparsecore.chip import Chip
from sdykit.sparsecore.counts.statistics import Figures, Statistics
from sdykit.sparsecore.counts.values import AXES, Values, counter_of
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.tile.build import build_module
from sdykit.sparsecore.tile.compile import lay_out
from sdykit.sparsecore.tile.counters import CountedLoops, Counters
from sdykit.sparsecore.tile.spec import TileSpec

_ONE: Figures = np.ones((1,) * len(AXES), np.int64)


def count(spec: TileSpec, statistics: Statistics, *, device: int = 0) -> Counters:
    """Return what the chip reading of a program counts for a batch, without running it.

    Args:
        spec: the spec of a lookup or an update.
        statistics: the figures of the batch.
        device: the number of the device, for the result.

    Returns:
        The counters of one run, equal to those that the program counts when it runs.

    Raises:
        SparseCoreError: the figures are not those of a batch that the program accepts, there is no such
            chip, its memory is too small, the batch has no figure that the program asks for, or the
            program has a loop whose iterations do not follow from the figures.
    """
    statistics.check(spec)
    chip = dataclasses.replace(spec, reading="chip", counters=False, label="")
    program = _program_of(chip, chip.hardware)
    loops = _counted(program.places, program.names, Values(statistics))
    return Counters(spec, device, 1, program.names, loops)


@dataclass(frozen=True, eq=False)
class _Program:
    """A chip's program, and what is counted in it.

    Attributes:
        module: the program, which the places are in.
        places: where it counts.
        names: the names of the counters.
    """

    module: ir.Module
    places: Sequence[Place]
    names: tuple[str, ...]


@lru_cache(maxsize=256)
def _program_of(spec: TileSpec, _hardware: Chip) -> _Program:
    """Return the program of a spec. A chip may be described by a file, which may change."""
    module = build_module(make_context(), spec)
    lay_out(module, "chip")
    places = places_in(module.body.operations[0].operation)
    names = tuple(sorted({name for place in places for name in place.amount}))
    return _Program(module, places, names)


def _counted(
    places: Sequence[Place], names: Sequence[str], values: Values
) -> tuple[CountedLoops, ...]:
    found = {
        key: np.zeros((*(axis.size for axis in nest), len(names)), np.int64)
        for key, nest in nests_of(places).items()
    }
    for place in places:
        for axis in place.nest:
            values.count_axis(axis.number, axis.name, axis.size)
    for place in places:
        times = _times(place, values)
        kept = tuple(AXES.index(axis.name) for axis in place.nest)
        others = tuple(at for at in range(len(AXES)) if at not in kept)
        times = np.transpose(times, (*others, *kept)).squeeze(tuple(range(len(others))))
        for name, amount in place.amount.items():
            found[place.key][..., names.index(name)] += amount * times
    return tuple(
        CountedLoops(tuple(axis.name for axis in nest), found[key])
        for key, nest in nests_of(places).items()
    )


def _times(place: Place, values: Values) -> Figures:
    """Return how often an amount is added, for each iteration of the counted loops around."""
    is_total = False
    times = _elements(place.op, values) if place.op.name == COPY else _ONE
    inner, outer = place.op, _parent_of(place.op)
    while outer.name != FUNC:
        if outer.name in ("scf.for", "scf.parallel") and counter_of(outer) in values.counters:
            times = times * _is_reached(outer, values)
        elif not is_total and TOTAL in outer.attributes:
            times = times * _total(outer, inner, values)
            is_total = True
        elif outer.name == "scf.for" and (not is_total or COLUMNS in outer.attributes):
            times = _over_iterations(outer, times, values)
        elif outer.name == "scf.if" and not is_total:
            times = times * _is_taken(outer, inner, values)
        elif not is_total:
            raise SparseCoreError(
                f"counts: ops in '{outer.name}' run as often as data in memory decide; expected a loop "
                f"with bounds, or the attribute '{TOTAL}'"
            )
        inner, outer = outer, _parent_of(outer)
    return times


def _total(op: ir.Operation, inner: ir.Operation, values: Values) -> Figures:
    """Return the figure that says how often a part of an op runs, over all loops around it.

    Args:
        op: a loop or an `scf.if` with the attribute `TOTAL`.
        inner: the op in its regions that is looked at.
        values: the values of numbers in the program.
    """
    if inner.block != op.regions[0].blocks[0] and op.name == "scf.if":
        raise _not_known(op, "its second branch")
    if op.name == "scf.while":
        before, after = (region.blocks[0] for region in op.regions)
        if inner.block == before and len(list(after)) > 1:
            raise _not_known(op, "its condition")
    return values.statistics.of(ir.StringAttr(op.attributes[TOTAL]).value)


def _not_known(op: ir.Operation, part: str) -> SparseCoreError:
    return SparseCoreError(
        f"counts: '{TOTAL}' of '{op.name}' does not say how often {part} runs; expected ops that count "
        "nothing there, or an op around them that has the attribute, too"
    )


def _over_iterations(loop: ir.Operation, times: Figures, values: Values) -> Figures:
    """Return how often an op in a loop runs in all iterations, from how often in each of them."""
    if times.ndim < values.rank_in(loop):
        return times * values.trips(loop)
    is_one = values.of(counter_of(loop)) < values.of(loop.operands[1])
    return (times * is_one).sum(axis=0)


def _parent_of(op: ir.Operation) -> ir.Operation:
    parent = op.parent
    assert parent is not None  # It is in a function.
    return parent.operation


def _elements(copy: ir.Operation, values: Values) -> Figures:
    """Return the number of elements that a copy copies."""
    source = copy.operands[0]
    type_, owner = ir.MemRefType(source.type), source.owner
    if type_.has_static_shape:
        return _ONE * prod(type_.shape)
    assert not isinstance(owner, ir.Block)
    _, sizes, _ = parts_of(owner.operation)
    times = _ONE
    for size in sizes:
        times = times * (size if isinstance(size, int) else values.of(size))
    return times


def _is_taken(choice: ir.Operation, inner: ir.Operation, values: Values) -> Figures:
    """Return 1 where the branch of an `scf.if` that an op is in is taken, else 0."""
    is_then = values.of(choice.operands[0])
    return is_then if inner.block == choice.regions[0].blocks[0] else 1 - is_then


def _is_reached(loop: ir.Operation, values: Values) -> Figures:
    """Return 1 for the iterations of a counted loop that there are, else 0."""
    rank = len(loop.operands) // 3 if loop.name == "scf.parallel" else 1
    numbers = list(loop.regions[0].blocks[0].arguments)[:rank]
    ends = list(loop.operands)[rank : 2 * rank]
    found = _ONE
    for number, end in zip(numbers, ends, strict=True):
        found = found * (values.of(number) < values.of(end))
    return found
