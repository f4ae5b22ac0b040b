"""Which buffers asynchronous chains share, and how long each of them lives.

Read `analysis` first: `analyse` builds what `result` describes. `flow` follows single buffers
through the instructions.
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
