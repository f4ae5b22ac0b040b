"""Which function lowers which op."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sdykit.mlir import ir
    from sdykit.sparsecore.mosaic.lowering.emitter import Emitter
    from sdykit.sparsecore.mosaic.lowering.large.values import Large

Lowering = Callable[["Emitter", "ir.Operation"], None]
"""Adds to a tile program what an op of a kernel means, and sets what its results become."""

LOWERINGS: dict[str, Lowering] = {}
"""The lowerings by the name of the op. Upstream ops on scalars and vectors need none: they are kept."""

Maker = Callable[["Emitter", "ir.Operation"], "Large | None"]
"""Returns the result of an op, a vector of many elements; None if it has to be made as a whole."""

MAKERS: dict[str, Maker] = {}
"""The makers by the name of the op, or of its dialect with a dot at the end."""


class NotLowered(Exception):
    """A kernel cannot be compiled yet, so that the reference runs it.

    Attributes:
        reason: what has no lowering, in a few words.
        place: the user's line, "kernel.py:12"; "" if it is no single one.
    """

    def __init__(self, reason: str, place: str = "") -> None:
        super().__init__(f"{place}: {reason}" if place else reason)
        self.reason = reason
        self.place = place


def lowers(*names: str) -> Callable[[Lowering], Lowering]:
    """Register a function as the lowering of the ops of these names."""

    def register(function: Lowering) -> Lowering:
        for name in names:
            assert name not in LOWERINGS, f"{name} has two lowerings"
            LOWERINGS[name] = function
        return function

    return register


def makes(name: str) -> Callable[[Maker], Maker]:
    """Register a function that makes the vectors of many elements that ops of this name give."""

    def register(function: Maker) -> Maker:
        MAKERS[name] = function
        return function

    return register
