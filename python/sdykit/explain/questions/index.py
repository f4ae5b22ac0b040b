"""What the answers look up: the changes of each tensor, the last refusals of each op."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sdykit.explain.model import Change, Explanation, Refusal, Tensor
from sdykit.explain.questions.axes import axes_of, divided, is_along, overlaps


class Arrival(NamedTuple):
    """An axis that came to a tensor in a step.

    Attributes:
        step: the position in `Explanation.steps`.
        change: the change.
        axis: the axis.
        source: the tensor that it came from.
    """

    step: int
    change: Change
    axis: str
    source: int


class Index:
    """Looks up what is in an explanation.

    Attributes:
        explanation: the explanation.
    """

    def __init__(self, explanation: Explanation) -> None:
        self.explanation = explanation
        self._arrivals: dict[int, list[Arrival]] = {}
        self._last: dict[tuple[int, int | None], tuple[Refusal, ...]] = {}
        self._around: dict[int, list[int]] = {}
        for number, step in enumerate(explanation.steps):
            self._last[step.op, step.result] = step.refusals
            for change in step.changes:
                arrived = self._arrivals.setdefault(change.tensor, [])
                arrived += [
                    Arrival(number, change, gain.axis, gain.source) for gain in change.gains
                ]
        for op in explanation.ops:
            for tensor in dict.fromkeys((*op.operands, *op.results)):
                self._around.setdefault(tensor, []).append(op.number)
        self._refusals: dict[int, list[tuple[int, Refusal]]] = {}
        for (op, _), refusals in self._last.items():
            for refusal in () if explanation.ops[op].is_erased else refusals:
                self._refusals.setdefault(refusal.tensor, []).append((op, refusal))

    def arrival(self, tensor: int, axis: str, before: int) -> Arrival | None:
        """Return how an axis, or a part of it, came to a tensor before a step; None: it did not come."""
        for arrival in self._arrivals.get(tensor, ()):
            if arrival.step < before and overlaps(arrival.axis, axis):
                return arrival
        return None

    def arrivals(self) -> Iterator[Arrival]:
        """Yield all axes that came to tensors."""
        for arrived in self._arrivals.values():
            yield from arrived

    def refusals(self) -> Iterator[tuple[int, Refusal]]:
        """Yield the last refusals of each op that is left, with the op."""
        for found in self._refusals.values():
            yield from found

    def refusals_of(self, tensor: int) -> list[tuple[int, Refusal]]:
        """Return the last refusals of a tensor at each op around it, with the op."""
        return self._refusals.get(tensor, [])

    def ops_around(self, tensor: int) -> list[int]:
        """Return the ops that a tensor is an operand or result of."""
        return self._around.get(tensor, [])

    def is_given(self, tensor: Tensor, axis: str) -> bool:
        """Return whether a tensor was given an axis, or a part of it."""
        given = tensor.given
        return given is not None and is_along(axes_of(given.sharding), axis)

    def bytes_per_device(self, tensor: Tensor) -> float:
        """Return the size of a device's part of a tensor, in bytes."""
        return tensor.bytes / divided(tensor.final, self.explanation.meshes)
