"""Why axes did not arrive: those that a step refused, and what stood in the way of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from sdykit.passes.sdy._propagation.axes import Axis
from sdykit.passes.sdy._propagation.causes import Cause, TakenStep, dimension_of, missing
from sdykit.passes.sdy._propagation.steps import Key, Outcome, Steps


class Refusal(NamedTuple):
    """An axis that a tensor of an op has and another one did not get.

    Attributes:
        tensor: the number of the tensor that did not get it, operands first.
        dimension: the dimension that would have got it.
        factor: the factor.
        axis: the axis.
        source: the number of the tensor that has it.
        cause: what stood in its way.
    """

    tensor: int
    dimension: int
    factor: int
    axis: Axis
    source: int
    cause: Cause


@dataclass
class Refusals:
    """Finds what steps of the aggressive strategy refuse; each step is looked at once.

    Attributes:
        steps: computed the steps.
    """

    steps: Steps
    _known: dict[Key, tuple[Refusal, ...]] = field(default_factory=dict)

    def of(self, key: Key, outcome: Outcome) -> tuple[Refusal, ...]:
        """Return what a step refuses."""
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = tuple(self._found(key, outcome))
        return found

    def _found(self, key: Key, outcome: Outcome) -> Iterator[Refusal]:
        if not any(sharding is not None and sharding.has_axes for sharding in key.shardings):
            return
        after = list(key.shardings)
        for number, sharding in outcome.changes:
            after[number] = sharding
        before = self.steps.state(key, key.shardings)
        step = TakenStep(self.steps, key, before, self.steps.state(key, after))
        for factor in range(len(key.rule.sizes)):
            if any(factor in each.factors and each.factors[factor].axes for each in before.tensors):
                yield from _refusals(step, factor)


def _refusals(step: TakenStep, factor: int) -> Iterator[Refusal]:
    """Yield what is refused along a factor; of one axis, the first tensor that has it is the source.

    What keeps an axis away keeps those away that come after it in the dimension, too.
    """
    for number, mapped in enumerate(step.key.rule.tensors):
        dimension = dimension_of(mapped, factor)
        if dimension is None:
            continue
        seen: set[Axis] = set()
        for source, tensor in enumerate(step.before.tensors):
            theirs = tensor.factors.get(factor)
            axes = () if theirs is None else missing(theirs.axes, step.own(number, factor))
            if source == number or seen.issuperset(axes):
                continue
            cause = step.cause(number, dimension, factor, source)
            new = [axis for axis in axes if axis not in seen]
            seen.update(axes)
            if cause is not None:
                yield from (Refusal(number, dimension, factor, axis, source, cause) for axis in new)
