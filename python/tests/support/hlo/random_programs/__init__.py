"""Random HLO programs, and a way to run them on XLA's CPU client."""

from support.hlo.random_programs.execution import execute, same_bits
from support.hlo.random_programs.programs import Program, programs

__all__ = ["Program", "execute", "programs", "same_bits"]
