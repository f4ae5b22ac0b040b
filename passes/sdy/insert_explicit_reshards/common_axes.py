"""The axes that all tensors of an op are to have for each factor, so that each device works on its own."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from sdykit.passes.sdy._propagation.axes import (
    Axes,
    Axis,
    Status,
    append,
    is_strict_prefix,
    overlap,
    product,
    status,
    without_all,
)
from sdykit.passes.sdy._propagation.projection import Dim, Factors, Mapped, combine, project
from sdykit.passes.sdy._propagation.steps import Rule

_RANKS = {"pass_through": 3, "reduction": 2, "permutation": 1, "need_replication": 0}
"""How much it is worth to keep the axes of a kind of factors."""
_NEED_REPLICATION = "need_replication"
_PERMUTATION = "permutation"


@dataclass(frozen=True)
class Tensor:
    """A tensor of an op.

    Attributes:
        factors: the sharding of each of its factors.
        mapped: the factors of each dimension.
        elements: the number of its elements.
    """

    factors: Factors
    mapped: Mapped
    elements: int

    def axes(self, factor: int) -> Axes:
        found = self.factors.get(factor)
        return () if found is None else found.axes

    @property
    def shards(self) -> int:
        return math.prod(product((*each.axes, *each.overflow)) for each in self.factors.values())


def common_axes(rule: Rule, tensors: Sequence[Tensor], *, is_reshape: bool) -> list[Axes]:
    """Return for each factor of a rule the axes that all tensors are to have."""
    found = _agreed(rule, tensors)
    if found is not None:
        return found
    if is_reshape and any(each.overflow for tensor in tensors for each in tensor.factors.values()):
        return _of_reshape(rule, tensors)
    pair = [tensor for tensor in tensors if tensor.mapped]
    is_simple = all(len(factors) <= 1 for tensor in pair for factors in tensor.mapped)
    if len(pair) == 2 and is_simple and _NEED_REPLICATION not in rule.special.values():
        return _of_pair(rule, pair)
    return _Greedy(rule, tensors).result()


def _agreed(rule: Rule, tensors: Sequence[Tensor]) -> list[Axes] | None:
    """Return the axes of each factor if all tensors agree on them, and no axis is on two factors."""
    found: list[Axes] = []
    for factor in range(len(rule.sizes)):
        lists = {tensor.factors[factor].axes for tensor in tensors if factor in tensor.factors}
        if len(lists) > 1:
            return None
        axes = lists.pop() if lists else ()
        if axes and rule.kind(factor) == _NEED_REPLICATION:
            return None
        found.append(axes)
    if any(each.overflow for tensor in tensors for each in tensor.factors.values()):
        return None
    for number, axes in enumerate(found):
        others = [axis for other in found[:number] for axis in other]
        if any(overlap(axis, other) for axis in axes for other in others):
            return None
    return found


def _of_pair(rule: Rule, pair: Sequence[Tensor]) -> list[Axes]:
    """Return the axes of the preferred one of two tensors, and for its other factors those of the other."""
    permuted = [each for each in range(len(rule.sizes)) if rule.kind(each) == _PERMUTATION]

    def weight(tensor: Tensor) -> tuple[bool, int, int]:
        is_free = not any(tensor.axes(factor) for factor in permuted)
        return is_free, tensor.elements, tensor.shards

    first, second = pair
    preferred, other = (second, first) if weight(second) > weight(first) else (first, second)
    found: list[Axes] = [()] * len(rule.sizes)
    for factor, sharding in preferred.factors.items():
        found[factor] = sharding.axes
    taken = [axis for axes in found for axis in axes]
    for factor, sharding in other.factors.items():
        if factor not in preferred.factors:
            found[factor] = cut(sharding.axes, taken)
    return found


def cut(axes: Axes, others: Sequence[Axis]) -> Axes:
    """Return the axes before the first that overlaps with others, and the part of that one before it."""
    kept: list[Axis] = []
    for axis in axes:
        rest = without_all(axis, others)
        if rest is not None:
            kept.append(rest)
        if rest != axis:
            break
    return tuple(kept)


def _prefixes(axes: Axes) -> list[Axes]:
    """Return the first axis of a list, the first two, and so on."""
    return [axes[: length + 1] for length in range(len(axes))]


class _Candidate(NamedTuple):
    factor: int
    axes: Axes


class _Greedy:
    """Chooses axes, the heaviest first."""

    def __init__(self, rule: Rule, tensors: Sequence[Tensor]) -> None:
        self._rule = rule
        self._tensors = tensors
        self._found: list[Axes] = [()] * len(rule.sizes)
        self._before = _factors_before(tensors)

    def result(self) -> list[Axes]:
        gains = {
            _Candidate(factor, axes): product(axes)
            for tensor in self._tensors
            for factor, sharding in tensor.factors.items()
            for axes in _prefixes(sharding.axes)
        }
        while True:
            valid = [each for each in gains if self._is_valid(each)]
            if not valid:
                break
            best = max(valid, key=lambda each: self._weight(each, gains[each]))
            self._found[best.factor] = best.axes
            gains = self._after(gains, best)
        self._free_replicated()
        return self._found

    def _is_valid(self, candidate: _Candidate) -> bool:
        return all(
            product(self._found[each]) == self._rule.sizes[each]
            for each in self._before.get(candidate.factor, ())
        )

    def _weight(self, candidate: _Candidate, gain: int) -> tuple[object, ...]:
        factor, axes = candidate
        elements = sum(
            tensor.elements
            for tensor in self._tensors
            if factor in tensor.factors
            and status(axes, tensor.axes(factor)) is not Status.NOT_A_PREFIX
        )
        return (elements, _RANKS[self._rule.kind(factor)], gain, factor, len(axes), axes)

    def _after(self, candidates: Iterable[_Candidate], best: _Candidate) -> dict[_Candidate, int]:
        """Return what is left of candidates after one was chosen, with what each gains.

        As in C++, those of other factors that stay whole count from the start again, not from what
        their factor has been given by now.
        """
        gains: dict[_Candidate, int] = {}
        for factor, axes in candidates:
            given = self._found[factor]
            if factor == best.factor:
                if is_strict_prefix(given, axes):
                    gains[_Candidate(factor, axes)] = product(axes) // product(given)
                continue
            rest = _Candidate(factor, cut(axes, best.axes))
            size = product(rest.axes)
            if size > product(given):
                gain = size if rest.axes == axes else size // product(given)
                gains[rest] = max(gain, gains.get(rest, 0))
        return gains

    def _free_replicated(self) -> None:
        """Move the axes of factors that need replication to factors that are passed through."""
        shaped = [tensor for tensor in self._tensors if tensor.mapped]
        everywhere = [
            factor
            for factor in range(len(self._rule.sizes))
            if all(factor in tensor.factors for tensor in shaped)
        ]
        for factor in range(len(self._rule.sizes)):
            if self._rule.kind(factor) != _NEED_REPLICATION:
                continue
            axes, self._found[factor] = self._found[factor], ()
            if factor not in everywhere:
                continue
            self._offer(
                axes, [each for each in everywhere if self._rule.kind(each) == "pass_through"]
            )

    def _offer(self, axes: Axes, factors: Sequence[int]) -> None:
        left = list(axes)
        for factor in factors:
            taken = list(self._found[factor])
            while left:
                rest, remainder = divmod(self._rule.sizes[factor], product(taken))
                if remainder or rest % left[0].size:
                    break
                append(taken, left.pop(0))
            self._found[factor] = tuple(taken)


def _factors_before(tensors: Sequence[Tensor]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for tensor in tensors:
        for factors in tensor.mapped:
            for before, factor in pairwise(factors):
                found.setdefault(factor, set()).add(before)
    return found


def _of_reshape(rule: Rule, tensors: Sequence[Tensor]) -> list[Axes]:
    """Return the axes of a reshape, of which one side has more axes than its factors have room for."""
    source = max(tensors, key=lambda tensor: tensor.shards)
    order = sorted(source.factors)
    axes = [
        axis
        for factor in order
        for axis in (*source.factors[factor].axes, *source.factors[factor].overflow)
    ]
    sides = [_dealt(rule, tensor, axes) for tensor in tensors]
    found: list[Axes] = []
    for factor in range(len(rule.sizes)):
        lists = [side[factor].axes for side in sides if factor in side]
        found.append(_common_prefix(lists))
    return found


def _dealt(rule: Rule, tensor: Tensor, axes: Sequence[Axis]) -> Factors:
    """Return the factors of a side after axes were dealt out to them, in order, each as far as it has room."""
    factors = sorted(tensor.factors)
    taken: dict[int, list[Axis]] = {factor: [] for factor in factors}
    left = list(reversed(axes))
    for factor in factors:
        room = rule.sizes[factor]
        while left and (common := math.gcd(room, left[-1].size)) > 1:
            axis = left.pop()
            append(taken[factor], Axis(axis.name, axis.pre, common))
            room //= common
            if axis.size > common:
                left.append(Axis(axis.name, axis.pre * common, axis.size // common))
    overflow = list(reversed(left))
    dealt = {
        factor: tensor.factors[factor]._replace(
            axes=tuple(taken[factor]), overflow=tuple(overflow) if factor == factors[-1] else ()
        )
        for factor in factors
    }
    return project(combine(dealt, tensor.mapped, rule.sizes), tensor.mapped, rule.sizes)


def _common_prefix(lists: Sequence[Axes]) -> Axes:
    found = lists[0] if lists else ()
    for axes in lists[1:]:
        kept: list[Axis] = []
        for mine, theirs in zip(found, axes, strict=False):
            if mine != theirs:
                if mine.name == theirs.name and mine.pre == theirs.pre:
                    size = math.gcd(mine.size, theirs.size)
                    if size > 1:
                        kept.append(Axis(mine.name, mine.pre, size))
                break
            kept.append(mine)
        found = tuple(kept)
    return found


def dims_of(tensor: Tensor, axes: Sequence[Axes], sizes: Sequence[int]) -> tuple[Dim, ...]:
    """Return the closed dimensions of a tensor whose factors have some axes."""
    factors = {
        factor: each._replace(axes=axes[factor], is_closed=True, overflow=())
        for factor, each in tensor.factors.items()
    }
    return tuple(dim._replace(is_closed=True) for dim in combine(factors, tensor.mapped, sizes))
