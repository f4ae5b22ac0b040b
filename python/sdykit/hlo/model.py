"""HLO programs as data: a module is a list of computations, these of instructions.

Asynchronous operations have one representation, whichever form the text had: the opcodes
`async-start`, `async-update` and `async-done`. The start has the attribute `calls`, which
names a computation of the module; updates and the done are found by following operands.
"""

from sdykit.hlo.computation import MAIN_THREAD, Computation
from sdykit.hlo.instruction import XLA_SPELLING, Instruction, Spelling
from sdykit.hlo.module import Module
from sdykit.hlo.source import Source

__all__ = [
    "MAIN_THREAD",
    "XLA_SPELLING",
    "Computation",
    "Instruction",
    "Module",
    "Source",
    "Spelling",
]
