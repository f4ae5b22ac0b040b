"""From modules of MLIR to HLO programs.

Read `module` first: it reads functions, and `body` the ops in them. `builder` makes the
instructions, `values` knows which part of which instruction a value is, `texts` reads ops and
functions as text, and `places` finds where ops are in the source.
"""

from sdykit.hlo.from_mlir.module import from_mlir

__all__ = ["from_mlir"]
