"""From HLO programs to modules of MLIR.

Read `module` first: it writes functions, and `body` the instructions in them. `operands` checks
them before an op is made, `ops` makes ops, and `values` keeps their results.
"""

from sdykit.hlo.to_mlir.module import to_mlir

__all__ = ["to_mlir"]
