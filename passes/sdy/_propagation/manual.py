"""Manual computations: shardings in their bodies lack the manual axes, which lie outside of them."""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.dialects import sdy
from sdykit.mlir import ir
from sdykit.passes.sdy._propagation.axes import Axes
from sdykit.passes.sdy._propagation.projection import Dim
from sdykit.passes.sdy._propagation.shardings import Sharding, Shardings
from sdykit.passes.sdy._shardings import IN_SHARDINGS, OUT_SHARDINGS
from sdykit.passes.sdy._value_shardings import MANUAL_COMPUTATION


@dataclass(frozen=True)
class Boundary:
    """Where a value enters or leaves a manual computation.

    Attributes:
        outer: its sharding outside, as the op has it.
        manual: the names of the manual axes.
        is_argument: whether it enters.
    """

    outer: Sharding
    manual: frozenset[str]
    is_argument: bool

    @property
    def inner(self) -> int:
        """Which tensor of the edge is in the body: of source and edge, the edge of an argument."""
        return 1 if self.is_argument else 0

    def to_outer(self, inner: Sharding | None) -> Sharding:
        """Return a sharding in the body as it is outside: with the manual axes in front.

        It is on the mesh that it has in the body, which may be another one.
        """
        outer = self.outer
        if inner is None:
            inner = self.to_inner(outer._replace(dims=(Dim(),) * len(outer.dims)))
        # A sharding on one device need not have dimensions.
        dims = tuple(
            # A group across the border may have brought manual axes in: they must not pile up.
            dim._replace(axes=(*self._manual(whole.axes), *self._free(dim.axes)))
            for whole, dim in zip(outer.dims, inner.dims, strict=False)
        )
        return Sharding(
            inner.mesh,
            dims,
            (*self._manual(outer.replicated), *inner.replicated),
            (*self._manual(outer.unreduced), *inner.unreduced),
        )

    def to_inner(self, outer: Sharding) -> Sharding:
        """Return a sharding outside as it is in the body: without the manual axes."""
        dims = tuple(dim._replace(axes=self._free(dim.axes)) for dim in outer.dims)
        return Sharding(outer.mesh, dims, self._free(outer.replicated), self._free(outer.unreduced))

    def _manual(self, axes: Axes) -> Axes:
        return tuple(axis for axis in axes if axis.name in self.manual)

    def _free(self, axes: Axes) -> Axes:
        return tuple(axis for axis in axes if axis.name not in self.manual)


def boundary_of(
    op: ir.Operation, number: int, shardings: Shardings, *, is_argument: bool
) -> Boundary | None:
    """Return the boundary at the owner of an edge; None if it is not of a manual computation.

    Args:
        op: the op that the owner belongs to.
        number: which of its block arguments, or results, the owner is.
        shardings: reads them.
        is_argument: whether it is a block argument.
    """
    if op.name != MANUAL_COMPUTATION:
        return None
    attributes = op.attributes
    manual = frozenset(sdy.ManualAxesAttr.of(attributes["manual_axes"]).value)
    if not manual:
        return None
    found = shardings.read_list(attributes[IN_SHARDINGS if is_argument else OUT_SHARDINGS])
    return Boundary(found[number], manual, is_argument)
