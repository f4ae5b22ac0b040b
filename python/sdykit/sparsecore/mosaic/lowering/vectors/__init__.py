"""Lowerings of vector ops, and of arithmetic that is defined for every operand.

Each is a function from MLIR values to MLIR values, of ops that code generation knows: `lanes` is
what they share, `scans`, `sorting`, `shapes`, `arithmetic` and `exponentials` are the functions, and `handlers` calls
them for ops of a kernel. `known` finds indices that are known when a kernel is compiled. `memory` has
loads and stores by mask, gathers and scatters.
"""

from sdykit.sparsecore.mosaic.lowering.vectors import handlers, memory

__all__ = ["handlers", "memory"]
