"""Former checks of a part of HBM: of the stack of a program, and of tables."""

from __future__ import annotations

from collections.abc import Mapping

from sdykit.sparsecore.chip.chips import Chip
from sdykit.sparsecore.memory.ledger import Entry, Ledger
from sdykit.sparsecore.memory.programs import ledger_of
from sdykit.sparsecore.tile.spec import TileSpec


def check_hbm_stack(spec: TileSpec) -> None:
    """Check that the HBM stack of a lookup or an update fits in the HBM of a device.

    Raises:
        SparseCoreError: it does not; the text says what to do.
    """
    ledger_of(spec).check(spec.kind)


def check_hbm_tables(where: str, chip: Chip, sizes: Mapping[str, int]) -> None:
    """Check that tables and their slots fit in the HBM of a device.

    Args:
        where: what needs the memory; the error begins with it.
        chip: the chip.
        sizes: bytes on each device by the name of the table or slot.

    Raises:
        SparseCoreError: they do not; the text lists the largest, and says what to do.
    """
    entries = (Entry(kind="table", owner="", name=name, bytes=size) for name, size in sizes.items())
    Ledger(chip, tuple(entries)).check(where)
