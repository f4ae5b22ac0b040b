"""Lowering: kernels to tile programs, which code generation compiles.

Read `program` first: it makes the tile program of a kernel, with `arguments` and a `phase`. `emitter`
walks a function, and knows what each value of the kernel became; `registry` has which function lowers
which op:

- `structure`: loops and conditions; `independence`: which loops need no comparison of iterations. `views`: slices and other views; `view` and `numbers` say what
  a memref became.
- `accesses`: loads and stores. `elements`: elements of views in memory.
- `transfers` and `semaphores`. `copies`: a view to another, `counts`: what is known of semaphores, if
  subcores never wait for each other; otherwise `remote`, calls of the runtime with `pieces` of views,
  and `agents`, whom ids name.
- `logs`: what kernels print.
- `failures`: checks of bounds.
- `vectors`: ops between lanes, arithmetic, and accesses with masks or indices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdykit.sparsecore.mosaic.lowering.registry import NotLowered

if TYPE_CHECKING:
    from sdykit.mlir import ir
    from sdykit.sparsecore.mosaic.kernel import Kernel
    from sdykit.sparsecore.mosaic.spec import MosaicSpec

__all__ = ["NotLowered", "lower"]


def lower(kernel: Kernel, spec: MosaicSpec) -> ir.Module:
    """Return the tile program of a kernel; see `program.lower`."""
    # Kernels that have been compiled need none of this.
    from sdykit.sparsecore.mosaic.lowering import program

    return program.lower(kernel, spec)
