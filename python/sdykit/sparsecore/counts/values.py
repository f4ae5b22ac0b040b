"""The values of numbers in a program, for all runs, SparseCores, minibatches, partitions and tiles at once.

The last dimensions of values are `AXES`; before them is one for each loop that is not counted apart, the
outermost loop's last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from sdykit.core.sparsecore.names import CHECK, STATISTIC
from sdykit.core.sparsecore.nesting import parents_of
from sdykit.mlir import ir
from sdykit.passes.sparsecore.count.places import Place
from sdykit.sparsecore.counts.several import AXES, MINIBATCH, RunFigures
from sdykit.sparsecore.counts.statistics import Figures
from sdykit.sparsecore.errors import SparseCoreError

_LOOPS = ("scf.for", "scf.parallel")


def _quotient(number: Figures, divisor: Figures) -> Figures:
    """Return a quotient; a divisor is 0 only in iterations that loops do not have."""
    if divisor.size != 1:
        return number // np.maximum(divisor, 1)
    only = max(int(divisor.item()), 1)
    if only == 1:
        return number
    # A shift takes a fraction of the time of a division.
    return number // only if only & (only - 1) else number >> (only.bit_length() - 1)


def _remainder(number: Figures, divisor: Figures) -> Figures:
    return number % np.maximum(divisor, 1)


_CASTS = ("arith.index_cast", "arith.index_castui")
_ARITHMETIC: dict[str, Callable[[Figures, Figures], Figures]] = {
    "arith.addi": np.add,
    "arith.subi": np.subtract,
    "arith.muli": np.multiply,
    "arith.divui": _quotient,
    "arith.remui": _remainder,
    "arith.andi": np.bitwise_and,
    "arith.ori": np.bitwise_or,
    "arith.shli": np.left_shift,
    "arith.shrui": np.right_shift,
    "arith.minsi": np.minimum,
    "arith.maxsi": np.maximum,
}
_COMPARISONS: tuple[Callable[[Figures, Figures], Figures], ...] = (
    *(np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal),
    *(np.less, np.less_equal, np.greater, np.greater_equal),
)
"""By the predicate of `arith.cmpi`; numbers are not negative, so that the unsigned ones are alike."""
_WIDTH = 64
"""The number of bits of an integer whose leading zeros are counted."""


class UnknownValueError(SparseCoreError):
    """A number depends on what is in memory, and no figure of the batch says what it is."""


@dataclass(frozen=True)
class Values:
    """The values of numbers in a program.

    Attributes:
        figures: the figures of the runs.
        known: the values so far, with an axis of size 1 where one does not vary.
        counters: the counters of the loops that are counted apart; `count_axis` adds them.
    """

    figures: RunFigures
    known: dict[ir.Value, Figures] = field(default_factory=dict)
    counters: set[ir.Value] = field(default_factory=set)

    def count_axis(self, number: ir.Value, name: str, size: int) -> None:
        """Set the counter of a loop that counts an axis."""
        shape = [1] * len(AXES)
        shape[AXES.index(name)] = size
        self.known[number] = np.arange(size).reshape(shape)
        self.counters.add(number)

    def of(self, value: ir.Value) -> Figures:
        """Return a number, as an integer array with the dimensions of `AXES` last.

        Raises:
            UnknownValueError: it depends on what is in memory, and no figure says what it is.
        """
        if value not in self.known:
            self.known[value] = self._computed(value)
        return self.known[value]

    def rank_in(self, loop: ir.Operation) -> int:
        """Return the rank of numbers that vary with the iteration of a loop not counted apart."""
        around = (each for each in parents_of(loop) if each.name in _LOOPS)
        return len(AXES) + sum(counter_of(each) not in self.counters for each in around)

    def trips(self, loop: ir.Operation) -> Figures:
        """Return the number of iterations of an `scf.for`."""
        lower, upper, step = (self.of(value) for value in list(loop.operands)[:3])
        return _quotient(np.maximum(upper - lower, 0) + (step - 1), step)

    def _computed(self, value: ir.Value) -> Figures:
        owner = value.owner
        if isinstance(owner, ir.Block):
            return self._counted_by(owner.owner.operation, value)
        op = owner.operation
        if STATISTIC in op.attributes:
            return self.figures.of(ir.StringAttr(op.attributes[STATISTIC]).value)
        if op.name == "arith.constant":
            return np.full((1,) * len(AXES), ir.IntegerAttr(op.attributes["value"]).value)
        if op.name in _CASTS:
            return self.of(op.operands[0])
        if CHECK in op.attributes:  # The status of a program that reports nothing.
            return np.zeros((1,) * len(AXES), np.int64)
        if op.name in _ARITHMETIC:
            return _ARITHMETIC[op.name](*map(self.of, op.operands))
        if op.name == "math.ctlz":
            return _WIDTH - _bit_lengths(self.of(op.operands[0]))
        if op.name == "arith.cmpi":
            predicate = ir.IntegerAttr(op.attributes["predicate"]).value
            return _COMPARISONS[predicate](*map(self.of, op.operands)).astype(np.int64)
        if op.name == "arith.select":
            condition, one, other = map(self.of, op.operands)
            return np.where(condition, one, other)
        raise _unknown(op)

    def _counted_by(self, loop: ir.Operation, number: ir.Value) -> Figures:
        """Return the counter of an `scf.for`, with a dimension for its iterations in front."""
        if loop.name != "scf.for" or number != counter_of(loop):
            raise _unknown(loop)
        lower, step = self.of(loop.operands[0]), self.of(loop.operands[2])
        most = int(self.trips(loop).max(initial=0))
        return lower + step * np.arange(most).reshape(most, *(1,) * (self.rank_in(loop) - 1))


def values_of(places: Sequence[Place], figures: RunFigures) -> Values:
    """Return the values of numbers in a program, of which only the counters of axes are computed.

    Args:
        places: where the program counts.
        figures: the figures of the runs.
    """
    values, used = Values(figures), {AXES[MINIBATCH]: figures.minibatches}
    for place in places:
        for axis in place.nest:
            values.count_axis(axis.number, axis.name, used.get(axis.name, axis.size))
    return values


def counter_of(loop: ir.Operation) -> ir.Value:
    """Return the first counter of a loop."""
    return loop.regions[0].blocks[0].arguments[0]


def _bit_lengths(numbers: Figures) -> Figures:
    """Return the number of bits that each number takes, which is less than 2^53."""
    return np.frexp(numbers.astype(np.float64))[1].astype(np.int64)


def _unknown(op: ir.Operation) -> UnknownValueError:
    return UnknownValueError(
        f"counts: a number that decides how often ops run comes from '{op.name}', which depends on "
        f"what is in memory; expected arithmetic, or an op with the attribute '{STATISTIC}'"
    )
