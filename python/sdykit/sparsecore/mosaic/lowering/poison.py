"""What memory holds that was never written, as compiled kernels write it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.reference.memory import uninitialized
from sdykit.sparsecore.mosaic.spec import Uninitialized
from sdykit.sparsecore.mosaic.types import bits_of, dtype_of


@dataclass(frozen=True, slots=True)
class Poison:
    """What memory holds that was never written.

    Attributes:
        kind: "nan", which is 0x7f in each byte of an integer, or "zero".
    """

    kind: Uninitialized

    def pattern(self, element: str) -> int:
        """Return the bits of an element that was never written, as an integer with a sign."""
        value = np.array([uninitialized(dtype_of(element), self.kind)])
        if bits_of(element) < 8:
            return int(value[0])
        return int(value.view(f"i{value.itemsize}")[0])

    def vector(self, lanes: int, element: str) -> ir.Attribute:
        """Return a constant vector of such elements."""
        type_, value = ir.Type.parse(element), uninitialized(dtype_of(element), self.kind)
        if element.startswith("i"):
            scalar: ir.Attribute = ir.IntegerAttr.get(type_, int(value))
        else:
            scalar = ir.FloatAttr.get(type_, float(value))
        return ir.DenseElementsAttr.get_splat(ir.Type.parse(f"vector<{lanes}x{element}>"), scalar)
