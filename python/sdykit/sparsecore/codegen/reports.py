"""Reports: what a failed run leaves, as a list of integers."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sdykit.sparsecore.codegen.compiled import Interface
from sdykit.sparsecore.codegen.errors import RunError

_NO_MEMORY = 15
"""The kind of the report of a run without memory: `NoMemory` of mosaic/reports."""

Status = Sequence[int] | npt.NDArray[np.int64]


def message_of(interface: Interface, status: Status) -> str:
    """Return the message of a status with its `{1}` to `{7}` filled in; "" if there is none."""
    number = int(status[0])
    message = interface.messages[number] if 0 < number < len(interface.messages) else ""
    return re.sub(r"\{([1-7])\}", lambda found: str(int(status[int(found[1])])), message)


def take_warnings(status: Status) -> list[list[int]]:
    """Return the reports that a run warns of, and forget them; there are none if it has failed."""
    # Imported here: few programs call the runtime.
    from sdykit.sparsecore import _machine

    if int(status[0]) != _machine.HAS_WARNINGS:
        return []
    rest = iter(_machine.take_report(int(status[1])))
    return [[next(rest) for _ in range(count)] for count in rest]


def take_report(interface: Interface, status: Status) -> list[int]:
    """Return the report of a run and forget it.

    A program fails with the number of a message, which is decimal integers once its `{1}` to `{7}` are
    filled in. What the runtime finds, such as a deadlock, it keeps until it is taken here.

    Args:
        interface: what the program says about itself.
        status: the 8 words of the run's status.

    Returns:
        The report: kind, agent, place and further numbers. Empty if the run has not failed, or its
        report has been taken.

    Raises:
        RunError: the message is no report.
    """
    words = [int(word) for word in status]
    if words[0] == 0:
        return []
    # Imported here: few programs call the runtime.
    from sdykit.sparsecore import _machine

    if words[0] == _machine.HAS_WARNINGS:
        return []
    if words[0] == _machine.HAS_REPORT:
        return _machine.take_report(words[1])
    if words[0] == _machine.NO_MEMORY:
        return [_NO_MEMORY, *words[1:4]]
    filled = message_of(interface, words)
    if not re.fullmatch(r"-?\d+( -?\d+)*", filled):
        raise RunError(
            f"@{interface.entry} ended with status {words[0]}, {filled!r}; expected a report: "
            "integers with blanks between"
        )
    return [int(word) for word in filled.split()]
