"""Conversions between numpy arrays and the values of a program, and checks of the inputs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from sdykit.dialects import mpmd
from sdykit.mlir import ir
from sdykit.mpmd.errors import InterpretError, argument_name
from sdykit.mpmd.interpreter.buffers import Token
from sdykit.mpmd.interpreter.marks import is_mesh_tensor
from sdykit.mpmd.interpreter.one_device import is_token
from sdykit.mpmd.interpreter.xla import to_device

_INTEGER = re.compile(r"(u?)i(\d+)")


def check_inputs(name: str, arguments: Sequence[ir.Value], inputs: Sequence[Any]) -> list[Any]:
    """Check the inputs of a function, and return them on the device; None becomes a token.

    Raises:
        InterpretError: their number, a shape or a dtype is not what the function expects.
    """
    if len(inputs) != len(arguments):
        raise InterpretError(f"@{name} takes {len(arguments)} arguments, found {len(inputs)}")
    return [
        _checked(argument_name(argument, index, name), argument, value)
        for index, (argument, value) in enumerate(zip(arguments, inputs, strict=True))
    ]


def _checked(what: str, argument: ir.Value, value: Any) -> Any:
    if is_token(argument):
        if value is not None:
            raise InterpretError(f"{what} is a token: expected None, found {type(value).__name__}")
        return Token()
    if value is None:
        raise InterpretError(f"{what}: expected an array, found None")
    tensor = tensor_type(argument.type)
    if tensor is None or not tensor.has_static_shape:
        raise InterpretError(f"{what} has a type that cannot be run: {argument.type}")
    dtype = dtype_of(tensor.element_type)
    if dtype is None:
        raise InterpretError(f"{what} has elements that numpy cannot hold: {argument.type}")
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise InterpretError(
            f"{what}: expected an array, and numpy cannot make one of it: {error}"
        ) from None
    shape = tuple(tensor.shape)
    if array.shape != shape:
        raise InterpretError(f"{what}: expected shape {shape}, found {array.shape}")
    if array.dtype != dtype:
        raise InterpretError(f"{what}: expected dtype {dtype}, found {array.dtype}")
    return to_device(array)


def scalar(number: int, mlir_type: ir.Type) -> Any:
    """Return an integer on the device, as a tensor without dimensions."""
    tensor = tensor_type(mlir_type)
    assert tensor is not None
    return to_device(np.asarray(number, dtype_of(tensor.element_type)))


def tensor_type(mlir_type: ir.Type) -> ir.RankedTensorType | None:
    """Return the global type of a tensor or mesh tensor; None for another type."""
    if is_mesh_tensor(mlir_type):
        text = mpmd.MeshTensorType.of(mlir_type).ranked_tensor_type
        mlir_type = ir.Type.parse(text, mlir_type.context)
    return mlir_type if isinstance(mlir_type, ir.RankedTensorType) else None


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
