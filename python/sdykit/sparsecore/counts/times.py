"""How often a place of a program counts, for all runs, SparseCores, minibatches, partitions and tiles."""

from __future__ import annotations

from math import prod

import numpy as np

from sdykit.core import FUNC
from sdykit.core.sparsecore.names import COLUMNS, TOTAL
from sdykit.core.sparsecore.views import parts_of
from sdykit.mlir import ir
from sdykit.passes.sparsecore.count.amounts import COPY
from sdykit.passes.sparsecore.count.places import Place
from sdykit.sparsecore.counts.several import AXES
from sdykit.sparsecore.counts.statistics import Figures
from sdykit.sparsecore.counts.values import Values, counter_of
from sdykit.sparsecore.errors import SparseCoreError

_ONE: Figures = np.ones((1,) * len(AXES), np.int64)


def times_of(place: Place, values: Values) -> Figures:
    """Return how often an amount is added, for each iteration of the counted loops around.

    Iterations that there are not are included, see `reached`.
    """
    is_total = False
    times = _elements(place.op, values) if place.op.name == COPY else _ONE
    inner, outer = place.op, _parent_of(place.op)
    while outer.name != FUNC:
        if _is_counted(outer, values):
            pass
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


def reached(place: Place, values: Values) -> Figures:
    """Return 1 for the iterations of the counted loops around that there are, else 0."""
    found, outer = _ONE, _parent_of(place.op)
    while outer.name != FUNC:
        if _is_counted(outer, values):
            is_reached = _is_reached(outer, values)
            found = found if is_reached.all() else found * is_reached
        outer = _parent_of(outer)
    return found


def _is_counted(op: ir.Operation, values: Values) -> bool:
    return op.name in ("scf.for", "scf.parallel") and counter_of(op) in values.counters


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
    return values.figures.of(ir.StringAttr(op.attributes[TOTAL]).value)


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
