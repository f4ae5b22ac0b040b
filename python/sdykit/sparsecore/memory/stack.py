"""The HBM stack that a lookup or an update of a table needs.

    stack = hbm_stack(spec)
    stack.bytes  # on each device
    print(stack)  # with the factors of the product

The formulas are those of OpenXLA's guide to the SparseCore.
"""

from __future__ import annotations

from dataclasses import dataclass

from sdykit.sparsecore.memory.ledger import Entry, Phase
from sdykit.sparsecore.tile.spec import AnyUpdateSpec, LookupSpec, TileSpec

_WORD_BYTES = 4


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

    @property
    def row_bytes(self) -> int:
        """The bytes of rows in it: those gathered and received, or those that are updated."""
        ids = self.max_unique_nz_per_row if self.kind == LookupSpec.kind else 0
        return self.bytes - ids * self.logical_replica_count * _WORD_BYTES

    @property
    def product(self) -> str:
        """The size as a product, with the name of each factor."""
        words = "(2 * {} + 1)" if self.kind == LookupSpec.kind else "3 * {}"
        return (
            f"{words.format(f'{self.feature_width} (feature_width)')} * "
            f"{self.max_unique_nz_per_row} (max_unique_nz_per_row) * "
            f"{self.logical_replica_count} (logical_replica_count) * {_WORD_BYTES}"
        )

    @property
    def phase(self) -> Phase:
        """The phase in which it is in HBM."""
        return "lookup" if self.kind == LookupSpec.kind else "update"

    def entry(self, owner: str) -> Entry:
        """Return the entry of a ledger; `owner` is the name of the table."""
        return Entry(
            kind="stack",
            owner=owner,
            name=f"HBM stack of the {self.phase}",
            bytes=self.bytes,
            phase=self.phase,
            note=self.product,
        )

    def __str__(self) -> str:
        """Return the size, and the product that it is."""
        return f"{self.bytes} bytes = {self.product}"


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
