"""What a program says about its sizes, and the layout of its buffers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sdykit.core import fail
from sdykit.core.sparsecore.names import SIZES
from sdykit.mlir import ir
from sdykit.passes.sparsecore._programs.arguments import names_of
from sdykit.passes.sparsecore._programs.entry import limits_of_partitions, sizes_of
from sdykit.sparsecore.tile.spec import BufferLayout

_SIZES = ("samples_per_core", "sparse_cores", "num_devices", "tiles", "lanes")
_LIMITS = ("max_ids_per_partition", "max_unique_ids_per_partition")
"""What the sizes of a program on buffers have, too."""


@dataclass(frozen=True)
class ProgramLayout(BufferLayout):
    """The sizes of a program, and what the layout of its buffers follows from.

    Attributes:
        sizes: the sizes, by name.
        partitions: the limits that differ from partition to partition, by name.
    """

    sizes: Mapping[str, int]
    samples_per_core: int
    minibatches: bool
    num_devices: int
    partitions: Mapping[str, tuple[int, ...]]

    @property
    def limits(self) -> tuple[int, int]:
        return self.sizes["max_ids_per_partition"], self.sizes["max_unique_ids_per_partition"]

    @property
    def limits_of_partitions(self) -> tuple[tuple[int, ...] | None, tuple[int, ...] | None]:
        ids, unique = (self.partitions.get(name) for name in _LIMITS)
        return ids, unique

    @property
    def sparse_cores(self) -> int:
        return self.sizes["sparse_cores"]

    @property
    def tiles(self) -> int:
        """The number of tiles of a SparseCore."""
        return self.sizes["tiles"]

    @property
    def lanes(self) -> int:
        """The number of columns in a vector."""
        return self.sizes["lanes"]


def layout_of(entry: ir.Operation) -> ProgramLayout:
    """Return the sizes of a program.

    Raises:
        PassFailure: the entry function does not have them.
    """
    sizes, names = sizes_of(entry), names_of(entry)
    needed = _SIZES if "ids" in names else (*_SIZES, *_LIMITS)
    missing = [name for name in needed if name not in sizes]
    if missing:
        fail(
            entry,
            f"has no {', '.join(missing)} in '{SIZES}'; expected those of a lookup or an update",
        )
    minibatches = "num_minibatches" in names
    limits = limits_of_partitions(entry)
    return ProgramLayout(
        sizes, sizes["samples_per_core"], minibatches, sizes["num_devices"], limits
    )
