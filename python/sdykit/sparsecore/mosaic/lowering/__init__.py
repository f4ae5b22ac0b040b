"""Lowering: kernels to tile programs, which code generation compiles.

Read `program` first: it makes the tile program of a kernel. `emitter` walks a function, and knows
what each value of the kernel became; `registry` has which function lowers which op:

- `structure`: loops and conditions. `views`: slices and other views; `view` and `numbers` say what
  a memref became.
- `accesses`: loads and stores. `elements`: elements of views in memory.
- `transfers` and `semaphores`; `copies`: a view to another.
- `vectors`: ops on vectors, and arithmetic.
- `failures`: checks of bounds.
- `vectors`: ops between lanes, arithmetic, and accesses with masks or indices.
"""

from sdykit.sparsecore.mosaic.lowering import accesses, structure, transfers, vectors, views
from sdykit.sparsecore.mosaic.lowering.program import lower
from sdykit.sparsecore.mosaic.lowering.registry import NotLowered

__all__ = ["NotLowered", "accesses", "lower", "structure", "transfers", "vectors", "views"]
