"""Vectors of many elements: what a kernel does with them becomes loops over pieces.

LLVM's time grows faster than vectors do. So the elements of a vector of more than `values.MANY` are
computed where they are used: `values.Large` says how, `making` makes one of an op and
stores one, `storing` loops over the pieces of one, and `tracking` keeps what is in use and has not been computed yet: before memory
that it reads is written, it is computed, to memory of its own.
"""

from sdykit.sparsecore.mosaic.lowering.large.tracking import Tracker
from sdykit.sparsecore.mosaic.lowering.large.values import Large

__all__ = ["Large", "Tracker"]
