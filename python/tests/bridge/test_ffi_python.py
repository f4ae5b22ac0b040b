"""Programs that are functions of Python, called by the FFI handler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sdykit.bridge import _native, ffi
from sdykit.bridge.kernels.in_python import PythonProgram

KIND = "test_ffi_python"
_functions: list[Callable[[list[Any]], None]] = []

ffi.register_kind(KIND, lambda spec, _: PythonProgram("tested", _functions[spec["number"]]))


def call(function: Callable[[list[Any]], None], *arrays: Any, **options: Any) -> Any:
    """Return the result of a call, of the shape and dtype of the first array."""
    _functions.append(function)
    spec = {"version": 1, "kind": KIND, "number": len(_functions) - 1}
    shape = jax.ShapeDtypeStruct(arrays[0].shape, arrays[0].dtype)
    return jax.jit(lambda *arrays: ffi.call(spec, arrays, [shape], **options)[0])(*arrays)


def double(arrays: list[Any]) -> None:
    arrays[-1][...] = arrays[0] + arrays[0]


@pytest.mark.parametrize(
    "dtype", ["float32", "bfloat16", "float16", "int8", "uint32", "float8_e5m2", "bool"]
)
def test_arrays_have_the_dtypes_of_jax(dtype: str) -> None:
    array = jnp.ones((2, 3), dtype)
    found = call(double, array)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, np.asarray(array) + np.asarray(array))


def test_arrays_that_xla_packs_are_refused() -> None:
    with pytest.raises(jax.errors.JaxRuntimeError, match="XLA type 21"):
        call(double, jnp.ones((2, 3), "int4"))


def test_an_operand_that_no_result_aliases_is_read_only() -> None:
    def write(arrays: list[Any]) -> None:
        arrays[0][...] = 0

    with pytest.raises(
        jax.errors.JaxRuntimeError, match="ValueError: assignment destination is rea"
    ):
        call(write, jnp.ones(3))


def test_an_aliased_operand_is_the_result() -> None:
    def add(arrays: list[Any]) -> None:
        assert len(arrays) == 2
        arrays[0][...] += arrays[1]

    given = jnp.arange(3.0)
    np.testing.assert_array_equal(
        call(add, given, jnp.ones(3), input_output_aliases={0: 0}), [1, 2, 3]
    )
    np.testing.assert_array_equal(given, [0, 1, 2])  # It was copied: it is used after the call.


def test_the_text_of_an_exception_is_that_of_the_error() -> None:
    class Wrong(Exception):
        pass

    def fail(_: list[Any]) -> None:
        raise Wrong("row 3 of 2")

    with pytest.raises(jax.errors.JaxRuntimeError, match=r"^INVALID_ARGUMENT: row 3 of 2(\n|$)"):
        call(fail, jnp.ones(3))


def test_subnormal_numbers_are_numbers() -> None:
    tiny = np.float32(1e-40)
    assert call(double, jnp.asarray([tiny]))[0] == tiny + tiny


def test_an_alias_of_two_operands_is_refused() -> None:
    with pytest.raises(ValueError, match="result 0 aliases two operands"):
        _native.python_kernel("tested", aliases=[(0, 0), (1, 0)])
