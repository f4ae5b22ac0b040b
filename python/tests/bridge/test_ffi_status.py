"""A program's status as a result of the call."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sdykit.bridge import ffi
from sdykit.bridge.errors import BridgeError
from support.bridge.ffi_programs import DOUBLE, checked

ON_ONE_THREAD, ON_SEVERAL = 1 << 40, 0


def double(x: np.ndarray, serial_bytes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return 2 x, and the words of the status."""
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    program = checked(serial_bytes=serial_bytes)
    y, status = jax.jit(lambda x: ffi.call(program, [x], [shape], returns_status=True))(x)
    assert (status.shape, status.dtype) == ((16,), jnp.int32)
    return np.asarray(y), np.asarray(status).view(np.int64)


@pytest.mark.parametrize("serial_bytes", [ON_ONE_THREAD, ON_SEVERAL])
def test_a_returned_status_is_not_raised(serial_bytes: int) -> None:
    x = np.arange(10_000, dtype=np.float32)
    y, status = double(x, serial_bytes)
    np.testing.assert_array_equal(y, 2 * x)
    assert not status.any()
    x[[77, 9_000]] = -1
    _, status = double(x, serial_bytes)
    assert status.tolist() == [1, 77, 7, 0, 0, 0, 0, 0]


def test_a_program_without_a_status_cannot_return_one() -> None:
    x = jnp.ones(4)
    with pytest.raises(jax.errors.JaxRuntimeError) as error:
        ffi.call(DOUBLE, [x], [x], returns_status=True)
    assert (
        "@double: returns_status is True, and the program has no status; expected an argument "
        "with the attribute sparsecore.status"
    ) in str(error.value)


def test_a_spec_with_the_field_returns_status_is_refused() -> None:
    spec = {"version": 1, "kind": "tile", "program": checked(), "returns_status": True}
    with pytest.raises(BridgeError, match="found 'returns_status', which is a field of the call"):
        ffi.call(spec, [jnp.ones(4)], [jnp.ones(4)])
