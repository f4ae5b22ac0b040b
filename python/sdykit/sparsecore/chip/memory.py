"""The chip's HBM: tables and slots, and the HBM stack that a lookup or an update needs besides.

    stack = hbm_stack(spec)
    stack.bytes  # on each device
    print(stack)  # with the factors of the product

The formulas are those of OpenXLA's guide to the SparseCore.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sdykit.sparsecore.chip.chips import Chip
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.tile.spec import AnyUpdateSpec, LookupSpec, TileSpec

_WORD_BYTES = 4
_LISTED = 8
"""The number of tables and slots that an error lists, the largest first."""


@dataclass(frozen=True, kw_only=True)
class HbmStack:
    """The HBM stack of one table.

    Attributes:
        kind: the kind of the spec: `lookup`, `update` or `custom_update`.
        feature_width: elements in a row. Narrow rows are not padded.
        max_unique_nz_per_row: maximum unique ids per partition that the program is compiled for,
            and no more than its maximum ids.
        logical_replica_count: the number of devices that hold the table together.
    """

    kind: str
    feature_width: int
    max_unique_nz_per_row: int
    logical_replica_count: int

    @property
    def bytes(self) -> int:
        """Its size on each device."""
        width = self.feature_width
        words = 2 * width + 1 if self.kind == LookupSpec.kind else 3 * width
        return words * self.max_unique_nz_per_row * self.logical_replica_count * _WORD_BYTES

    def __str__(self) -> str:
        """Return the size as a product, with the name of each factor."""
        words = "(2 * {} + 1)" if self.kind == LookupSpec.kind else "3 * {}"
        return (
            f"{self.bytes} bytes = {words.format(f'{self.feature_width} (feature_width)')} * "
            f"{self.max_unique_nz_per_row} (max_unique_nz_per_row) * "
            f"{self.logical_replica_count} (logical_replica_count) * {_WORD_BYTES}"
        )


def hbm_stack(spec: TileSpec) -> HbmStack | None:
    """Return the HBM stack that a lookup or an update needs; None for the layout `ids`."""
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
        SparseCoreError: it does not fit; the text has the figures, and what to change.
    """
    stack = hbm_stack(spec)
    if stack is None:
        return
    chip = spec.hardware
    memory = _of_device(chip)
    if stack.bytes > memory:
        raise SparseCoreError(
            f"Ran out of memory in HBM: the stack of this {spec.kind} is {stack}, and a device "
            f"of chip {chip.name} has {memory} bytes; lower max_unique_ids_per_partition, use "
            "narrower rows, or fewer devices for each table"
        )


def check_hbm_tables(where: str, chip: Chip, sizes: Mapping[str, int]) -> None:
    """Check that tables and their slots fit in the HBM of a device.

    Args:
        where: the name of the function that the error begins with.
        chip: the chip.
        sizes: bytes on each device by the name of the table or slot.

    Raises:
        SparseCoreError: they do not fit; the text has the figures, and what to change.
    """
    total, memory = sum(sizes.values()), _of_device(chip)
    if total <= memory:
        return
    largest = sorted(sizes.items(), key=lambda item: -item[1])
    listed = [f"{name} {size}" for name, size in largest[:_LISTED]]
    if len(largest) > _LISTED:
        rest = sum(size for _, size in largest[_LISTED:])
        listed.append(f"{len(largest) - _LISTED} more {rest}")
    share = chip.devices_per_chip
    of_chip = f", 1/{share} of the chip's {chip.hbm_bytes}" if share > 1 else ""
    raise SparseCoreError(
        f"{where}: Ran out of memory in HBM: tables and slots take {total} bytes of each device "
        f"({', '.join(listed)}), and a device of chip {chip.name} has {memory} bytes{of_chip}; use "
        "more devices, a narrower dtype, narrower rows, an optimizer with smaller slots, or "
        "another chip, see sdykit.sparsecore.configure"
    )


def _of_device(chip: Chip) -> int:
    """Return the bytes of HBM that a JAX device has."""
    return chip.hbm_bytes // chip.devices_per_chip
