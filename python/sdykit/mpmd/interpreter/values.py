"""Conversions between numpy arrays and the values of a program, and checks of the inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sdykit.mlir import ir
from sdykit.mpmd.buffers import Token
from sdykit.mpmd.errors import ExecutionError, argument_name
from sdykit.mpmd.interpreter.one_device import is_token
from sdykit.mpmd.tensors import as_numpy, expected, tensor_type
from sdykit.plurals import counted
from sdykit.spmd.devices.client import to_device
from sdykit.spmd.values import dtype_of


def check_inputs(name: str, arguments: Sequence[ir.Value], inputs: Sequence[Any]) -> list[Any]:
    """Check the inputs of a function, and return them on the device; None becomes a token.

    Raises:
        ExecutionError: their number, a shape or a dtype is not what the function expects.
    """
    if len(inputs) != len(arguments):
        takes = counted(len(arguments), "argument")
        raise ExecutionError(f"@{name} takes {takes}, found {len(inputs)}")
    return [
        _checked(argument_name(argument, index, name), argument, value)
        for index, (argument, value) in enumerate(zip(arguments, inputs, strict=True))
    ]


def _checked(what: str, argument: ir.Value, value: Any) -> Any:
    if is_token(argument):
        if value is not None:
            raise ExecutionError(f"{what} is a token: expected None, found {type(value).__name__}")
        return Token()
    wanted = expected(what, argument.type)
    array = as_numpy(what, value)
    wanted.check(array)
    return to_device(array)


def scalar(number: int, mlir_type: ir.Type) -> Any:
    """Return an integer on the device, as a tensor without dimensions."""
    tensor = tensor_type(mlir_type)
    assert tensor is not None
    return to_device(np.asarray(number, dtype_of(tensor.element_type)))
