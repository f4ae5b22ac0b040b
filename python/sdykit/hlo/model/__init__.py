"""HLO programs as data, made and printed by `sdykit.hlo.text`.

`program` is the one to read: modules, computations and instructions, and how they are edited.
`source` turns offsets into lines and columns, `spelling` tells how an instruction was written.
"""

from sdykit.hlo.model.program import MAIN_THREAD, Computation, Instruction, Module
from sdykit.hlo.model.source import Source
from sdykit.hlo.model.spelling import XLA_SPELLING, Spelling

__all__ = [
    "MAIN_THREAD",
    "XLA_SPELLING",
    "Computation",
    "Instruction",
    "Module",
    "Source",
    "Spelling",
]
