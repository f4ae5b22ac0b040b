"""What changed between two programs: tensors at one place, with other shardings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from typing import NamedTuple

from sdykit.explain.model import Explanation, Tensor, TensorSharding
from sdykit.explain.questions.axes import overlaps


class Changed(NamedTuple):
    """A tensor whose sharding differs.

    Attributes:
        before: its number in the first program.
        after: its number in the second.
    """

    before: int
    after: int


def changed(first: Explanation, second: Explanation, axis: str | None = None) -> list[Changed]:
    """Return the tensors whose shardings differ between two programs, in the order of the first.

    Tensors belong together that come from one scope of JAX (without scopes: from one line), by ops of
    one name, with one shape, in one order; arguments and results by their names. So other lines
    and names of files change nothing where there are scopes. Those without a partner are left out.

    Args:
        first: the explanation of a program.
        second: that of another one.
        axis: only tensors of which other dimensions are divided along this one, or which are still to
            be summed along it in one program alone.
    """
    ours, theirs = _by_place(first), _by_place(second)
    return sorted(
        Changed(one.number, other.number)
        for place, tensors in ours.items()
        for one, other in zip(tensors, theirs.get(place, ()), strict=False)
        if _divided(one.final, axis) != _divided(other.final, axis)
    )


def _by_place(explanation: Explanation) -> dict[Hashable, list[Tensor]]:
    found: dict[Hashable, list[Tensor]] = defaultdict(list)
    for tensor in explanation.tensors:
        op = explanation.ops[tensor.op]
        if not op.is_erased:
            name = tensor.label or (tensor.name if tensor.kind != "value" else "")
            found[tensor.kind, name, _place(tensor), op.name, tensor.shape].append(tensor)
    return found


def _place(tensor: Tensor) -> object:
    source = tensor.source
    return source.scope or source.line if source is not None else None


def _divided(sharding: TensorSharding | None, axis: str | None) -> object:
    """Return what of a sharding counts: the axes of each dimension, and those still to be summed."""
    if sharding is None:
        return ()
    dims = tuple(_of_axis(dim.axes, axis) for dim in sharding.dims)
    unreduced = _of_axis(sharding.unreduced, axis)
    return (dims, unreduced) if any(dims) else unreduced


def _of_axis(axes: tuple[str, ...], axis: str | None) -> tuple[str, ...]:
    return tuple(each for each in axes if axis is None or overlaps(each, axis))
