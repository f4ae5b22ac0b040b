"""Types of values in a Mosaic module: memrefs, and the numpy types of their elements."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import ml_dtypes
import numpy as np
import numpy.typing as npt

from sdykit.mlir import ir
from sdykit.sparsecore.errors import SparseCoreError

CoreType = Literal["vector", "scalar"]

SEMAPHORES = ("semaphore", "dma_semaphore", "barrier_semaphore")
"""Elements that are counts, and no memory."""

_DTYPES: dict[str, type[Any]] = {
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "i1": np.bool_,
    "i2": ml_dtypes.int2,
    "i4": ml_dtypes.int4,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "index": np.int64,
}
"""The numpy type that holds an element; integers in MLIR have no sign, here they are signed."""

_BITS = {"i1": 1, "i2": 2, "i4": 4}
"""Bits of elements that numpy keeps in a byte each."""


@cache
def dtype_of(element: str) -> np.dtype[Any]:
    """Return the numpy type that holds an element of a type: of "bf16", `ml_dtypes.bfloat16`.

    Raises:
        SparseCoreError: no such element can be in memory.
    """
    if element not in _DTYPES:
        raise SparseCoreError(
            f"elements of type {element} cannot be on a SparseCore; expected one of "
            f"{', '.join(sorted(_DTYPES))}"
        )
    return np.dtype(_DTYPES[element])


@cache
def bits_of(element: str) -> int:
    """Return how many bits an element of a type takes on the chip: 4 for "i4", 32 for "f32"."""
    return _BITS.get(element) or 8 * dtype_of(element).itemsize


@dataclass(frozen=True, slots=True)
class MemRef:
    """What the type of a memref says.

    Attributes:
        shape: sizes of its dimensions; None for one that is known only when the kernel runs.
        element: MLIR's name of the element, such as "f32", or one of `SEMAPHORES`.
        space: "hbm", "vmem", "vmem_shared", "smem" or "semaphore_mem".
        core: whose memory it is, "vector" or "scalar", if not that of the function's own subcores.
    """

    shape: tuple[int | None, ...]
    element: str
    space: str
    core: CoreType | None = None

    @property
    def is_semaphore(self) -> bool:
        """Whether the elements are counts."""
        return self.element in SEMAPHORES

    @property
    def is_dma_semaphore(self) -> bool:
        """Whether the elements are counts of bytes that DMAs have moved."""
        return self.element == "dma_semaphore"

    @property
    def dtype(self) -> npt.DTypeLike:
        """The numpy type that holds an element; that of a count is int64."""
        return np.dtype(np.int64) if self.is_semaphore else dtype_of(self.element)

    @property
    def bits(self) -> int:
        """The bits of an element on the chip."""
        return bits_of(self.element)


def memref_of(type_: ir.Type) -> MemRef:
    """Return what a memref's type says; its layout means nothing here."""
    memref = ir.MemRefType(type_)
    dynamic = ir.ShapedType.get_dynamic_size()
    space, core = _space(str(memref.memory_space))
    return MemRef(
        tuple(None if size == dynamic else size for size in memref.shape),
        element_name(memref.element_type),
        space,
        core,
    )


def element_name(type_: ir.Type) -> str:
    """Return the name of an element's type: "f32", or "dma_semaphore" for `!tpu.dma_semaphore`."""
    return str(type_).removeprefix("!tpu.")


def is_memref(type_: ir.Type) -> bool:
    """Return whether a value of this type is a memref."""
    return isinstance(type_, ir.MemRefType)


@cache
def _space(attribute: str) -> tuple[str, CoreType | None]:
    """Return space and core of `#tpu.memory_space<vmem, sc_scalar_subcore>`."""
    space, _, core = attribute.partition("<")[2].rstrip(">").partition(", ")
    return space, core_type(core) if core else None


def core_type(name: str) -> CoreType:
    """Return "vector" or "scalar" of the name of a core type in the tpu dialect.

    Raises:
        SparseCoreError: it is none of a SparseCore.
    """
    if name == "sc_vector_subcore":
        return "vector"
    if name == "sc_scalar_subcore":
        return "scalar"
    raise SparseCoreError(
        f"found core type {name!r} in a kernel; expected 'sc_vector_subcore' or 'sc_scalar_subcore'"
    )
