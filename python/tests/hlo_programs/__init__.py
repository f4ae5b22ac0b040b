"""Random HLO programs, and running them on XLA's CPU client."""

from hlo_programs.execution import execute, same_bits
from hlo_programs.programs import Program, programs

__all__ = ["Program", "execute", "programs", "same_bits"]
