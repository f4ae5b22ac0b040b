"""Initial values of tables.

Each row has a random key of its own, so that its values depend neither on the devices that rows are
spread over, nor on where they are computed.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sdykit.bridge.embedding.checks import describe
from sdykit.bridge.errors import BridgeError
from sdykit.sparsecore.specs import System
from sdykit.sparsecore.stacking import Stack

Initializer = Callable[..., jax.Array]
"""A function of `key, shape, dtype`, as those of `jax.nn.initializers`."""

_BLOCK_FLOATS = 1 << 18
"""Number of floats that are computed at once, 1 MiB, to keep peak memory low."""


@dataclass(frozen=True)
class Rows:
    """The rows of a stack's table, by their position on a device.

    Attributes:
        stack: the stack of the tables.
        system: the numbers of devices and SparseCores.
        initializers: the initializer of each table of the stack.
    """

    stack: Stack
    system: System
    initializers: tuple[Initializer, ...]

    @property
    def per_partition(self) -> int:
        """Number of rows of a partition."""
        return self.stack.vocabulary_size // self.system.num_sparse_cores

    @property
    def per_device(self) -> int:
        """Number of rows of a device."""
        return self.per_partition * self.system.sparse_cores_per_device

    @property
    def width(self) -> int:
        """Number of floats of a row."""
        return self.stack.embedding_dim

    @property
    def block(self) -> int:
        """Number of rows that are computed at once."""
        return max(1, min(self.per_device, _BLOCK_FLOATS // self.width))

    @property
    def dtype(self) -> Any:
        """The dtype of the table."""
        return jnp.dtype(self.stack.tables[0].spec.dtype)

    def make(self, key: jax.Array, device: jax.Array, first: jax.Array) -> jax.Array:
        """Return a block of rows of a device, `[block, width]`.

        Args:
            key: the key of the whole layer.
            device: the number of the device, an int32 scalar.
            first: the first row of the block on the device, an int32 scalar.
        """
        cores, tables = self.system.num_sparse_cores, self.stack.tables
        row = first + jnp.arange(self.block, dtype=jnp.int32)
        partition = device * self.system.sparse_cores_per_device + row // self.per_partition
        offsets = jnp.array([each.col_offset // cores for each in tables], jnp.int32)
        local = row % self.per_partition
        number = jnp.searchsorted(offsets, local, side="right").astype(jnp.int32) - 1
        shift = jnp.array([each.col_shift for each in tables], jnp.int32)[number]
        ids = (local - offsets[number]) * cores + (partition - shift) % cores
        sizes = jnp.array([each.spec.vocabulary_size for each in tables], jnp.int32)[number]
        widths = jnp.array([each.spec.embedding_dim for each in tables], jnp.int32)[number]
        values = self._values(key, number, ids)
        column = jnp.arange(self.width, dtype=jnp.int32)
        is_held = (ids < sizes)[:, None] & (column < widths[:, None])
        return jnp.where(is_held, values, jnp.zeros((), self.dtype))

    def _values(self, key: jax.Array, number: jax.Array, ids: jax.Array) -> jax.Array:
        """Return the row of each id in the table of this number, `[ids, width]`."""
        # Not the number of the table: its values do not depend on the tables that it is stacked with.
        names = [zlib.crc32(each.spec.name.encode()) for each in self.stack.tables]
        tags = jnp.array(names, jnp.uint32)[number]
        shape = (1, self.width)
        different = list(dict.fromkeys(self.initializers))

        def one(tag: jax.Array, id_: jax.Array, which: jax.Array) -> jax.Array:
            own = jax.random.fold_in(jax.random.fold_in(key, tag), id_)
            made = [_call(each, own, shape, self.dtype)[0] for each in different]
            return made[0] if len(made) == 1 else jnp.stack(made)[which]

        which = jnp.array([different.index(each) for each in self.initializers], jnp.int32)
        return jax.vmap(one)(tags, ids, which[number])


def _call(
    initializer: Initializer, key: jax.Array, shape: tuple[int, int], dtype: Any
) -> jax.Array:
    found = jnp.asarray(initializer(key, shape, dtype))
    if (found.shape, found.dtype) != (shape, dtype):
        wanted = describe(jax.ShapeDtypeStruct(shape, dtype))
        raise BridgeError(f"init: an initializer returns {describe(found)}; expected {wanted}")
    return found


@partial(jax.jit, static_argnums=0)
def make_block(rows: Rows, key: jax.Array, device: jax.Array, first: jax.Array) -> jax.Array:
    """Return a block of rows, jitted, for the host."""
    return rows.make(key, device, first)


def make_on_device(rows: Rows, key: jax.Array, device: jax.Array) -> jax.Array:
    """Return the rows of a device, computed there a block at a time."""
    blocks = -(-rows.per_device // rows.block)

    def add(number: jax.Array, table: jax.Array) -> jax.Array:
        # The last block may overlap the one before; the rows in both are the same.
        first = jnp.minimum(number * rows.block, rows.per_device - rows.block)
        return jax.lax.dynamic_update_slice(table, rows.make(key, device, first), (first, 0))

    empty = jnp.zeros((rows.per_device, rows.width), rows.dtype)
    return jax.lax.fori_loop(0, blocks, add, empty)


def make_on_host(rows: Rows, key: jax.Array, device: int) -> np.ndarray:
    """Return the rows of a device in memory of the host."""
    table = np.empty((rows.per_device, rows.width), rows.dtype)
    for start in range(0, rows.per_device, rows.block):
        first = min(start, rows.per_device - rows.block)
        made = make_block(rows, key, jnp.int32(device), jnp.int32(first))
        table[first : first + rows.block] = np.asarray(made)
    return table
