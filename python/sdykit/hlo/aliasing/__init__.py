"""The buffers that asynchronous chains share, and their live ranges.

Read `analysis` first: `analyse` returns the data classes of `result`, which also print the table.
`flow` follows single buffers through the instructions.
"""

from sdykit.hlo.aliasing.analysis import analyse
from sdykit.hlo.aliasing.result import (
    AsyncAliasing,
    Buffer,
    Chain,
    ComputationAliasing,
    Role,
    Slot,
    Use,
)

__all__ = [
    "AsyncAliasing",
    "Buffer",
    "Chain",
    "ComputationAliasing",
    "Role",
    "Slot",
    "Use",
    "analyse",
]
