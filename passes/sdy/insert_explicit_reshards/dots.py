"""Dots whose result can have the axes of an operand instead of being summed over all devices."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.passes.sdy._propagation.axes import Axes, overlap
from sdykit.passes.sdy._propagation.steps import Rule
from sdykit.passes.sdy.insert_explicit_reshards.common_axes import Tensor

DOTS = frozenset(("stablehlo.dot", "stablehlo.dot_general"))


def result_axes(rule: Rule, tensors: Sequence[Tensor]) -> list[Axes] | None:
    """Return the axes of each factor of the result of a dot, if it is to be resharded afterwards.

    That is so if the result wants the axes that the contracting dimensions have on a dimension that an
    operand divides otherwise: the operand is not to be gathered, the smaller result is.
    """
    lhs, rhs, result = tensors
    factors = range(len(rule.sizes))
    for factor in factors:
        if factor in lhs.factors and factor in rhs.factors and lhs.axes(factor) != rhs.axes(factor):
            return None
    contracting = [each for each in factors if rule.kind(each) == "reduction"]
    kept = [each for each in factors if each not in contracting]
    given = {each: lhs.axes(each) or rhs.axes(each) for each in factors}
    if _is_shared([given[each] for each in kept]):
        return None
    differing = [
        each for each in kept if each in result.factors and result.axes(each) != given[each]
    ]
    if len(differing) != 1:
        return None
    (factor,) = differing
    having = [tensor for tensor in (lhs, rhs) if factor in tensor.factors]
    operand = max(having, key=lambda tensor: tensor.elements)
    axes = tuple(axis for each in contracting for axis in given[each])
    if not given[factor] or operand.elements < result.elements:
        return None
    if not axes or result.axes(factor) != axes:
        return None
    return [given[each] if each == factor else result.axes(each) for each in factors]


def _is_shared(lists: Sequence[Axes]) -> bool:
    """Return whether an axis is in two of the lists."""
    return any(
        overlap(axis, other)
        for number, axes in enumerate(lists)
        for axis in axes
        for others in lists[:number]
        for other in others
    )
