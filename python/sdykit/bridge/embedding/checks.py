"""What is wrong with an argument, in words."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sdykit.bridge.embedding.buffers import DeviceBuffers
from sdykit.bridge.errors import BridgeError
from sdykit.sparsecore.specs import INT32_MAX


def describe(x: Any) -> str:
    """Give dtype and shape, as `float32[4,8]`."""
    return f"{x.dtype}[{','.join(map(str, x.shape))}]"


def as_array(where: str, name: str, x: Any) -> jax.Array:
    """Give an argument as an array of JAX.

    Raises:
        BridgeError: it cannot be one; or `jax.export` has names for its sizes.
    """
    try:
        array = jnp.asarray(x)
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(x, np.ndarray):
            found = describe(x)
            raise BridgeError(f"{where}: {name} is {found}; expected a dtype of JAX") from None
        found = type(x).__name__
        raise BridgeError(f"{where}: {name} is a {found}; expected an array ({error})") from None
    if not all(isinstance(size, int) for size in array.shape):
        raise BridgeError(f"{where}: {name} is {describe(array)}; expected sizes that are known")
    return array


def check(where: str, name: str, x: jax.Array, dtype: Any, shape: tuple[int | str, ...]) -> None:
    """Check dtype and shape; a size that is a text may be any.

    Raises:
        BridgeError: they are others.
    """
    fits = len(x.shape) == len(shape) and all(
        isinstance(size, str) or size == found for size, found in zip(shape, x.shape, strict=False)
    )
    if not fits or x.dtype != dtype:
        wanted = f"{jnp.dtype(dtype)}[{','.join(map(str, shape))}]"
        raise BridgeError(f"{where}: {name} is {describe(x)}; expected {wanted}")


def check_key(where: str, key: Any) -> None:
    """Check a key of random numbers, of the new style or the old.

    Raises:
        BridgeError: it is none, or is known only when a program runs.
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
    """Give raw ids as int32; what no int32 holds is no id of any table.

    Raises:
        BridgeError: they are no integers `[batch, valency]`, or too large.
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
    # What no int32 holds is no row of any table, and none below 0 is an id.
    return to_int32(array)


def to_int32(array: jax.Array) -> jax.Array:
    """Convert integers; of those that no int32 holds, large ones become the largest, others -1."""
    if jnp.iinfo(array.dtype).max > INT32_MAX:
        array = jnp.minimum(array, INT32_MAX)
        if jnp.issubdtype(array.dtype, jnp.signedinteger):
            array = jnp.maximum(array, -1)
    return array.astype(jnp.int32)


def _on_host(where: str, ids: Any) -> np.ndarray | None:
    """Give raw ids of the host; None: they are JAX's, or a list of what may be traced."""
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
        BridgeError: a dtype or shape is another; a whole batch is there instead of a part.
    """
    if buffers.sparse_cores != sparse_cores:
        raise BridgeError(
            f"{where}: ids are made for devices of {buffers.sparse_cores} SparseCores; "
            f"{chip} has {sparse_cores} (see sdykit.sparsecore.configure)"
        )
    segments = 64 if buffers.num_minibatches is not None else 1
    cores = sparse_cores * buffers.num_devices
    pointers = sparse_cores * max(cores, 8) * segments
    names = ("row_pointers", "embedding_ids", "sample_ids", "gains")
    arrays = {name: as_array(where, f"ids.{name}", getattr(buffers, name)) for name in names}
    check(where, "ids.row_pointers", arrays["row_pointers"], jnp.int32, (pointers,))
    check(where, "ids.embedding_ids", arrays["embedding_ids"], jnp.int32, ("entries",))
    entries = arrays["embedding_ids"].shape
    check(where, "ids.sample_ids", arrays["sample_ids"], jnp.int32, entries)
    check(where, "ids.gains", arrays["gains"], jnp.float32, entries)
    index = {name: getattr(buffers, name) for name in ("splits", "sample_rows", "sample_gains")}
    missing = [f"ids.{name}" for name, found in index.items() if found is None]
    if 0 < len(missing) < len(index):
        raise BridgeError(
            f"{where}: {' and '.join(missing)} is None; expected the whole index, or none of it"
        )
    if not missing:
        shape = (sparse_cores, buffers.samples_per_core + 1)
        index = {name: as_array(where, f"ids.{name}", each) for name, each in index.items()}
        check(where, "ids.splits", index["splits"], jnp.int32, shape)
        check(where, "ids.sample_rows", index["sample_rows"], jnp.int32, entries)
        check(where, "ids.sample_gains", index["sample_gains"], jnp.float32, entries)
    if buffers.num_minibatches is not None:
        counts = as_array(where, "ids.num_minibatches", buffers.num_minibatches)
        check(where, "ids.num_minibatches", counts, jnp.int32, (1,))
