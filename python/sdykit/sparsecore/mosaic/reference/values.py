"""Values of the machine, and their types.

An `i1` is a `bool`; any other integer is an `int` in the signed range of its width; a float is a
numpy scalar of its own type. A vector is a numpy array of such elements, which nobody writes to.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sdykit.mlir import ir
from sdykit.sparsecore.errors import SparseCoreError
from sdykit.sparsecore.mosaic.places import Places
from sdykit.sparsecore.mosaic.types import bits_of, dtype_of, element_name

Array = npt.NDArray[Any]
Op = ir.Operation | ir.OpView


def error_of(op: Op, text: str) -> SparseCoreError:
    """Return an error about an op that starts with the user's line: "kernel.py:42: ..."."""
    return SparseCoreError(f"{Places().text(op)}: {text}")


@dataclass(frozen=True)
class ValueType:
    """The type of a scalar or of a vector.

    Attributes:
        element: MLIR's name of the element: "i32", "bf16", "index".
        shape: the shape of a vector; None for a scalar.
    """

    element: str
    shape: tuple[int, ...] | None

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The numpy type of an element."""
        return dtype_of(self.element)

    @cached_property
    def bits(self) -> int:
        """The width of an element in bits."""
        return bits_of(self.element)

    @cached_property
    def is_float(self) -> bool:
        """Whether the elements are floats, of any width."""
        return "f" in self.element

    @property
    def count(self) -> int:
        """The number of elements; 1 for a scalar."""
        return math.prod(self.shape or ())

    def wrap(self, number: int) -> int:
        """Return the integer of this type that has the low bits of a number."""
        if self.bits == 1:
            return bool(number & 1)
        half = 1 << (self.bits - 1)
        return ((number + half) & (2 * half - 1)) - half

    def of_integers(self, numbers: Iterable[int]) -> Any:
        """Return the value with these elements, in row-major order, each wrapped."""
        wrapped = [self.wrap(number) for number in numbers]
        return (
            wrapped[0] if self.shape is None else np.array(wrapped, self.dtype).reshape(self.shape)
        )

    def of_array(self, array: npt.ArrayLike) -> Any:
        """Return the value with the elements of an array of this type, whatever its shape."""
        flat = np.asarray(array)
        if self.shape is not None:
            return flat.reshape(self.shape)
        item = flat.reshape(())[()]
        return item if self.is_float else bool(item) if self.bits == 1 else int(item)


def type_of(value: ir.Value) -> ValueType:
    """Return the type of a scalar or vector."""
    if isinstance(value.type, ir.VectorType):
        vector = ir.VectorType(value.type)
        return ValueType(element_name(vector.element_type), tuple(vector.shape))
    return ValueType(element_name(value.type), None)


def signed(value: Any) -> list[int]:
    """Return the elements of integers, in row-major order; a true `i1` is -1."""
    if type(value) is int:
        return [value]
    array = np.asarray(value)
    items: list[int] = array.astype(np.int64).ravel().tolist()
    return [-item for item in items] if array.dtype == np.bool_ else items


def unsigned(value: Any, bits: int) -> list[int]:
    """Return the elements of integers of a width, in row-major order, read without a sign."""
    return [item & ((1 << bits) - 1) for item in signed(value)]


def floats(value: Any) -> list[float]:
    """Return the elements of floats, in row-major order; f64 holds each exactly."""
    return np.asarray(value).astype(np.float64).ravel().tolist()
