"""The values of numbers in a program, for all SparseCores, minibatches, partitions and tiles at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from sdykit.core.sparsecore.names import CHECK, STATISTIC
from sdykit.mlir import ir
from sdykit.sparsecore.counts.statistics import Figures, Statistics
from sdykit.sparsecore.errors import SparseCoreError

AXES = ("core", "minibatch", "partition", "tile")
"""The dimensions of values, in order."""
_CASTS = ("arith.index_cast", "arith.index_castui")
_ARITHMETIC: dict[str, Callable[[Figures, Figures], Figures]] = {
    "arith.addi": np.add,
    "arith.subi": np.subtract,
    "arith.muli": np.multiply,
    "arith.divui": np.floor_divide,
    "arith.remui": np.remainder,
    "arith.andi": np.bitwise_and,
    "arith.minsi": np.minimum,
    "arith.maxsi": np.maximum,
}
_COMPARISONS: tuple[Callable[[Figures, Figures], Figures], ...] = (
    *(np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal),
    *(np.less, np.less_equal, np.greater, np.greater_equal),
)
"""By the predicate of `arith.cmpi`; numbers are not negative, so that the unsigned ones are alike."""


class UnknownValueError(SparseCoreError):
    """A number depends on what is in memory, and no figure of the batch says what it is."""


@dataclass(frozen=True)
class Values:
    """The values of numbers in a program.

    Attributes:
        statistics: the figures of the batch.
        known: the values so far, with an axis of size 1 where one does not vary; `count_axis`
            adds those of loops' counters.
    """

    statistics: Statistics
    known: dict[ir.Value, Figures] = field(default_factory=dict)

    def count_axis(self, number: ir.Value, name: str, size: int) -> None:
        """Set the counter of a loop that counts an axis."""
        shape = [1] * len(AXES)
        shape[AXES.index(name)] = size
        self.known[number] = np.arange(size).reshape(shape)

    def of(self, value: ir.Value) -> Figures:
        """Return a number, as an integer array of rank 4.

        Raises:
            UnknownValueError: it depends on what is in memory, and no figure says what it is.
        """
        if value not in self.known:
            self.known[value] = self._computed(value)
        return self.known[value]

    def _computed(self, value: ir.Value) -> Figures:
        owner = value.owner
        if isinstance(owner, ir.Block):
            raise _unknown(owner.owner.operation)
        op = owner.operation
        if STATISTIC in op.attributes:
            return self.statistics.of(ir.StringAttr(op.attributes[STATISTIC]).value)
        if op.name == "arith.constant":
            return np.full((1,) * len(AXES), ir.IntegerAttr(op.attributes["value"]).value)
        if op.name in _CASTS:
            return self.of(op.operands[0])
        if CHECK in op.attributes:  # The status of a program that reports nothing.
            return np.zeros((1,) * len(AXES), np.int64)
        if op.name in _ARITHMETIC:
            return _ARITHMETIC[op.name](*map(self.of, op.operands))
        if op.name == "arith.cmpi":
            predicate = ir.IntegerAttr(op.attributes["predicate"]).value
            return _COMPARISONS[predicate](*map(self.of, op.operands)).astype(np.int64)
        if op.name == "arith.select":
            condition, one, other = map(self.of, op.operands)
            return np.where(condition, one, other)
        raise _unknown(op)


def _unknown(op: ir.Operation) -> UnknownValueError:
    return UnknownValueError(
        f"counts: a number that decides how often ops run comes from '{op.name}', which depends on "
        f"what is in memory; expected arithmetic, or an op with the attribute '{STATISTIC}'"
    )
