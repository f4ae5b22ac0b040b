"""Log lines about the HBM heap: `--vmodule=best_fit_allocator=1`."""

from __future__ import annotations

import logging
from typing import Final

from sdykit.sparsecore.config import SparsecoreConfig
from sdykit.sparsecore.memory.ledger import Ledger

MODULE: Final = "best_fit_allocator"
"""The name of the log module in `vmodule`."""

_LISTED = 8
_logger = logging.getLogger(__name__)


def check_and_log(ledger: Ledger, where: str, config: SparsecoreConfig) -> None:
    """Check that a ledger fits, after logging the use of its heap if `vmodule` asks for it.

    Args:
        ledger: the ledger.
        where: what needs the memory; the error and the log line begin with it.
        config: the configuration, flags included.

    Raises:
        SparseCoreError: it does not fit, see `Ledger.check`.
    """
    if config.log_level(MODULE) >= 1:
        _logger.warning("%s: %s: %s", MODULE, where, heap_text(ledger))
    ledger.check(where)


def heap_text(ledger: Ledger) -> str:
    """Return the peak use of the HBM heap, its largest allocations, and the stack at the peak."""
    heap = ledger.heap
    used = sum(each.bytes for each in heap)
    largest = "; ".join(map(str, heap[:_LISTED])) or "none"
    more = f"; {len(heap) - _LISTED} more" if len(heap) > _LISTED else ""
    when = ledger.peak_moment.when
    return (
        f"peak use of the HBM heap is {used} bytes, and of all HBM {ledger.bytes} of "
        f"{ledger.capacity}{f' while {when}' if when else ''}; the largest allocations of the heap: "
        f"{largest}{more}"
    )
