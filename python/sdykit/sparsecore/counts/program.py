"""The counters of a program, computed from the figures of a batch."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from math import prod

import numpy as np

from sdykit.core import FUNC
from sdykit.core.sparsecore.names import TOTAL
from sdykit.mlir import ir
from sdykit.passes.sparsecore._instrument.numbers import parts_of
from sdykit.passes.sparsecore.count.amounts import COPY
from sdykit.passes.sparsecore.count.places import Place, nests_of, places_in
from sdykit.sparsecore.counts.statistics import Figures, Statistics
from sdykit.sparsecore.counts.values import AXES, Values
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.tile.build import build_module
from sdykit.sparsecore.tile.builder.contexts import tile_context
from sdykit.sparsecore.tile.compile import lay_out
from sdykit.sparsecore.tile.counters import CountedLoops, Counters
from sdykit.sparsecore.tile.spec import LookupSpec


def count(spec: LookupSpec, statistics: Statistics, *, device: int = 0) -> Counters:
    """Return what the chip reading of a program counts for a batch, without running it.

    Args:
        spec: the spec of a lookup of buffers.
        statistics: the figures of the batch.
        device: the number of the device, for the result.

    Returns:
        The counters of one run, equal to those that the program counts when it runs.

    Raises:
        SparseCoreError: there is no such chip, its memory is too small, the layout is ids, or the
            program has a loop whose iterations do not follow from the figures.
    """
    if spec.layout == "ids":
        raise SparseCoreError(
            "counts: the layout is ids, whose entries are of no partition; expected sdykit or "
            "jax_tpu_embedding"
        )
    chip = dataclasses.replace(spec, reading="chip", counters=False)
    with tile_context() as context:
        module = build_module(context, chip)
        lay_out(module, "chip")
        entry = module.body.operations[0].operation
        places = places_in(entry)
        names = tuple(sorted({name for place in places for name in place.amount}))
        loops = _counted(places, names, Values(statistics))
    return Counters(spec, device, 1, names, loops)


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
        assert all(times.shape[at] == 1 for at in others)
        times = np.broadcast_to(times.squeeze(others), found[place.key].shape[:-1])
        for name, amount in place.amount.items():
            found[place.key][..., names.index(name)] += amount * times
    return tuple(
        CountedLoops(tuple(axis.name for axis in nest), found[key])
        for key, nest in nests_of(places).items()
    )


def _times(place: Place, values: Values) -> Figures:
    """Return how often an amount is added, for each iteration of the counted loops around."""
    counters = [axis.number for axis in place.nest]
    times, is_total = np.ones((1,) * len(AXES), np.int64), False
    if place.op.name == COPY:
        times = _elements(place.op, values)
    inner, outer = place.op, _parent_of(place.op)
    while outer.name != FUNC:
        if outer.name == "scf.if":
            times = times * _is_taken(outer, inner, values)
        elif outer.name not in ("scf.for", "scf.parallel"):
            raise SparseCoreError(
                f"counts: ops in '{outer.name}' run as often as data in memory decide; expected a loop "
                "with bounds"
            )
        elif outer.regions[0].blocks[0].arguments[0] in counters:
            times = times * _is_reached(outer, values)
        elif TOTAL in outer.attributes:
            times = times * values.statistics.of(ir.StringAttr(outer.attributes[TOTAL]).value)
            is_total = True
        elif not (is_total and not _has_constant_bounds(outer)):
            times = times * _trips(outer, values)
        inner, outer = outer, _parent_of(outer)
    return times


def _parent_of(op: ir.Operation) -> ir.Operation:
    parent = op.parent
    assert parent is not None  # It is in a function.
    return parent.operation


def _elements(copy: ir.Operation, values: Values) -> Figures:
    """Return the number of elements that a copy copies."""
    source = copy.operands[0]
    type_, owner = ir.MemRefType(source.type), source.owner
    if type_.has_static_shape:
        return np.full((1,) * len(AXES), prod(type_.shape))
    assert not isinstance(owner, ir.Block)
    _, sizes, _ = parts_of(owner.operation)
    times = np.ones((1,) * len(AXES), np.int64)
    for size in sizes:
        times = times * (size if isinstance(size, int) else values.of(size))
    return times


def _is_taken(choice: ir.Operation, inner: ir.Operation, values: Values) -> Figures:
    """Return 1 where the branch of an `scf.if` that an op is in is taken, else 0."""
    is_then = values.of(choice.operands[0])
    return is_then if inner.block == choice.regions[0].blocks[0] else 1 - is_then


def _is_reached(loop: ir.Operation, values: Values) -> Figures:
    """Return 1 for the iterations of a counted loop that there are, else 0."""
    if _has_constant_bounds(loop):
        return np.ones((1,) * len(AXES), np.int64)
    number = values.of(loop.regions[0].blocks[0].arguments[0])
    return (number < values.of(loop.operands[1])).astype(np.int64)


def _has_constant_bounds(loop: ir.Operation) -> bool:
    rank = len(loop.operands) // 3 if loop.name == "scf.parallel" else 1
    return all(
        not isinstance(value.owner, ir.Block) and value.owner.operation.name == "arith.constant"
        for value in list(loop.operands)[: 3 * rank]
    )


def _trips(loop: ir.Operation, values: Values) -> Figures:
    """Return the number of iterations of an `scf.for`."""
    lower, upper, step = (values.of(value) for value in list(loop.operands)[:3])
    return np.maximum(-(-(upper - lower) // step), 0)
