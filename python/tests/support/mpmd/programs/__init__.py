"""Random programs of the `mpmd` dialect: verifier-clean, small, and varied.

`features` lists what may occur, `spec` holds the integers that a program is drawn from (hypothesis
shrinks a program by leaving statements out), `modules` turns both into text, and `strategies` are
those of hypothesis.
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
