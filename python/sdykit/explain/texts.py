"""Axes and shardings of a propagation as texts and frozen objects."""

from __future__ import annotations

from collections.abc import Iterable

from sdykit.explain.model import DimSharding, TensorSharding
from sdykit.passes.sdy._propagation.axes import Axis
from sdykit.passes.sdy._propagation.numbered import NONE, NumberedShardings
from sdykit.passes.sdy._propagation.shardings import Mesh


class Texts:
    """Converts axes and shardings, each once."""

    def __init__(self, shardings: NumberedShardings) -> None:
        self._shardings = shardings
        self._sizes: dict[Mesh, dict[str, int]] = {}
        self._converted: dict[int, TensorSharding | None] = {NONE: None}

    def axis(self, mesh: Mesh, axis: Axis) -> str:
        """Return an axis as a text: `x`, or `x:(2)4` for a part of it."""
        sizes = self._sizes.get(mesh)
        if sizes is None:
            axes = self._shardings.mesh(mesh).axes
            sizes = self._sizes[mesh] = {each.name: each.size for each in axes}
        # A tensor on another mesh may have axes that this one lacks.
        if sizes.get(axis.name, axis.next) == axis.size:
            return axis.name
        return f"{axis.name}:({axis.pre}){axis.size}"

    def axes(self, mesh: Mesh, axes: Iterable[Axis]) -> tuple[str, ...]:
        """Return axes as texts."""
        return tuple(self.axis(mesh, axis) for axis in axes)

    def sharding(self, number: int) -> TensorSharding | None:
        """Return the sharding of a number with axes as texts, None for `NONE`."""
        if number not in self._converted:
            sharding = self._shardings.of(number)
            mesh = sharding.mesh
            dims = tuple(
                DimSharding(self.axes(mesh, dim.axes), dim.is_closed, dim.priority)
                for dim in sharding.dims
            )
            self._converted[number] = TensorSharding(
                str(mesh),
                dims,
                self.axes(mesh, sharding.replicated),
                self.axes(mesh, sharding.unreduced),
            )
        return self._converted[number]
