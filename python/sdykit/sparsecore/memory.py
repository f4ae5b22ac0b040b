"""The HBM stack: what a lookup or an update needs of the chip's HBM for a table, besides the table.

    stack = hbm_stack(spec)
    stack.bytes  # of each device
    print(stack)  # with the numbers that it is made of

The formulas are those of OpenXLA's guide to the SparseCore.
"""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.tile.spec import AnyUpdateSpec, LookupSpec, TileSpec

_WORD_BYTES = 4


@dataclass(frozen=True, kw_only=True)
class HbmStack:
    """The HBM stack of one table.

    Attributes:
        kind: `lookup`, `update` or `custom_update`.
        feature_width: elements of a row. Narrow rows count as they are: they are not padded.
        max_unique_nz_per_row: the limit of unique ids that the program is compiled for; a partition
            gets no more of them than ids.
        logical_replica_count: devices that hold the table together.
    """

    kind: str
    feature_width: int
    max_unique_nz_per_row: int
    logical_replica_count: int

    @property
    def bytes(self) -> int:
        """Its size, on each device."""
        width = self.feature_width
        words = 2 * width + 1 if self.kind == LookupSpec.kind else 3 * width
        return words * self.max_unique_nz_per_row * self.logical_replica_count * _WORD_BYTES

    def __str__(self) -> str:
        """Give the size, and the numbers that it is made of."""
        words = "(2 * {} + 1)" if self.kind == LookupSpec.kind else "3 * {}"
        return (
            f"{self.bytes} bytes = {words.format(f'{self.feature_width} (feature_width)')} * "
            f"{self.max_unique_nz_per_row} (max_unique_nz_per_row) * "
            f"{self.logical_replica_count} (logical_replica_count) * {_WORD_BYTES}"
        )


def hbm_stack(spec: TileSpec) -> HbmStack | None:
    """Tell what HBM stack a lookup or an update needs; None: ids without limits have none."""
    if spec.layout == "ids" or not isinstance(spec, (LookupSpec, AnyUpdateSpec)):
        return None
    ids = spec.max_ids_per_partition
    return HbmStack(
        kind=spec.kind,
        feature_width=spec.dim,
        max_unique_nz_per_row=min(ids, spec.max_unique_ids_per_partition or ids),
        logical_replica_count=spec.num_devices,
    )


def check_hbm_stack(spec: TileSpec) -> None:
    """Check that the HBM stack of a lookup or an update fits in the HBM of a device.

    Raises:
        SparseCoreError: it does not; the text has the figures, and what to change.
    """
    stack = hbm_stack(spec)
    if stack is None:
        return
    chip = spec.hardware
    memory = chip.hbm_bytes // chip.devices_per_chip
    if stack.bytes > memory:
        raise SparseCoreError(
            f"Ran out of memory in HBM: the stack of this {spec.kind} is {stack}, and a device "
            f"of chip {chip.name} has {memory} bytes; lower max_unique_ids_per_partition, use "
            "narrower rows, or fewer devices for each table"
        )
