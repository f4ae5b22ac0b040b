"""MLIR types in LLVM IR.

Vectors of any rank are flat LLVM vectors, so that element-wise ops need not know of ranks.
Floats of 8 and 16 bits are integers: x86's conversion instruction of bfloat16 flushes subnormal
numbers, and ours is exact on every CPU. `i1`, `i2` and `i4` take a byte in memory, like numpy's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sdykit.mlir import ir


@dataclass(frozen=True, slots=True)
class Element:
    """A scalar type.

    Attributes:
        name: the name of the type in MLIR.
        llvm: the LLVM type of a value.
        storage: the LLVM type in memory.
        bits: the width of a value in bits.
        is_float: whether it is a float.
    """

    name: str
    llvm: str
    storage: str
    bits: int
    is_float: bool = False

    @property
    def bytes(self) -> int:
        """Size in memory, in bytes."""
        return max(self.bits, 8) // 8

    @property
    def is_narrow_float(self) -> bool:
        """Whether it is a float that is computed in float32."""
        return self.is_float and self.bits < 32


def _integer(name: str, bits: int) -> Element:
    return Element(name, f"i{bits}", f"i{max(bits, 8)}", bits)


I1 = _integer("i1", 1)
I16 = _integer("i16", 16)
I32 = _integer("i32", 32)
I64 = _integer("i64", 64)
INDEX = _integer("index", 64)
BF16 = Element("bf16", "i16", "i16", 16, is_float=True)
_F8 = [
    Element(name, "i8", "i8", 8, is_float=True) for name in ("f8E4M3B11FNUZ", "f8E4M3FN", "f8E5M2")
]
F32 = Element("f32", "float", "float", 32, is_float=True)
F64 = Element("f64", "double", "double", 64, is_float=True)
ELEMENTS = {
    element.name: element
    for element in (
        *(I1, _integer("i2", 2), _integer("i4", 4), _integer("i8", 8), I16, I32, I64, INDEX),
        *_F8,
        *(BF16, Element("f16", "i16", "i16", 16, is_float=True), F32, F64),
    )
}


MAX_LANES = 4096
"""Maximum number of elements of a vector: LLVM's time grows faster than vectors do."""

EXPECTED = f"{', '.join(ELEMENTS)}, and vectors of up to {MAX_LANES} of them"


@dataclass(frozen=True, slots=True)
class Type:
    """A scalar or vector type.

    Attributes:
        element: the type of its elements.
        shape: the shape of a vector; None for a scalar.
    """

    element: Element
    shape: tuple[int, ...] | None = None

    @property
    def count(self) -> int:
        """Number of elements; 1 for a scalar."""
        return 1 if self.shape is None else math.prod(self.shape)

    @property
    def llvm(self) -> str:
        """The LLVM type of a value."""
        return self._of(self.element.llvm)

    @property
    def storage(self) -> str:
        """The LLVM type in memory."""
        return self._of(self.element.storage)

    @property
    def mangled(self) -> str:
        """The type as it ends the name of an LLVM intrinsic, such as `v8f32`."""
        element = self.element
        scalar = f"{'f' if element.llvm in {'float', 'double'} else 'i'}{element.bits}"
        return scalar if self.shape is None else f"v{self.count}{scalar}"

    def of(self, element: Element) -> Type:
        """Return the type of the same shape with another element."""
        return Type(element, self.shape)

    def _of(self, scalar: str) -> str:
        return scalar if self.shape is None else f"<{self.count} x {scalar}>"


def flat(element: Element, count: int) -> Type:
    """Return the type of a vector with one dimension."""
    return Type(element, (count,))


def find_type(type_: ir.Type) -> Type | None:
    """Return the translation of a scalar or vector type, or None if there is none."""
    if not isinstance(type_, ir.VectorType):
        element = ELEMENTS.get(str(type_))
        return Type(element) if element else None
    element = ELEMENTS.get(str(type_.element_type))
    shape = tuple(type_.shape)
    if element is None or type_.scalable or not 0 < math.prod(shape) <= MAX_LANES:
        return None
    return Type(element, shape)


@dataclass(frozen=True, slots=True)
class Layout:
    """What the type of a memref fixes.

    Attributes:
        element: the type of its elements.
        sizes: the size of each dimension; None for a dynamic one.
        strides: the stride of each dimension in elements; None for a dynamic one.
        offset: the number of elements before the first; None if it is dynamic.
        is_row_major: whether the elements lie one after the other from the start of the buffer.
    """

    element: Element
    sizes: tuple[int | None, ...]
    strides: tuple[int | None, ...]
    offset: int | None
    is_row_major: bool

    @property
    def bytes(self) -> int:
        """Size of a row-major memref of static shape, in bytes."""
        return math.prod(size or 0 for size in self.sizes) * self.element.bytes


def find_layout(type_: ir.Type) -> Layout | None:
    """Return the layout of a memref type, or None if there is no translation."""
    if not isinstance(type_, ir.MemRefType):
        return None
    element = ELEMENTS.get(str(type_.element_type))
    try:
        strides, offset = type_.get_strides_and_offset()
    except (ir.MLIRError, RuntimeError, ValueError):  # The layout is not strided.
        return None
    if element is None:
        return None
    unknown = ir.ShapedType.get_dynamic_stride_or_offset()
    sizes = tuple(None if type_.is_dynamic_dim(k) else type_.shape[k] for k in range(type_.rank))
    known = tuple(None if stride == unknown else stride for stride in strides)
    row_major = _is_identity(type_) or (offset == 0 and known == _row_major_strides(sizes))
    return Layout(element, sizes, known, None if offset == unknown else offset, row_major)


def _is_identity(type_: ir.MemRefType) -> bool:
    if not isinstance(type_.layout, ir.AffineMapAttr):
        return False
    return type_.affine_map == ir.AffineMap.get_identity(type_.rank, type_.context)


def _row_major_strides(sizes: tuple[int | None, ...]) -> tuple[int, ...] | None:
    strides = [1]
    for size in reversed(sizes[1:]):
        if size is None:
            return None
        strides.append(strides[-1] * size)
    return tuple(reversed(strides))[: len(sizes)]
