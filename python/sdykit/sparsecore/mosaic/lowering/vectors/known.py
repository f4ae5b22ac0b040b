"""Integer vectors of a kernel whose elements are known when it is compiled."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from sdykit.mlir import ir
from sdykit.sparsecore.mosaic.lowering.vectors.shapes import index_along
from sdykit.sparsecore.mosaic.types import dtype_of

Numbers = npt.NDArray[np.integer]

_BINARY: dict[str, Callable[[Numbers, Numbers], Numbers]] = {
    "arith.addi": np.add,
    "arith.andi": np.bitwise_and,
    "arith.muli": np.multiply,
    "arith.ori": np.bitwise_or,
    "arith.subi": np.subtract,
    "arith.xori": np.bitwise_xor,
}


def known_numbers(value: ir.Value) -> Numbers | None:
    """Return the elements of a vector of integers of 8 bits or more, or None if they are not known.

    They are if constants and `tpu.iota` determine them: canonicalization does not know `tpu.iota`, so
    that the reversal of a vector, for example, is written as a difference.
    """
    if not isinstance(value.type, ir.VectorType) or isinstance(value.owner, ir.Block):
        return None
    type_, op = ir.VectorType(value.type), value.owner.operation
    if not str(type_.element_type).startswith("i") or str(type_.element_type) == "i1":
        return None
    dtype, shape = dtype_of(str(type_.element_type)), tuple(type_.shape)
    if op.name == "arith.constant":
        return _constant(op.attributes["value"], dtype, shape)
    if op.name == "tpu.iota":
        dimensions = list(ir.DenseI32ArrayAttr(op.attributes["dimensions"]))
        return np.array(index_along(shape, dimensions)).astype(dtype).reshape(shape)
    if op.name == "vector.shape_cast":
        source = known_numbers(op.operands[0])
        return None if source is None else source.reshape(shape)
    if op.name not in _BINARY:
        return None
    left, right = (known_numbers(operand) for operand in op.operands)
    return None if left is None or right is None else _BINARY[op.name](left, right)


def _constant(
    attribute: ir.Attribute, dtype: np.dtype[np.integer], shape: tuple[int, ...]
) -> Numbers | None:
    if not isinstance(attribute, ir.DenseIntElementsAttr):
        return None
    if attribute.is_splat:
        return np.full(shape, ir.IntegerAttr(attribute.get_splat_value()).value).astype(dtype)
    numbers = [attribute[at] for at in range(len(attribute))]
    return np.array(numbers).astype(dtype).reshape(shape)
