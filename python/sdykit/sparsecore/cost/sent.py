"""The bytes that chips send each other."""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.sparsecore.cost.computed import works_of_figures
from sdykit.sparsecore.cost.figures import Figures
from sdykit.sparsecore.cost.work import Floats
from sdykit.sparsecore.tile.spec import TileSpec


def sent_bytes(specs: Sequence[TileSpec], figures: Sequence[Figures]) -> dict[str, Floats]:
    """Return the bytes that each chip sends to others in a step, or receives if these are more.

    A lookup sends each distinct id that a SparseCore has for a partition, 4 bytes, and its row back. An
    update reads a row of gradients for each id.

    Args:
        specs: the specs of all programs of the step, lookups and updates.
        figures: those of the batch of each; see `sdykit.sparsecore.cost.of_figures`.

    Returns:
        By `lookup` and `update`, as far as there are such programs: `[chips]`.

    Raises:
        SparseCoreError: as `sdykit.sparsecore.cost.of_figures`.
    """
    return {work.kind: work.ici_bytes.sum(axis=(0, 2)) for work in works_of_figures(specs, figures)}
