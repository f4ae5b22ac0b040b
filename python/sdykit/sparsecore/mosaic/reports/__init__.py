"""Everything that can be wrong with a kernel while it runs, and its text.

A report is numbers: of the subcore, of the source line, of memory. So compiled code, which has no
strings, fails with the same reports as the reference machine, as lists of integers (`encode`,
`decode`); the text is made here, for all of them, by `Report.text`.

What is where:

- `report`: what all reports have, and the texts of their numbers. Read it first.
- `bounds`: memory and subcores that are not there, and inputs that are written.
- `waiting`: deadlocks, and semaphores that are not 0 at the end.
- `races`: memory that two touch at the same time.
- `claims`: what the user or the compiler has said, and is not so.

A new kind is a class in one of these, and an entry of `KINDS`.
"""

from __future__ import annotations

from collections.abc import Sequence

from sdykit.sparsecore.mosaic.reports.bounds import (
    Access,
    IndexOutOfBounds,
    OffsetOutOfBounds,
    OtherDevice,
    OutOfBounds,
    SplitRows,
    UnknownAgent,
    WriteToInput,
)
from sdykit.sparsecore.mosaic.reports.claims import (
    BadCall,
    FailedCheck,
    NotAMultiple,
)
from sdykit.sparsecore.mosaic.reports.races import (
    Action,
    DependentIterations,
    Race,
    UnderWay,
)
from sdykit.sparsecore.mosaic.reports.report import (
    NOBODY,
    KernelError,
    Names,
    Report,
    words_of,
)
from sdykit.sparsecore.mosaic.reports.waiting import (
    Deadlock,
    End,
    Interrupted,
    NoMemory,
    SemaphoreNotZero,
    Waiting,
    Waits,
)

__all__ = [
    "KINDS",
    "NOBODY",
    "Access",
    "Action",
    "BadCall",
    "Deadlock",
    "DependentIterations",
    "End",
    "FailedCheck",
    "IndexOutOfBounds",
    "Interrupted",
    "KernelError",
    "Names",
    "NoMemory",
    "NotAMultiple",
    "OffsetOutOfBounds",
    "OtherDevice",
    "OutOfBounds",
    "Race",
    "Report",
    "SemaphoreNotZero",
    "SplitRows",
    "UnderWay",
    "UnknownAgent",
    "Waiting",
    "Waits",
    "WriteToInput",
    "decode",
    "words_of",
]

KINDS: dict[int, type[Report]] = {
    each.kind: each
    for each in (
        BadCall,
        OutOfBounds,
        IndexOutOfBounds,
        OffsetOutOfBounds,
        Deadlock,
        SemaphoreNotZero,
        UnknownAgent,
        FailedCheck,
        NotAMultiple,
        Race,
        UnderWay,
        DependentIterations,
        WriteToInput,
        SplitRows,
        OtherDevice,
        NoMemory,
        Interrupted,
    )
}
"""The class of each kind of report."""


def decode(numbers: Sequence[int]) -> Report:
    """Return the report that `Report.encode` gave these integers for."""
    return KINDS[int(numbers[0])].decoded(iter(numbers[1:]))
