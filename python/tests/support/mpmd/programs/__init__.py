"""Random programs of the `mpmd` dialect: verifier-clean, small, and varied.

`features` says what may occur, `spec` what a program is drawn from (a few integers, so that
hypothesis shrinks by leaving statements out), `modules` turns both into text, `strategies`
draws them by hypothesis.
"""

from support.mpmd.programs.features import EXECUTABLE, Features
from support.mpmd.programs.modules import program_text, random_program
from support.mpmd.programs.spec import ProgramSpec, seeded_spec
from support.mpmd.programs.strategies import programs

__all__ = [
    "EXECUTABLE",
    "Features",
    "ProgramSpec",
    "program_text",
    "programs",
    "random_program",
    "seeded_spec",
]
