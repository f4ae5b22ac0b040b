"""Reports of errors that programs end with: lists of integers, kept by the runtime."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def take_report(status: Sequence[int] | npt.NDArray[np.int64]) -> list[int]:
    """Return the report of a run and forget it.

    Args:
        status: the 8 words of the run's status.

    Returns:
        The report: kind, agent, place and further numbers, as the program gave them to
        `sc_report`, or the runtime made them. Empty if the status has none, or it has been taken already.
    """
    # Imported here: few programs call the runtime.
    from sdykit.sparsecore import _machine

    return _machine.take_report(int(status[1])) if status[0] == _machine.HAS_REPORT else []
