"""Conversions between numpy arrays and the types of a program, and checks of inputs."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from sdykit.mlir import ir

_INTEGER = re.compile(r"(u?)i(\d+)")


def array_for(what: str, tensor: ir.RankedTensorType, value: Any) -> np.ndarray:
    """Return an input as an array.

    Raises:
        ValueError: it is none, or its shape or dtype is not that of the tensor; the text says what.
    """
    if value is None:
        raise ValueError(f"{what}: expected an array, found None")
    if not tensor.has_static_shape:
        raise ValueError(f"{what} has a type that cannot be run: {tensor}")
    dtype = dtype_of(tensor.element_type)
    if dtype is None:
        raise ValueError(f"{what} has elements that numpy cannot hold: {tensor}")
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(
            f"{what}: expected an array, and numpy cannot make one of it: {error}"
        ) from None
    shape = tuple(tensor.shape)
    if array.shape != shape:
        raise ValueError(f"{what}: expected shape {shape}, found {array.shape}")
    if array.dtype != dtype:
        raise ValueError(f"{what}: expected dtype {dtype}, found {array.dtype}")
    return array


def dtype_of(element: ir.Type) -> np.dtype | None:
    """Return the numpy dtype of an element type; None if there is none."""
    try:
        return np.dtype(_dtype_name(str(element)))
    except TypeError:
        return None


def _dtype_name(element: str) -> str:
    if element == "i1":
        return "bool"
    if match := _INTEGER.fullmatch(element):
        return f"{'uint' if match[1] else 'int'}{match[2]}"
    if match := re.fullmatch(r"complex<f(32|64)>", element):
        return f"complex{2 * int(match[1])}"
    if match := re.fullmatch(r"f(\d\d?)(E\w+)?", element):
        return f"float{match[1]}" + (f"_{match[2].lower()}" if match[2] else "")
    return {"bf16": "bfloat16"}.get(element, element)
