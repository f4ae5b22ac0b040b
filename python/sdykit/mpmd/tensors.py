"""The shapes and numpy dtypes of the tensors of a program, and checks of arrays against them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sdykit.dialects import mpmd
from sdykit.mlir import ir
from sdykit.mpmd.errors import ExecutionError
from sdykit.mpmd.marks import is_mesh_tensor
from sdykit.spmd.values import dtype_of


@dataclass(frozen=True)
class Expected:
    """What an argument of a function is expected to be."""

    what: str
    """The argument, for messages."""
    shape: tuple[int, ...]
    """The global shape."""
    dtype: np.dtype
    """The numpy dtype of the elements."""

    def check(self, array: Any) -> None:
        """Check the shape and the dtype of an array, of numpy or JAX.

        Raises:
            ExecutionError: they differ.
        """
        if array.shape != self.shape:
            raise ExecutionError(
                f"{self.what}: expected shape {self.shape}, found {tuple(array.shape)}"
            )
        if array.dtype != self.dtype:
            raise ExecutionError(f"{self.what}: expected dtype {self.dtype}, found {array.dtype}")


def expected(what: str, mlir_type: ir.Type) -> Expected:
    """Return what an argument of a type is expected to be.

    Raises:
        ExecutionError: no array has the type.
    """
    tensor = tensor_type(mlir_type)
    if tensor is None or not tensor.has_static_shape:
        raise ExecutionError(f"{what} has a type that cannot be run: {mlir_type}")
    dtype = dtype_of(tensor.element_type)
    if dtype is None:
        raise ExecutionError(f"{what} has elements that numpy cannot hold: {mlir_type}")
    return Expected(what, tuple(tensor.shape), dtype)


def as_numpy(what: str, value: Any) -> np.ndarray:
    """Return a value as an array of numpy.

    Raises:
        ExecutionError: numpy cannot make one of it.
    """
    if value is None:
        raise ExecutionError(f"{what}: expected an array, found None")
    try:
        return np.asarray(value)
    except ValueError as error:
        raise ExecutionError(
            f"{what}: expected an array, and numpy cannot make one of it: {error}"
        ) from None


def tensor_type(mlir_type: ir.Type) -> ir.RankedTensorType | None:
    """Return the global type of a tensor or mesh tensor; None for another type."""
    if is_mesh_tensor(mlir_type):
        text = mpmd.MeshTensorType.of(mlir_type).ranked_tensor_type
        mlir_type = ir.Type.parse(text, mlir_type.context)
    return mlir_type if isinstance(mlir_type, ir.RankedTensorType) else None
