"""Checks of arguments, with errors that name the argument, what was found and what is expected."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sdykit.bridge.embedding.buffers import DeviceBuffers
from sdykit.bridge.errors import BridgeError
from sdykit.sparsecore.specs import INT32_MAX
from sdykit.sparsecore.tile.spec import MAX_MINIBATCHES, POINTERS

_INDEX = ("splits", "sample_rows", "sample_gains", "observed")
"""Fields of the index by sample, all of which buffers have, or none."""


def describe(x: Any) -> str:
    """Return the dtype and shape of an array as `float32[4,8]`."""
    return f"{x.dtype}[{','.join(map(str, x.shape))}]"


def as_array(where: str, name: str, x: Any) -> jax.Array:
    """Return an argument as an array of JAX.

    Raises:
        BridgeError: it cannot be one; or its sizes are symbols of `jax.export`.
    """
    try:
        array = jnp.asarray(x)
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(x, np.ndarray):
            found = describe(x)
            raise BridgeError(
                f"{where}: {name} is {found}; expected a dtype that JAX has"
            ) from None
        found = type(x).__name__
        raise BridgeError(f"{where}: {name} is a {found}; expected an array ({error})") from None
    if not all(isinstance(size, int) for size in array.shape):
        raise BridgeError(f"{where}: {name} is {describe(array)}; expected sizes that are numbers")
    return array


def check(where: str, name: str, x: jax.Array, dtype: Any, shape: tuple[int | str, ...]) -> None:
    """Check dtype and shape; a string in `shape` stands for any size, and names it in the error.

    Raises:
        BridgeError: the dtype or shape is another.
    """
    fits = len(x.shape) == len(shape) and all(
        isinstance(size, str) or size == found for size, found in zip(shape, x.shape, strict=False)
    )
    if not fits or x.dtype != dtype:
        wanted = f"{jnp.dtype(dtype)}[{','.join(map(str, shape))}]"
        raise BridgeError(f"{where}: {name} is {describe(x)}; expected {wanted}")


def check_key(where: str, key: Any) -> None:
    """Check that an argument is one key of `jax.random`, of the new style or the old.

    Raises:
        BridgeError: it is not.
    """
    is_array = isinstance(key, jax.Array | np.ndarray)
    one_key = jax.eval_shape(jax.random.PRNGKey, 0)
    if is_array and jnp.issubdtype(key.dtype, jax.dtypes.prng_key) and not key.shape:
        return
    if is_array and (key.dtype, key.shape) == (one_key.dtype, one_key.shape):
        return
    found = describe(key) if is_array else repr(key)
    raise BridgeError(f"{where}: key is {found}; expected one key, such as jax.random.key(0)")


def ids_array(where: str, ids: Any) -> jax.Array:
    """Return raw ids as int32 `[batch, valency]`; no table has an id beyond int32.

    Raises:
        BridgeError: they are not integers `[batch, valency]`, or one is too large.
    """
    # JAX would keep the lower 32 bits of int64.
    held = _on_host(where, ids)
    if held is not None:
        if held.dtype.kind in "iu" and held.size and held.max() > INT32_MAX:
            at = np.unravel_index(int(held.argmax()), held.shape)
            raise BridgeError(
                f"{where}: ids[{', '.join(map(str, at))}] is {held[at]}; "
                f"expected at most {INT32_MAX}"
            )
        ids = np.maximum(held, -1) if held.dtype.kind == "i" else held
    array = as_array(where, "ids", ids)
    if not jnp.issubdtype(array.dtype, jnp.integer) or array.ndim != 2:
        raise BridgeError(
            f"{where}: ids is {describe(array)}; expected integers [batch, valency], "
            "or DeviceBuffers"
        )
    # No table has a row beyond int32, and all negative numbers alike are no ids.
    return to_int32(array)


def to_int32(array: jax.Array) -> jax.Array:
    """Return integers as int32; above its range they become its maximum, below it -1."""
    if jnp.iinfo(array.dtype).max > INT32_MAX:
        array = jnp.minimum(array, INT32_MAX)
        if jnp.issubdtype(array.dtype, jnp.signedinteger):
            array = jnp.maximum(array, -1)
    return array.astype(jnp.int32)


def _on_host(where: str, ids: Any) -> np.ndarray | None:
    """Return raw ids as a numpy array; None: they are arrays of JAX, which may be traced."""
    if not isinstance(ids, np.ndarray | list | tuple):
        return None
    if any(isinstance(each, jax.Array) for each in jax.tree.leaves(ids)):
        return None
    try:
        return np.asarray(ids)
    except ValueError as error:
        raise BridgeError(
            f"{where}: ids is a {type(ids).__name__}; expected integers [batch, valency] ({error})"
        ) from None


def check_buffers(where: str, buffers: DeviceBuffers, sparse_cores: int, chip: str) -> None:
    """Check that buffers are those of one device, made for this chip.

    Raises:
        BridgeError: a dtype or shape is another, as that of a batch of all devices.
    """
    if buffers.sparse_cores != sparse_cores:
        raise BridgeError(
            f"{where}: ids are made for devices of {buffers.sparse_cores} SparseCores; "
            f"expected {sparse_cores}, those of {chip} (see sdykit.sparsecore.configure)"
        )
    pointers = sparse_cores * max(sparse_cores * buffers.num_devices, POINTERS)
    pointers *= _minibatches(buffers)
    _check_array(where, buffers, "row_pointers", jnp.int32, (pointers,))
    _check_array(where, buffers, "embedding_ids", jnp.int32, ("entries",))
    entries = jnp.shape(buffers.embedding_ids)
    _check_array(where, buffers, "sample_ids", jnp.int32, entries)
    _check_array(where, buffers, "gains", jnp.float32, entries)
    _check_index(where, buffers, entries)
    if buffers.num_minibatches is not None:
        _check_array(where, buffers, "num_minibatches", jnp.int32, (1,))


def _minibatches(buffers: DeviceBuffers) -> int:
    """Return the number of minibatches that buffers are laid out for."""
    return 1 if buffers.num_minibatches is None else MAX_MINIBATCHES


def _check_index(where: str, buffers: DeviceBuffers, entries: tuple[int, ...]) -> None:
    missing = [f"ids.{name}" for name in _INDEX if getattr(buffers, name) is None]
    if len(missing) == len(_INDEX):
        return
    if missing:
        raise BridgeError(
            f"{where}: {' and '.join(missing)} is None; expected the whole index, or none of it"
        )
    splits = (buffers.sparse_cores, buffers.samples_per_core + 1)
    _check_array(where, buffers, "splits", jnp.int32, splits)
    _check_array(where, buffers, "sample_rows", jnp.int32, entries)
    _check_array(where, buffers, "sample_gains", jnp.float32, entries)
    figures = 2 * _minibatches(buffers) * buffers.sparse_cores**2 * buffers.num_devices
    _check_array(where, buffers, "observed", jnp.int32, (figures,))


def _check_array(
    where: str, buffers: DeviceBuffers, name: str, dtype: Any, shape: tuple[int | str, ...]
) -> None:
    array = as_array(where, f"ids.{name}", getattr(buffers, name))
    check(where, f"ids.{name}", array, dtype, shape)
